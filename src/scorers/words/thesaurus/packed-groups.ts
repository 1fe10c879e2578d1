import type { KeyedGroup } from './synonyms.ts';

/**
 * Groups of one weight as a short text: a semicolon ends a group, an underscore joins the words of a member, and
 * `categor|y|i` is the word category with its stem categori.
 */
export interface PackedGroups {
  readonly weight: number;
  readonly forUnknown: boolean;
  readonly groups: string;
}

/** A word that is not its own stem: what both have, the end of the word, and that of the stem. */
const ENDS = /\|([a-z]*)(?:\|([a-z]+))?/g;

export function unpackGroups(packed: readonly PackedGroups[]): readonly KeyedGroup[] {
  return packed.flatMap(({ weight, forUnknown, groups }) => {
    const keys = groups.replace(ENDS, '$2').split('; ');
    const members = groups.replace(ENDS, '$1').split('; ');
    return members.map((list, at) => ({ members: list, keys: keys[at] ?? '', weight, forUnknown }));
  });
}

export function packGroups(groups: readonly KeyedGroup[]): readonly PackedGroups[] {
  const packed: (Omit<PackedGroups, 'groups'> & { groups: string })[] = [];
  for (const { members, keys, weight, forUnknown } of groups) {
    const stems = keys.split(/[ _]/);
    const words = members.split(/([ _])/);
    const text = words.map((word, at) => (at % 2 === 1 ? word : withStem(word, stems[at / 2] ?? word))).join('');
    const last = packed.at(-1);
    if (last?.weight === weight && last.forUnknown === forUnknown) last.groups += `; ${text}`;
    else packed.push({ weight, forUnknown, groups: text });
  }
  return packed;
}

function withStem(word: string, stem: string): string {
  if (word === stem) return word;
  let common = 0;
  while (common < stem.length && word[common] === stem[common]) common++;
  const end = stem.slice(common);
  return `${word.slice(0, common)}|${word.slice(common)}${end && `|${end}`}`;
}
