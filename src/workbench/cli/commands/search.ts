import type { MatchExplanation, SearchResult, SearchVerdict, ToolSearchEvent } from '../../../index.ts';
import { messageOf, verdictOfAny } from '../../../kit.ts';
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

/** Results that a model is shown by default: what is said of them all is about these. */
const SHOWN = 5;

interface Answer extends Verdict {
  readonly query: string;
  readonly results: readonly SearchResult[];
}

interface Verdict {
  /** What a model would be told, as events name it. Left out where the scorer gives no confidence. */
  readonly verdict?: SearchVerdict;
  /** How likely it is that one of the first five fits, or of those that are asked for where they are fewer. */
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
  // What fails is said once, in the command's own form.
  processor.__registerMastra({ getLogger: () => ({ warn: () => {} }) } as never);
  const request = { explain: true, ...(requestContext ? { requestContext } : {}) };
  const answers: Answer[] = [];
  for (const [at, query] of queries.entries()) {
    terminal.progress(`Searching (${at + 1}/${queries.length})…`);
    const results = await processor.search(query, { ...request, limit: top });
    // Confidences are about what is shown together.
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

/** @throws UsageError for a query without a word, as of a shell's variable that is not set, and for none at a keyboard. */
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

/** Writes an answer; the query only where there are several. */
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

/** What is added besides words, as it is called here. */
const OTHERS = { meaning: 'meaning', tool: 'verb and length' } as const;

/** Writes what the score of each result is the sum of. */
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

/** The words of a query that found the tool, with what they found, and where. */
function wordsOf({ words }: MatchExplanation): string {
  return words
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .map(foundBy)
    .join(', ');
}

function foundBy({ word, found, by, fields }: MatchExplanation['words'][number]): string {
  const [field] = Object.entries(fields).sort(([, one], [, other]) => other - one)[0] ?? [''];
  // A server says the word of all its tools: none of them has it.
  if (by === 'server') return `${word} (server's instructions)`;
  const via = by === 'word' || found === word || found === '' ? word : `${word} → ${found}`;
  return field === '' ? via : `${via} (${field})`;
}
