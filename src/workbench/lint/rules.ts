/**
 * The name of a rule.
 *
 * @example
 * ```ts
 * const rule: LintRule = 'missing-description';
 * ```
 */
export type LintRule =
  | 'unreadable-tool'
  | 'missing-description'
  | 'thin-description'
  | 'not-found-by-own-words'
  | 'indistinguishable'
  | 'refused-name'
  | 'name-clash'
  | 'reserved-name'
  | 'shadowed-name'
  | 'crowded-namespace'
  | 'undescribed-parameters'
  | 'heavy-definition'
  | 'boilerplate'
  | 'instructs-model'
  | 'hidden-characters'
  | 'steers-other-server';

/**
 * What a rule is about.
 *
 * @example
 * ```ts
 * const line = ({ summary, help }: LintRuleDescription) => `${summary} ${help}`;
 * ```
 */
export interface LintRuleDescription {
  /** What is wrong with a tool that it finds. */
  readonly summary: string;
  /** Why it matters, and what helps. */
  readonly help: string;
}

/**
 * All rules, in the order in which findings of one tool stand.
 *
 * @example
 * ```ts
 * for (const [rule, { summary }] of Object.entries(lintRules)) console.log(rule, summary);
 * ```
 */
export const lintRules: Readonly<Record<LintRule, LintRuleDescription>> = {
  'unreadable-tool': {
    summary: 'The tool, or its input schema, cannot be read.',
    help: 'No search finds what cannot be read. Give the tool as a plain value with a JSON schema, zod or another Standard Schema.',
  },
  'missing-description': {
    summary: 'The tool has no description.',
    help: 'It can only be found by its name and parameters. Say in a sentence what it does, to what.',
  },
  'thin-description': {
    summary: 'The description says next to nothing.',
    help: 'One or two words, or those of the name again, match few queries. Say what the tool does, to what, and in which service.',
  },
  'not-found-by-own-words': {
    summary: 'The first sentence of the description does not find the tool.',
    help: 'Whoever asks in these words gets another tool. Say first what this tool does that the other does not.',
  },
  indistinguishable: {
    summary: 'No query of its own words ranks the tool before another one.',
    help: 'Search and model choose between the two by chance. Say in each what the other does not do, or take one away.',
  },
  'refused-name': {
    summary: 'Some providers refuse the name.',
    help: 'The tool is called by another name than its own, or by none. Use 1 to 64 letters, digits, "_" and "-", a letter first.',
  },
  'name-clash': {
    summary: 'Two tools have one name, or names that differ in case or separators alone.',
    help: 'Of two tools of one name, one cannot be called; like names are mixed up. Rename one of them.',
  },
  'reserved-name': {
    summary: 'The tool has the name of a meta-tool.',
    help: 'The processor refuses it. Rename the tool, or the meta-tool in metaTools.',
  },
  'shadowed-name': {
    summary: 'Tools of two servers have the same name.',
    help: 'The model may call the wrong server. Put the name of its server in front of each, or take one away.',
  },
  'crowded-namespace': {
    summary: 'A namespace has ten functions or more.',
    help: 'OpenAI advises fewer than ten in a namespace of its tool search. Split it with native.namespace.',
  },
  'undescribed-parameters': {
    summary: 'Parameters have no descriptions.',
    help: 'The model guesses what goes in, and searches miss the words. Describe each, with its format and an example.',
  },
  'heavy-definition': {
    summary: 'The definition costs many tokens.',
    help: 'Each turn in which it is sent pays for it, and long texts match queries that mean other tools. Cut what is said twice.',
  },
  boilerplate: {
    summary: 'Many tools say the same sentences.',
    help: 'Searches pass over them, and each turn pays for them. Say it once, in the instructions of the server or of the agent.',
  },
  'instructs-model': {
    summary: 'A text of the tool instructs the model beyond the use of the tool.',
    help: 'So tools are poisoned: the model may follow the text in place of the user. Say only what the tool does, or drop the server.',
  },
  'hidden-characters': {
    summary: 'A text has characters that a person does not see, or takes for others.',
    help: 'The model reads them, and they may carry orders; words with them are not found. Take them out, or drop the server.',
  },
  'steers-other-server': {
    summary: "A server's text steers the use of another server's tool.",
    help: 'So one server takes over the calls of another, or changes what the model does with them. Drop the server, or the text.',
  },
};
