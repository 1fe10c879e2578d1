// Writes the vocabulary as it is looked up: npm run build:thesaurus
import { writeFileSync } from 'node:fs';
import { type KeyedGroup, keyedGroups } from '../../../../src/scorers/words/thesaurus/synonyms.ts';
import { toolSynonyms } from '../../../../src/scorers/words/thesaurus/tool-synonyms.ts';

/** The generated module. */
export const FILE: URL = new URL('../../../../src/scorers/words/thesaurus/vocabulary.ts', import.meta.url);
/** Characters of a line, unless a group is longer. */
const WIDTH = 118;
const HEADER = `// Generated from words.ts by \`npm run build:thesaurus\`: not to be edited.

/**
 * The groups of the built-in vocabulary by their weight. A semicolon ends a group, an underscore joins the words of a
 * member, and \`categor|y|i\` is the word category with its stem categori.
 */
`;

/** The text of the generated module. */
export function vocabularyModule(): string {
  const lists: { weight: number; forUnknown: boolean; groups: string[] }[] = [];
  for (const group of keyedGroups(toolSynonyms)) {
    const { weight, forUnknown } = group;
    const last = lists.at(-1);
    if (last?.weight !== weight || last.forUnknown !== forUnknown) lists.push({ weight, forUnknown, groups: [] });
    lists.at(-1)?.groups.push(written(group));
  }
  const items = lists.map(
    ({ weight, forUnknown, groups }) =>
      `  {\n    weight: ${weight},\n${forUnknown ? '    forUnknown: true,\n' : ''}    groups: \`${wrapped(groups)}\`,\n  },\n`,
  );
  const type = 'readonly { readonly weight: number; readonly forUnknown?: true; readonly groups: string }[]';
  return `${HEADER}export const vocabulary: ${type} = [\n${items.join('')}];\n`;
}

function written({ members, keys }: KeyedGroup): string {
  const stemsOf = keys.split(' ');
  return members
    .split(' ')
    .map((member, at) => {
      const stems = stemsOf[at]?.split('_') ?? [];
      return member
        .split('_')
        .map((word, place) => withStem(word, stems[place] ?? word))
        .join('_');
    })
    .join(' ');
}

function withStem(word: string, stem: string): string {
  if (word === stem) return word;
  let common = 0;
  while (common < stem.length && word[common] === stem[common]) common++;
  const end = stem.slice(common);
  return `${word.slice(0, common)}|${word.slice(common)}${end && `|${end}`}`;
}

/** The groups in lines, which break between two groups only. */
function wrapped(groups: readonly string[]): string {
  const [first = '', ...rest] = groups;
  const lines = [first];
  for (const group of rest) {
    const longer = `${lines.at(-1)}; ${group}`;
    if (longer.length <= WIDTH) lines[lines.length - 1] = longer;
    else lines.push(group);
  }
  return lines.join(';\n');
}

if (import.meta.main) writeFileSync(FILE, vocabularyModule());
