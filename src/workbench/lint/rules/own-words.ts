import { definitionTexts, type IncrementalIndex, parseQuery, type ToolMatch, type ToolQuery } from '../../../kit.ts';
import { Lru } from '../../../util/lru.ts';
import { splitIdentifier } from '../../../util/words.ts';
import { missOf } from '../../evaluate/measure.ts';
import { firstSentence } from '../../first-sentence.ts';
import type { Flaw, LintedTool, Rules, Run } from '../rule.ts';

const { list, quote } = definitionTexts;

/** A tool that a search by its own words finds late, or not alone. */
interface OwnWords {
  readonly tool: LintedTool;
  /** The tools that none of its own queries ranks behind it, in the order of the catalog's search. */
  readonly equals: readonly string[];
  /** Whether its server's name tells it apart from `equals`. */
  readonly hasServer: boolean;
  /** The flaw if the search by its first sentence does not find it first. */
  readonly flaw: Flaw | undefined;
}

/** Tolerance within which scores are equal, for rounding errors in sums. */
const ROUNDING = 1e-9;
/** Numbers and versions in names, which nobody searches for. */
const NUMBERED = /^v?\d+$/;

/** Findings of searches by a tool's own words. Both rules share the searches. */
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

/** Cache: the searches of a check. */
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
    // Tools with the same words are searched once: the first one's finding names the others.
    const text = wordsOf(tool);
    const own = equals.get(text)?.has(tool.name) ? undefined : await askByOwnWords(tool, searches, run.topK);
    if (own) found.push(own);
    if (own && !equals.has(text)) equals.set(text, new Set(own.equals));
    run.compared(at + 1);
    await run.pause();
  }
  return found;
}

/** Searches for a tool by its own words. Undefined if it has none, or if they find it first and alone. */
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

/** Queries from the tool's own words, the first sentence first. None has the exact name, which users do not know. */
function ownQueries({ document, bareName }: LintedTool): readonly string[] {
  const { description, title, parameters } = document;
  const sentence = firstSentence(document);
  const name = splitIdentifier(bareName).filter((word) => !NUMBERED.test(word));
  const inputs = parameters.slice(0, 20).map((parameter) => `${parameter.name} ${parameter.description}`);
  // Words with "_" are removed, because naming another tool would search for that tool.
  const told = description
    .split(' ')
    .filter((word) => !word.includes('_'))
    .join(' ');
  const queries = [sentence, told, `${sentence} ${name.join(' ')}`, `${sentence} ${title} ${inputs.join(' ')}`];
  return [...new Set(queries.map((query) => query.trim()).filter((query) => query !== ''))];
}

/** A key with everything on which the tool's searches depend. */
function wordsOf(tool: LintedTool): string {
  return JSON.stringify([tool.server, ...ownQueries(tool)]);
}

/** Searches for texts of tools. */
interface Searches {
  /**
   * The matches of a text, best first, down to those equal to the tool; all if the tool is not among them. The rest may be
   * thousands of tools in a large catalog, and is not sorted.
   */
  upTo(name: string, text: string): Promise<readonly ToolMatch[]>;
  readonly index: Parameters<typeof missOf>[3];
}

function searchesOf(index: IncrementalIndex): Searches {
  const contest = index.contest?.();
  /** Cache: rankings of the last texts, because tools of one server may begin with the same sentence. */
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

/** Makes a query of a text, in which `select:` and plus signs have no special meaning. */
function queryOf(text: string): ToolQuery {
  const { text: trimmed, keywords } = parseQuery(text.replace(/^\s*select\s*:/i, ' '));
  return { text: trimmed, keywords, required: [] };
}

type Ranking = (at: number) => ToolMatch | undefined;

const MAX_RANKINGS = 8;

/** Ranks lazily, as far as the caller reads. */
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
