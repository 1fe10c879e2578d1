import { definitionTexts, misleading } from '../../../kit.ts';
import { grouped } from '../../grouped.ts';
import type { Flaw, LintedTool, Rules, Run } from '../rule.ts';

const { quote, textsOf } = definitionTexts;

/** Texts that mislead the model. */
export const trustRules: Rules<'instructs-model' | 'hidden-characters' | 'steers-other-server'> = {
  'instructs-model': {
    summary: 'A text of the tool instructs the model beyond the use of the tool.',
    help: 'So tools are poisoned: the model may follow the text in place of the user. Say only what the tool does, or drop the server.',
    ofTool: misleading.instructingText,
  },
  'hidden-characters': {
    summary: 'A text has characters that a person does not see, or takes for others.',
    help: 'The model reads them, and they may carry orders; words with them are not found. Take them out, or drop the server.',
    ofTool: misleading.hiddenCharacters,
  },
  'steers-other-server': {
    summary: "A server's text steers the use of another server's tool.",
    help: 'So one server takes over the calls of another, or changes what the model does with them. Drop the server, or the text.',
    ofCatalog: steeringText,
  },
};

/** A word that may be a name. */
const NAMES = /[A-Za-z][\w-]{3,63}/g;
/** Identifier syntax, which does not occur in a normal word of a sentence. */
const IDENTIFIER = /[a-z0-9][_-][A-Za-z0-9]|[a-z][A-Z]/;
const SENTENCE_END = /[.!?\n]/;
/** Phrases that steer the model away from a tool, and words that prescribe an order of work. */
const AWAY =
  /\b(?:(?:do not|don't|never|stop|no longer) (?:\w{1,20} ){0,2}(?:use|using|call|calling|run|running)|instead of|rather than|in place of|replaces?|supersedes?|deprecated)\b/i;
const ORDER = /\b(?:must|always|whenever|when|before|after|first)\b/i;
/** A suffix of parameters' names that tools seldom have. */
const PARAMETER = /_ids?$/;
/** Characters of a sentence that are read before and after the name. */
const REACH = 200;
/** Limit of tools of one name that a finding lists. */
const MAX_OTHERS = 20;

function steeringText({ tools }: Run): readonly Flaw[] {
  const told = tools.filter(({ server }) => server !== '');
  const parameters = new Set(tools.flatMap((tool) => tool.parameters.map((parameter) => parameter.name)));
  const isParameter = (name: string): boolean => PARAMETER.test(name) || parameters.has(name);
  const spelled = told.flatMap((tool) =>
    [...new Set([tool.name, tool.bareName])]
      .filter((word) => IDENTIFIER.test(word) && (word === tool.name || !isParameter(word)))
      .map((word) => ({ word, tool })),
  );
  const byWord = grouped(spelled, ({ word }) => word);
  return told.flatMap((tool) => steering(tool, (word) => (byWord.get(word) ?? []).map((one) => one.tool)) ?? []);
}

/** @param called - returns the tools of which a word is the name. */
function steering(tool: LintedTool, called: (word: string) => readonly LintedTool[]): Flaw | undefined {
  for (const { path, text } of textsOf(tool).texts) {
    if (path === 'name') continue;
    for (const { 0: word, index } of text.matchAll(NAMES)) {
      const tools = called(word);
      if (tools.length === 0 || tools.some(({ server }) => server === tool.server)) continue;
      const sentence = sentenceAround(text, index, word.length);
      const isAway = AWAY.test(sentence);
      if (!isAway && !ORDER.test(sentence)) continue;
      const servers = [...new Set(tools.map(({ server }) => server))].slice(0, MAX_OTHERS).join(', ');
      return {
        ...{ severity: isAway ? 'error' : 'warning', toolName: tool.name, path },
        others: tools.slice(0, MAX_OTHERS).map(({ name }) => name),
        evidence: `The server ${quote(tool.server)} steers the use of ${quote(word)}, a tool of ${quote(servers)}: ${quote(sentence, 160)}.`,
        remedy: misleading.DISTRUST,
      };
    }
  }
  return undefined;
}

function sentenceAround(text: string, at: number, length: number): string {
  const before = text
    .slice(Math.max(0, at - REACH), at)
    .split(SENTENCE_END)
    .at(-1);
  const behind = text.slice(at + length, at + length + REACH).split(SENTENCE_END)[0];
  return `${before}${text.slice(at, at + length)}${behind}`.trim();
}
