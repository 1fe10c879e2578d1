import type { MastraTool, ToolSearchProcessorOptions } from '../../../index.ts';
import { asRecord, estimateTokens, Groups, given, isRecord, listedTools, serverOf } from '../../../kit.ts';
import { grouped } from '../../grouped.ts';
import { catalogOptions, type LoadedCatalog, loadCatalog } from '../catalog/load.ts';
import type { Call, Command } from '../command.ts';
import type { AskedTool, AssumedConversation, CachePrices, Cost, SentTool } from '../costs.ts';
import { readCasesFile, scorerOption, scorersOf } from '../inputs.ts';
import { counted, formatOf, numbers, type Page, percent, printResult, several } from '../output.ts';
import { OK, type Terminal } from '../terminal.ts';

export const tokensCommand: Command = {
  name: 'tokens',
  summary: 'Say what the definitions cost, sent all at once or searched.',
  usage: 'CATALOG',
  about: [
    'What a mode sends is read off the processor itself, for each query: its meta-tools, its system text, its results. The queries are the first sentences of some tools, or those of --cases. Tokens are estimated.',
    'A conversation is so many model calls over a prompt of so many tokens, in which so many tools are used. The column "cached" has tokens at the prices of a prompt cache; "pays from" says from how many such tools on a mode reads less than all definitions do, without and with a cache.',
  ],
  options: {
    cases: { hint: 'FILE', text: 'Queries of users, as for eval' },
    calls: { hint: 'N', text: 'Model calls of a conversation without searching (3)' },
    used: { hint: 'N', text: 'Tools that it uses (1)' },
    prompt: { hint: 'TOKENS', text: 'System text and history, the mean over its calls (1000)' },
    'cache-read': { hint: 'PRICE', text: 'Of a token that the cache has, against 1 (0.1)' },
    'cache-write': { hint: 'PRICE', text: 'Of a token that it has not (1.25)' },
    samples: { hint: 'N', text: 'Queries that are tried, at most (20)' },
    top: { short: 'n', hint: 'N', text: 'Tools that are listed, the heaviest first (10)' },
    scorer: scorerOption,
    ...catalogOptions,
  },
  examples: [
    ['tokens tools.json', 'all modes, servers and the heaviest tools'],
    ['tokens mcp.json --calls 10 --used 3 --prompt 10000', 'a longer conversation'],
    ['tokens tools.json --cases cases.jsonl', 'with the words of your users'],
  ],
  run,
};

/** What a mode costs. */
interface ModeCost extends Cost {
  readonly mode: string;
  /** The share of the tokens of sending all that it saves. */
  readonly saved: number;
  readonly paysFrom?: number;
  readonly paysFromCached?: number;
}

/** What a catalog costs. The JSON output is this. */
interface Result {
  readonly catalog: string;
  readonly tools: number;
  /** Tokens of all definitions. */
  readonly tokens: number;
  readonly conversation: AssumedConversation;
  readonly prices: CachePrices;
  readonly queries: number;
  readonly modes: readonly ModeCost[];
  readonly servers: readonly { readonly server: string; readonly tools: number; readonly tokens: number }[];
  readonly heaviest: readonly Heavy[];
}

interface Heavy {
  readonly tool: string;
  readonly tokens: number;
  /** The parts of that. */
  readonly description: number;
  readonly parameters: number;
}

async function run(call: Call): Promise<number> {
  const { terminal, values } = call;
  formatOf(call);
  const calls = values.whole('calls', 1) ?? 3;
  const used = values.whole('used', 0, calls) ?? Math.min(1, calls);
  const conversation: AssumedConversation = { calls, used, prompt: values.whole('prompt', 0) ?? 1_000 };
  const prices: CachePrices = {
    read: values.number('cache-read', 0) ?? 0.1,
    write: values.number('cache-write', 0) ?? 1.25,
  };
  const samples = values.whole('samples', 1) ?? 20;
  const top = values.whole('top', 0) ?? 10;
  const { catalog } = await loadCatalog(call);
  const { tools, keywords, groups } = catalog;
  const [scorer] = await scorersOf(call, catalog);
  const options = { tools, search: given({ keywords, scorer }), ...given({ groups }) } as ToolSearchProcessorOptions;
  const { costOfAll, costOfMode, definitionsOf, measure, MEASURED_MODES, paysFrom } = await import('../costs.ts');
  terminal.progress('Reading definitions…');
  const sent = await definitionsOf(options);
  const tokensOf = new Map(sent.map((tool) => [tool.name, estimateTokens(JSON.stringify(tool))]));
  const sum = (names: readonly string[]): number => names.reduce((total, name) => total + (tokensOf.get(name) ?? 0), 0);
  const tokens = sum(sent.map(({ name }) => name));
  const asked = evenly(await askedOf(call, catalog, sent), samples);
  const all = costOfAll(tokens, conversation, prices);
  const modes: ModeCost[] = [{ mode: 'all sent', ...all, saved: 0 }];
  for (const mode of MEASURED_MODES) {
    const say = (): void => terminal.progress(`Measuring ${mode.name} (${modes.length}/${MEASURED_MODES.length})…`);
    const measured = await measure(mode, options, asked, (name) => tokensOf.get(name) ?? 0, say);
    const cost = costOfMode(mode, measured, conversation, prices);
    const each = tokens / sent.length;
    modes.push({
      ...{ mode: mode.name, ...cost, saved: 1 - cost.tokens / all.tokens },
      paysFrom: paysFrom(cost.tokens, each, conversation),
      ...(prices.read > 0 ? { paysFromCached: paysFrom(cost.cached, each, conversation, prices.read) } : {}),
    });
  }
  const result: Result = {
    ...{ catalog: catalog.title, tools: sent.length, tokens, conversation, prices, queries: asked.length, modes },
    servers: serversOf(sent, catalog, sum),
    heaviest: sent.map(heavyOf).toSorted((one, other) => other.tokens - one.tokens),
  };
  printResult(call, result, (page) => write(result, top, page, terminal));
  return OK;
}

/** The queries of the cases, else the first sentences of the tools' descriptions. */
async function askedOf(
  { values, terminal }: Call,
  catalog: LoadedCatalog,
  sent: readonly SentTool[],
): Promise<readonly AskedTool[]> {
  const file = values.text('cases');
  const cases = file === undefined ? catalog.cases : await readCasesFile(file, terminal);
  const fitting = cases?.filter(({ relevant }) => relevant.length > 0) ?? [];
  if (fitting.length > 0) return fitting;
  return sent.map(({ name, description }) => ({ query: firstSentence(description) || name, relevant: [name] }));
}

function firstSentence(text: string): string {
  const line = text.trim().split('\n')[0] ?? '';
  const end = line.indexOf('. ');
  return (end === -1 ? line : line.slice(0, end)).slice(0, 200);
}

function evenly<Item>(items: readonly Item[], count: number): readonly Item[] {
  if (items.length <= count) return items;
  return Array.from({ length: count }, (_, at) => items[Math.floor((at * items.length) / count)] as Item);
}

function serversOf(
  sent: readonly SentTool[],
  { tools, groups = serverOf }: LoadedCatalog,
  sum: (names: readonly string[]) => number,
): Result['servers'] {
  const toolGroups = new Groups(groups);
  // Tools are called by their ids, or by their keys.
  const known = new Map(
    listedTools(tools).flatMap((one) => [[one.key, one] as const, [`${asRecord(one.tool)?.['id']}`, one] as const]),
  );
  const byServer = grouped(sent, ({ name }) => {
    const { tool, toolset = '' } = known.get(name) ?? {};
    const group = isRecord(tool) ? toolGroups.describe({ ...tool, id: name } as unknown as MastraTool).name : '';
    return group || toolset;
  });
  return [...byServer]
    .map(([server, own]) => ({ server, tools: own.length, tokens: sum(own.map(({ name }) => name)) }))
    .toSorted((one, other) => other.tokens - one.tokens);
}

function heavyOf({ name, description, parameters }: SentTool): Heavy {
  return {
    tool: name,
    tokens: estimateTokens(JSON.stringify({ name, description, parameters })),
    description: estimateTokens(description),
    parameters: estimateTokens(JSON.stringify(parameters ?? {})),
  };
}

function write(result: Result, top: number, page: Page, { colors }: Terminal): void {
  const { conversation, prices, servers, heaviest, modes, tools, tokens } = result;
  const perTool = `${counted(Math.round(tokens / tools))} a tool`;
  page.heading(`${result.catalog}: ${several(tools, 'tool')}, ${counted(tokens)} tokens, ${perTool}`);
  const columns = (name: string, ...others: readonly string[]) => [
    { title: name, paint: colors.bold },
    ...others.map(numbers),
  ];
  page.table(
    columns('mode', 'calls', 'first call', 'conversation', 'saved', 'cached', 'pays from'),
    modes.map((one) => {
      const from = [one.paysFrom, one.paysFromCached].filter((count) => count !== undefined).map(counted);
      const saved = one.paysFrom === undefined ? '' : percent(one.saved);
      return [
        ...[one.mode, one.calls.toFixed(1), Math.round(one.first), Math.round(one.tokens), saved],
        ...[Math.round(one.cached), from.join(' / ')],
      ];
    }),
  );
  const { calls, used, prompt } = conversation;
  page.text(
    `Estimated tokens. A conversation: ${calls} model calls (--calls) over ${counted(prompt)} tokens of prompt and history (--prompt), ${used} of the tools used (--used), looked for with ${result.queries} queries in turn. Cached: ${prices.read} of the price to read, ${prices.write} to write. Pays from: so many tools, without / with a cache.`,
    colors.dim,
  );
  const share = (part: number): string => percent(part / tokens);
  if (servers.length > 1)
    page.table(
      columns('server', 'tools', 'tokens', 'share'),
      servers.map((one) => [one.server || 'none', one.tools, one.tokens, share(one.tokens)]),
    );
  page.table(
    columns('tool', 'tokens', 'share', 'description', 'parameters'),
    heaviest.slice(0, top).map((one) => [one.tool, one.tokens, share(one.tokens), one.description, one.parameters]),
  );
}
