import type { LintedTool } from '../linted-catalog.ts';
import { quote } from '../quote.ts';
import type { Flaw, Rules, Run } from '../rule.ts';
import { textsOf } from './texts.ts';

/** A word that may be a name. */
const NAMES = /[A-Za-z][\w-]{3,63}/g;
/** What makes a name of a word: nobody writes it in a sentence otherwise. */
const IDENTIFIER = /[a-z0-9][_-][A-Za-z0-9]|[a-z][A-Z]/;
const SENTENCE_END = /[.!?\n]/;
/** Words that steer the model away from a tool, and words that steer it into an order of work. */
const AWAY =
  /\b(?:(?:do not|don't|never|stop|no longer) (?:\w{1,20} ){0,2}(?:use|using|call|calling|run|running)|instead of|rather than|in place of|replaces?|supersedes?|deprecated)\b/i;
const ORDER = /\b(?:must|always|whenever|when|before|after|first)\b/i;
/** The end of names that parameters have, and seldom tools. */
const PARAMETER = /_ids?$/;
/** Characters of a sentence before and behind the name. */
const REACH = 200;
/** Tools of one name that a finding lists. */
const MAX_OTHERS = 20;

export const serverRules: Rules<'steers-other-server'> = {
  'steers-other-server': {
    summary: "A server's text steers the use of another server's tool.",
    help: 'So one server takes over the calls of another, or changes what the model does with them. Drop the server, or the text.',
    ofCatalog: steeringText,
  },
};

function steeringText({ tools }: Run): readonly Flaw[] {
  const told = tools.filter(({ server }) => server !== '');
  const parameters = new Set(tools.flatMap((tool) => tool.parameters.map((parameter) => parameter.name)));
  const isParameter = (name: string): boolean => PARAMETER.test(name) || parameters.has(name);
  const serversOf = new Map<string, Set<string>>();
  const namesOf = new Map<string, string[]>();
  for (const { name, bareName, server } of told) {
    for (const spelling of new Set([name, bareName])) {
      if (!IDENTIFIER.test(spelling) || (spelling !== name && isParameter(spelling))) continue;
      const servers = serversOf.get(spelling);
      if (servers) servers.add(server);
      else serversOf.set(spelling, new Set([server]));
      const names = namesOf.get(spelling);
      if (names) names.push(name);
      else namesOf.set(spelling, [name]);
    }
  }
  return told.flatMap((tool) => steering(tool, serversOf, namesOf));
}

function steering(
  tool: LintedTool,
  serversOf: ReadonlyMap<string, ReadonlySet<string>>,
  namesOf: ReadonlyMap<string, readonly string[]>,
): readonly Flaw[] {
  for (const { path, text } of textsOf(tool).texts) {
    if (path === 'name') continue;
    for (const { 0: word, index } of text.matchAll(NAMES)) {
      const servers = serversOf.get(word);
      if (!servers || servers.has(tool.server)) continue;
      const sentence = sentenceAround(text, index, word.length);
      const isAway = AWAY.test(sentence);
      if (!isAway && !ORDER.test(sentence)) continue;
      const others = namesOf.get(word)?.slice(0, MAX_OTHERS) ?? [];
      return [
        {
          ...{ severity: isAway ? 'error' : 'warning', toolName: tool.name, others, path },
          evidence: `The server ${quote(tool.server)} steers the use of ${quote(word)}, a tool of ${quote([...servers].slice(0, MAX_OTHERS).join(', '))}: ${quote(sentence, 160)}.`,
          remedy: 'Say only what the tool does. If the text is not yours, do not trust its server.',
        },
      ];
    }
  }
  return [];
}

function sentenceAround(text: string, at: number, length: number): string {
  const before =
    text
      .slice(Math.max(0, at - REACH), at)
      .split(SENTENCE_END)
      .at(-1) ?? '';
  const behind = text.slice(at + length, at + length + REACH).split(SENTENCE_END)[0] ?? '';
  return `${before}${text.slice(at, at + length)}${behind}`.trim();
}
