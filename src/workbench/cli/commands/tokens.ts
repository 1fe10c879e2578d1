import type { EvaluationCase } from '../../../entries/evaluate.ts';
import type { MastraTool, ToolSearchProcessorOptions } from '../../../index.ts';
import { asRecord, estimateTokens, Groups, isRecord, listedTools, serverOf } from '../../../kit.ts';
import { catalogOptions, type LoadedCatalog, loadCatalog } from '../catalog/load.ts';
import type { Call, Command } from '../command.ts';
import { wrapped } from '../help.ts';
import { scorerOption, scorersOf } from '../inputs.ts';
import { type Column, counted, escaped, type Format, formatOf, percent, several, table } from '../output.ts';
import type { Terminal } from '../terminal.ts';
import { OK } from '../terminal.ts';
import {
  type AssumedConversation,
  type CachePrices,
  type Cost,
  costOfAll,
  costOfMode,
  paysFrom,
} from '../tokens/cost.ts';
import type { AskedTool, SentTool } from '../tokens/measure.ts';

export const tokensCommand: Command = {
  name: 'tokens',
  summary: 'Say what the definitions cost, sent all at once or searched.',
  usage: 'CATALOG',
  about: [
    'What a mode sends is read off the processor itself, for each query: its meta-tools, its system text, its results. The queries are the first sentences of some tools, or those of --cases. Tokens are estimated.',
    'A conversation is so many model calls over a prompt of so many tokens, in which so many tools are used. The column "cached" has tokens at the prices of a prompt cache; "pays from" says from how many such tools on a mode reads less than all definitions do, without and with a cache.',
  ],
  options: {
    cases: { type: 'string', hint: 'FILE', isFile: true, text: 'Queries of users, as for eval' },
    calls: { type: 'string', hint: 'N', text: 'Model calls of a conversation without searching (3)' },
    used: { type: 'string', hint: 'N', text: 'Tools that it uses (1)' },
    prompt: { type: 'string', hint: 'TOKENS', text: 'System text and history, the mean over its calls (1000)' },
    'cache-read': { type: 'string', hint: 'PRICE', text: 'Of a token that the cache has, against 1 (0.1)' },
    'cache-write': { type: 'string', hint: 'PRICE', text: 'Of a token that it has not (1.25)' },
    samples: { type: 'string', hint: 'N', text: 'Queries that are tried, at most (20)' },
    top: { type: 'string', short: 'n', hint: 'N', text: 'Tools that are listed, the heaviest first (10)' },
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

/** What is said of a catalog. The JSON output is this. */
interface Told {
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
  const format = formatOf(call);
  const whole = (name: string, least: number, otherwise: number): number =>
    values.number(name, { least, isWhole: true }) ?? otherwise;
  const calls = whole('calls', 1, 3);
  const used = values.number('used', { least: 0, most: calls, isWhole: true }) ?? Math.min(1, calls);
  const conversation: AssumedConversation = { calls, used, prompt: whole('prompt', 0, 1_000) };
  const prices: CachePrices = {
    read: values.number('cache-read', { least: 0 }) ?? 0.1,
    write: values.number('cache-write', { least: 0 }) ?? 1.25,
  };
  const samples = whole('samples', 1, 20);
  const top = whole('top', 0, 10);
  const { catalog } = await loadCatalog(call);
  const options = await optionsOf(call, catalog);
  const { definitionsOf, measure, MEASURED_MODES } = await import('../tokens/measure.ts');
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
  const told: Told = {
    ...{ catalog: catalog.title, tools: sent.length, tokens, conversation, prices, queries: asked.length, modes },
    servers: serversOf(sent, catalog, sum),
    heaviest: sent.map(heavyOf).toSorted((one, other) => other.tokens - one.tokens),
  };
  terminal.print(format === 'json' ? JSON.stringify(told, null, 2) : pageOf(told, top, format, terminal));
  return OK;
}

async function optionsOf(
  call: Call,
  { tools, keywords, groups, scorers }: LoadedCatalog,
): Promise<ToolSearchProcessorOptions> {
  const [scorer] = await scorersOf(call, { title: '', tools, ...(scorers ? { scorers } : {}) });
  return {
    tools: tools as NonNullable<ToolSearchProcessorOptions['tools']>,
    search: { ...(keywords ? { keywords } : {}), ...(scorer ? { scorer } : {}) },
    ...(groups ? { groups } : {}),
  };
}

/** The queries of the cases, else the first sentences of the tools' descriptions. */
async function askedOf(
  { values, terminal }: Call,
  catalog: LoadedCatalog,
  sent: readonly SentTool[],
): Promise<readonly AskedTool[]> {
  const file = values.text('cases');
  const cases: readonly EvaluationCase[] | undefined =
    file === undefined ? catalog.cases : await (await import('../inputs.ts')).readCasesFile(file, terminal);
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
): Told['servers'] {
  const toolGroups = new Groups(groups);
  // Tools are called by their ids, or by their keys.
  const known = new Map(
    listedTools(tools).flatMap((one) => [[one.key, one] as const, [`${asRecord(one.tool)?.['id']}`, one] as const]),
  );
  const byServer = new Map<string, string[]>();
  for (const { name } of sent) {
    const { tool, toolset = '' } = known.get(name) ?? {};
    const server =
      (isRecord(tool) && toolGroups.describe({ ...tool, id: name } as unknown as MastraTool).name) || toolset;
    byServer.set(server, [...(byServer.get(server) ?? []), name]);
  }
  return [...byServer]
    .map(([server, names]) => ({ server, tools: names.length, tokens: sum(names) }))
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

function pageOf(told: Told, top: number, format: Format, terminal: Terminal): string {
  const { conversation, prices, servers, heaviest, modes } = told;
  const { colors } = terminal;
  const isMarkdown = format === 'markdown';
  const heading = (text: string): string => (isMarkdown ? `### ${escaped(text)}` : colors.bold(text));
  const number = (title: string): Column => ({ title, isNumber: true });
  const round = (value: number): number => Math.round(value);
  const modeColumns = [
    { title: 'mode', paint: colors.bold },
    ...['calls', 'first call', 'conversation', 'saved', 'cached', 'pays from'].map(number),
  ];
  const modeRows = modes.map((one) => [
    ...[one.mode, one.calls.toFixed(1), round(one.first), round(one.tokens)],
    ...[one.paysFrom === undefined ? '' : percent(one.saved), round(one.cached)],
    one.paysFrom === undefined
      ? ''
      : [one.paysFrom, one.paysFromCached].flatMap((from) => (from === undefined ? [] : counted(from))).join(' / '),
  ]);
  const { calls, used, prompt } = conversation;
  const assumed = `Estimated tokens. A conversation: ${calls} model calls (--calls) over ${counted(prompt)} tokens of prompt and history (--prompt), ${used} of the tools used (--used), looked for with ${told.queries} queries in turn. Cached: ${prices.read} of the price to read, ${prices.write} to write. Pays from: so many tools, without / with a cache.`;
  const perTool = told.tokens / told.tools;
  return [
    heading(
      `${told.catalog}: ${several(told.tools, 'tool')}, ${counted(told.tokens)} tokens, ${counted(round(perTool))} a tool`,
    ),
    table(modeColumns, modeRows, format, terminal),
    isMarkdown ? assumed : wrapped(assumed, terminal.columns).map(colors.dim).join('\n'),
    ...(servers.length > 1
      ? [
          table(
            [{ title: 'server', paint: colors.bold }, ...['tools', 'tokens', 'share'].map(number)],
            servers.map(({ server, tools, tokens }) => [
              server || 'none',
              tools,
              tokens,
              percent(tokens / told.tokens),
            ]),
            format,
            terminal,
          ),
        ]
      : []),
    ...(top > 0
      ? [
          table(
            [{ title: 'tool', paint: colors.bold }, ...['tokens', 'share', 'description', 'parameters'].map(number)],
            heaviest
              .slice(0, top)
              .map((one) => [one.tool, one.tokens, percent(one.tokens / told.tokens), one.description, one.parameters]),
            format,
            terminal,
          ),
        ]
      : []),
  ].join('\n\n');
}
