import { messageOf } from '../../../errors.ts';
import type { MatchExplanation, SearchResult, SearchVerdict, ToolSearchEvent } from '../../../index.ts';
import { verdictOfAny } from '../../../kit.ts';
import { restOf, scoreParts, scoreText } from '../../parts.ts';
import { catalogOptions, loadCatalog } from '../catalog/load.ts';
import type { Call, Command } from '../command.ts';
import { embedderOption, scorerOption, scorersOf } from '../inputs.ts';
import { formatOf, numbers, type Page, percent, printResult } from '../output.ts';
import { OK, shown, type Terminal, UsageError } from '../terminal.ts';

export const searchCommand: Command = {
  name: 'search',
  summary: 'Rank the tools for a query, as a model that searches is shown them.',
  usage: 'CATALOG [QUERY…]',
  about: [
    'Several queries are searched one by one. Without a query, each line of stdin is one. As for a model, "+word" requires a word, and "select:name" names a tool.',
  ],
  options: {
    scorer: scorerOption,
    embedder: embedderOption,
    top: { short: 'n', hint: 'N', text: 'Results of a query (10)' },
    explain: { text: 'Show what each score is the sum of' },
    ...catalogOptions,
  },
  examples: [
    ['search tools.json "send an email"', 'tools in a file'],
    ['search tools.ts "send an email" --scorer ./my-scorer.ts', 'your own ranking'],
    ['search --mcp "npx -y @modelcontextprotocol/server-github" "open a ticket"', 'the tools of a server'],
    ['search tools.json "write to a colleague" -n 3 --explain', 'why each is there'],
    ['search mcp.json --json < queries.txt', 'many queries, for a program'],
  ],
  run,
};

/** Number of results that a model is shown by default; the verdict is about these. */
const SHOWN = 5;

interface Answer extends Verdict {
  readonly query: string;
  readonly results: readonly SearchResult[];
}

interface Verdict {
  /** The verdict that a model would get, as events name it. Absent if the scorer gives no confidence. */
  readonly verdict?: SearchVerdict;
  /** The likelihood that one of the first five results fits, or one of `--top` if that is less. */
  readonly likelihood?: number;
}

async function run(call: Call): Promise<number> {
  const { terminal, values } = call;
  formatOf(call);
  const top = values.whole('top', 1) ?? 10;
  checkQueries(call);
  const { catalog, rest } = await loadCatalog(call, Number.POSITIVE_INFINITY);
  const queries = rest.length > 0 ? rest : await queriesOfInput(call);
  const [first, ...others] = await scorersOf(call, catalog);
  const isMeaning = values.text('embedder') !== undefined;
  if (others.length > (isMeaning ? 1 : 0) && values.text('scorer') !== undefined)
    throw new UsageError('A search takes one scorer.');
  const scorer = isMeaning ? others.at(-1) : first;
  const { ToolSearchProcessor } = await import('../../../index.ts');
  const denied = new Map<string, string>();
  const { title, tools, keywords = {}, filter, groups, requestContext } = catalog;
  const processor = new ToolSearchProcessor({
    tools: tools as never,
    search: { keywords, ...(scorer ? { scorer } : {}) },
    ...(filter ? { filter } : {}),
    ...(groups ? { groups } : {}),
    onEvent: (event: ToolSearchEvent) => {
      if (event.type === 'filter-failed') denied.set(event.toolName, messageOf(event.error));
    },
  });
  // Silences the logger: the command prints an error once, in its own form.
  processor.__registerMastra({ getLogger: () => ({ warn: () => {} }) } as never);
  const request = { explain: true, ...(requestContext ? { requestContext } : {}) };
  const answers: Answer[] = [];
  for (const [at, query] of queries.entries()) {
    terminal.progress(`Searching (${at + 1}/${queries.length})…`);
    const results = await processor.search(query, { ...request, limit: top });
    // Confidences refer to the results shown together, so the first five are searched by themselves.
    const first = top <= SHOWN ? results : await processor.search(query, { ...request, limit: SHOWN });
    answers.push({ query, ...verdictOf(first), results });
  }
  const [fault] = denied;
  if (fault) {
    const others = denied.size > 1 ? ` and ${denied.size - 1} more` : '';
    terminal.warn(`The filter failed for ${shown(fault[0])}${others}, which counts as a denial: ${shown(fault[1])}`);
  }
  const json = { catalog: title, tools: Object.keys(tools).length, scorer: scorer?.name, queries: answers };
  printResult(call, json, (page) => {
    for (const answer of answers) {
      write(answer, page, terminal, Math.min(top, SHOWN), answers.length > 1);
      if (values.flag('explain')) explain(answer, page, terminal);
    }
  });
  return OK;
}

const NO_QUERY = 'What to search for? Put the query behind the catalog, in quotes, or queries into stdin, one a line.';

/** @throws UsageError for an empty query, e.g. an unset shell variable, and for no query at a keyboard. */
function checkQueries({ positionals, values, terminal }: Call): void {
  const isServer = values.texts('mcp').length > 0;
  const queries = isServer ? positionals : positionals.slice(1);
  const isMissing = queries.length === 0 && !terminal.hasInput && (isServer || positionals.length > 0);
  if (isMissing || queries.some((query) => query.trim() === '')) throw new UsageError(NO_QUERY);
}

async function queriesOfInput({ terminal, positionals }: Call): Promise<readonly string[]> {
  const isFree = terminal.hasInput && positionals[0] !== '-';
  const lines = isFree ? (await terminal.input()).split('\n').map((line) => line.trim()) : [];
  const queries = lines.filter((line) => line !== '');
  if (queries.length > 0) return queries;
  throw new UsageError(NO_QUERY);
}

function verdictOf(results: readonly SearchResult[]): Verdict {
  if (results.length === 0) return { verdict: 'nothing', likelihood: 0 };
  if (results.some(({ confidence }) => confidence === undefined)) return {};
  const { likelihood, isWeak } = verdictOfAny(results.map(({ confidence }) => confidence));
  return { verdict: isWeak ? 'weak' : 'fits', likelihood };
}

/** Writes an answer; its query is the heading if there are several queries. */
function write(
  { query, results, verdict, likelihood = 0 }: Answer,
  page: Page,
  { colors }: Terminal,
  count: number,
  isOneOfSeveral: boolean,
): void {
  if (isOneOfSeveral || page.isMarkdown) page.heading(query);
  page.table(
    [
      numbers('#'),
      { title: 'tool', paint: colors.bold },
      numbers('score'),
      numbers('likely'),
      { title: 'by', isWide: true },
    ],
    results.map(({ name, score, confidence, explanation }, at) => [
      ...[at + 1, name, score.toPrecision(3), confidence === undefined ? '' : percent(confidence)],
      explanation ? wordsOf(explanation) || 'meaning' : '',
    ]),
  );
  const chance = percent(likelihood);
  const which = count === 1 ? 'the first' : `one of the first ${count}`;
  if (verdict === 'nothing') page.text('Nothing matches.', colors.yellow);
  if (verdict === 'weak')
    page.text(`A model is told that no tool clearly matches: ${which} fits with ${chance}.`, colors.yellow);
  if (verdict === 'fits')
    page.text(`${which.charAt(0).toUpperCase()}${which.slice(1)} fits: ${chance} likely.`, colors.green);
}

/** Names for the parts of a score that are not words. */
const OTHERS = { meaning: 'meaning', tool: 'verb and length' } as const;

/** Writes the parts of each result's score. */
function explain({ results }: Answer, page: Page, { colors }: Terminal): void {
  for (const { name, score, explanation } of results) {
    if (!explanation) continue;
    const { words, others } = scoreParts(explanation);
    const rest = restOf(score, [...words, ...others]);
    const rows = [
      ...words.map((word) => [word.word, word.score > 0 ? foundBy(word) : 'not found', scoreText(word.score)]),
      ...others.map((part) => [OTHERS[part.of], '', scoreText(part.score)]),
      ...(rest === 0 ? [] : [['coverage and name', '', scoreText(rest)]]),
      ['score', '', scoreText(score)],
    ];
    page.heading(name);
    page.table([{ title: 'part', paint: colors.bold }, { title: 'found', isWide: true }, numbers('adds')], rows);
  }
}

/** The query's words that found the tool, each with the matched word and field. */
function wordsOf({ words }: MatchExplanation): string {
  return words
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .map(foundBy)
    .join(', ');
}

function foundBy({ word, found, by, fields }: MatchExplanation['words'][number]): string {
  const [field] = Object.entries(fields).sort(([, one], [, other]) => other - one)[0] ?? [''];
  // The word occurs in the server's instructions, not in the tool.
  if (by === 'server') return `${word} (server's instructions)`;
  const via = by === 'word' || found === word || found === '' ? word : `${word} → ${found}`;
  return field === '' ? via : `${via} (${field})`;
}
