import {
  definitionTexts,
  type IncrementalIndex,
  Lru,
  parseQuery,
  splitIdentifier,
  type ToolMatch,
  type ToolQuery,
} from '../../../kit.ts';
import { missOf } from '../../evaluate/measure.ts';
import { firstSentence } from '../../first-sentence.ts';
import type { Flaw, LintedTool, Rules, Run } from '../rule.ts';

const { list, quote } = definitionTexts;

/** A tool that its own words find late, or only together with others. */
interface OwnWords {
  readonly tool: LintedTool;
  /** The tools that no query of its own words ranks behind it, in the order of the catalog's search. */
  readonly equals: readonly string[];
  /** Whether the name of its server tells it apart from these. */
  readonly hasServer: boolean;
  /** What is to be said of the search for its first sentence, where that does not find it first. */
  readonly flaw: Flaw | undefined;
}

/** Scores this near are equal: sums of numbers have their rounding. */
const ROUNDING = 1e-9;
/** Words of names that are numbers or versions: nobody asks by them. */
const NUMBERED = /^v?\d+$/;

/** What is said of searches for the words of a tool. Both rules ask the same. */
export const ownWordsRules: Rules<'not-found-by-own-words' | 'indistinguishable'> = {
  'not-found-by-own-words': {
    summary: 'The first sentence of the description does not find the tool.',
    help: 'Whoever asks in these words gets another tool. Say first what this tool does that the other does not.',
    isOfChosen: true,
    ofCatalog: async (run) => (await asked(run)).flatMap(({ flaw }) => flaw ?? []),
  },
  indistinguishable: {
    summary: 'No query of its own words ranks the tool before another one.',
    help: 'Search and model choose between the two by chance. Say in each what the other does not do, or take one away.',
    isOfChosen: true,
    ofCatalog: async (run) => indistinguishable(await asked(run)),
  },
};

/** Cache: what a check has asked. */
const answers = new WeakMap<Run, Promise<readonly OwnWords[]>>();

function asked(run: Run): Promise<readonly OwnWords[]> {
  const answer = answers.get(run) ?? askAll(run);
  answers.set(run, answer);
  return answer;
}

async function askAll(run: Run): Promise<readonly OwnWords[]> {
  const searches = searchesOf(run.index);
  const found: OwnWords[] = [];
  const equals = new Map<string, ReadonlySet<string>>();
  for (const [at, tool] of run.chosen.entries()) {
    // Tools of the same words are asked once: what is said of the first one names the others.
    const text = wordsOf(tool);
    const own = equals.get(text)?.has(tool.name) ? undefined : await askByOwnWords(tool, searches, run.topK);
    if (own) found.push(own);
    if (own && !equals.has(text)) equals.set(text, new Set(own.equals));
    run.compared(at + 1);
    await run.pause();
  }
  return found;
}

/** Asks for a tool by its own words. Undefined where there are none, or where they find it first and it alone. */
async function askByOwnWords(tool: LintedTool, searches: Searches, topK: number): Promise<OwnWords | undefined> {
  const [first, ...others] = ownQueries(tool);
  if (first === undefined) return undefined;
  const matches = await searches.upTo(tool.name, first);
  const isFound = matches.some(({ name }) => name === tool.name);
  let equals = isFound ? rivalsOf(tool.name, matches) : [];
  if (isFound && equals.length === 0) return undefined;
  for (const query of others) {
    if (equals.length === 0) break;
    const rivals = new Set(rivalsOf(tool.name, await searches.upTo(tool.name, query)));
    equals = equals.filter((name) => rivals.has(name));
  }
  const isDescribed = tool.description !== '';
  const flaw = isDescribed && equals.length === 0 ? await late(tool, first, matches, searches, topK) : undefined;
  if (equals.length === 0) return flaw && { tool, equals, hasServer: false, flaw };
  const byServer = tool.server === '' ? [] : await searches.upTo(tool.name, `${tool.server} ${first}`);
  return { tool, equals, hasServer: byServer[0]?.name === tool.name, flaw };
}

/** Queries of the tool's own words: the first sentence before others. None has its name as such: users do not know it. */
function ownQueries({ document, bareName }: LintedTool): readonly string[] {
  const { description, title, parameters } = document;
  const sentence = firstSentence(document);
  const name = splitIdentifier(bareName).filter((word) => !NUMBERED.test(word));
  const inputs = parameters.slice(0, 20).map((parameter) => `${parameter.name} ${parameter.description}`);
  // A description that names another tool would ask for that one.
  const told = description
    .split(' ')
    .filter((word) => !word.includes('_'))
    .join(' ');
  const queries = [sentence, told, `${sentence} ${name.join(' ')}`, `${sentence} ${title} ${inputs.join(' ')}`];
  return [...new Set(queries.map((query) => query.trim()).filter((query) => query !== ''))];
}

/** All of a tool that its searches depend on, as a text. */
function wordsOf(tool: LintedTool): string {
  return JSON.stringify([tool.server, ...ownQueries(tool)]);
}

/** Searches for texts of tools. */
interface Searches {
  /**
   * The matches of a text, best first, down to those that are equal to the tool; all where it is not among them. What lies
   * behind is thousands of tools in a large catalog, and is not put in order.
   */
  upTo(name: string, text: string): Promise<readonly ToolMatch[]>;
  readonly index: Parameters<typeof missOf>[3];
}

function searchesOf(index: IncrementalIndex): Searches {
  const contest = index.contest?.();
  /** Cache: rankings of the last texts, as tools of one server may begin with the same sentence. */
  const rankings = new Lru<Ranking>(MAX_RANKINGS);
  const ranked = async (name: string, text: string): Promise<readonly ToolMatch[]> => {
    const ranking = rankings.get(text) ?? (await rankingOf(queryOf(text), index));
    rankings.set(text, ranking);
    const matches: ToolMatch[] = [];
    let least = Number.NEGATIVE_INFINITY;
    for (let at = 0; ; at++) {
      const match = ranking(at);
      if (!match || match.score < least) return matches;
      matches.push(match);
      if (match.name === name) least = leastOf(match);
    }
  };
  return {
    upTo: async (name, text) => contest?.upTo(name, queryOf(text)) ?? ranked(name, text),
    index: contest ? { explain: (query, name) => ({ words: contest.wordsOf(name, query) }) } : index,
  };
}

/** A text as a query: a description is none of exact names, and its plus signs want nothing. */
function queryOf(text: string): ToolQuery {
  const { text: trimmed, keywords } = parseQuery(text.replace(/^\s*select\s*:/i, ' '));
  return { text: trimmed, keywords, required: [] };
}

type Ranking = (at: number) => ToolMatch | undefined;

const MAX_RANKINGS = 8;

/** Ranks as far as somebody looks. */
async function rankingOf(query: ToolQuery, index: IncrementalIndex): Promise<Ranking> {
  const matches = (await (index.ranked ? index.ranked(query) : index.search(query)))[Symbol.iterator]();
  const read: ToolMatch[] = [];
  return (at) => {
    while (read.length <= at) {
      const { done, value } = matches.next();
      if (done) return undefined;
      read.push(value);
    }
    return read[at];
  };
}

function leastOf({ score }: ToolMatch): number {
  return score * (1 - ROUNDING);
}

function rivalsOf(name: string, matches: readonly ToolMatch[]): readonly string[] {
  const own = matches.find((match) => match.name === name);
  const least = own ? leastOf(own) : 0;
  return matches.filter((match) => match.name !== name && match.score >= least).map((match) => match.name);
}

async function late(
  { name }: LintedTool,
  sentence: string,
  matches: readonly ToolMatch[],
  { index }: Searches,
  topK: number,
): Promise<Flaw | undefined> {
  const ranked = matches.map((match) => match.name);
  const place = ranked.indexOf(name);
  if (place === 0) return undefined;
  const { instead, word } = await missOf(parseQuery(sentence), ranked, [name], index);
  const by = word === undefined ? '' : `, by ${quote(word)}`;
  const own = place < 0 ? 'does not find this one' : `has this one at place ${place + 1}`;
  return {
    ...{ toolName: name, path: 'description' },
    ...(instead === undefined ? {} : { others: [instead] }),
    severity: place < 0 || place >= topK ? 'error' : 'warning',
    evidence:
      instead === undefined
        ? `A search for ${quote(sentence)} finds nothing.`
        : `A search for ${quote(sentence)} finds ${quote(instead)} first${by}, and ${own}.`,
    remedy:
      instead === undefined
        ? 'Begin with a sentence that says what the tool does, to what.'
        : `Begin with a sentence that says what this tool does and ${quote(instead)} does not.`,
  };
}

/** One finding for each set of tools that no query tells apart. */
function indistinguishable(asked: readonly OwnWords[]): readonly Flaw[] {
  const reported = new Set<string>();
  return asked.flatMap(({ tool, equals, hasServer }): readonly Flaw[] => {
    if (equals.length === 0 || reported.has(tool.name)) return [];
    for (const name of [tool.name, ...equals]) reported.add(name);
    return [
      {
        ...{ severity: hasServer ? 'warning' : 'error', toolName: tool.name, others: equals },
        evidence: `No query of the words of ${quote(tool.name)} ranks it before ${list(equals)}${hasServer ? `, unless it says ${quote(tool.server)}` : ''}.`,
        remedy: 'Say in each what the other does not do, give it keywords of its own, or take one away.',
      },
    ];
  });
}
