/** Endings of nouns that are made of verbs, with what the verb has instead. Stemming does not take these off short verbs. */
const ENDINGS: readonly (readonly [noun: string, ...verb: readonly string[]])[] = [
  ['ication', 'y'],
  ['ation', 'ate', 'e', ''],
  ['ition', 'e', ''],
  ['ision', 'ide'],
  ['ription', 'ribe'],
  ['version', 'vert'],
  ['ension', 'end'],
  ['ansion', 'and'],
  ['olution', 'olve'],
  ['mission', 'mit'],
  ['ment', ''],
];
/** A shorter rest says too little: a station is no state. */
const MIN_REST = 3;

/** The verbs that a noun may be made of, whether they exist or not: `addition` of add, `division` of divide. */
export function verbsOf(noun: string): readonly string[] {
  const found = ENDINGS.find(([ending]) => noun.endsWith(ending));
  if (!found) return [];
  const [ending, ...verbs] = found;
  const rest = noun.slice(0, -ending.length);
  // The rest of "division" is "div".
  return rest.length < MIN_REST ? [] : verbs.map((verb) => rest + verb);
}
