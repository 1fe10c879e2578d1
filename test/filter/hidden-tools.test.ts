import type { MastraTool, ToolSearchFilter, ToolSearchProcessorOptions } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { pick, type Random, randomFrom } from '../bench/speed/random.ts';
import { callIn, Session } from '../meta-tools/session.ts';
import { toolRecord } from '../support/agent.ts';
import { essence } from '../support/events.ts';
import { realTools } from '../support/real-tools.ts';

type Options = Omit<ToolSearchProcessorOptions, 'tools' | 'filter'>;

/** A catalog of which a part is forbidden, and what is done with it. */
interface Case {
  readonly tools: readonly MastraTool[];
  readonly forbidden: ReadonlySet<string>;
  readonly options: Options;
  /** Calls of a request, step by step. */
  readonly calls: readonly { readonly name: 'search_tools' | 'load_tool' | 'call_tool'; readonly input: object }[];
}

/** Words that no tool has. */
const UNKNOWN = ['qqqq', 'xyzzyfrob', 'pneumonoultra'];
const OPTIONS: readonly Options[] = [
  {},
  {},
  {},
  { search: { minConfidence: 0.3 } },
  { search: { autoLoad: true } },
  { search: { topK: 1 } },
  { injectCatalog: true },
  { injectCatalog: 'names', passthroughBelow: 4 },
  { passthroughBelow: { tools: 30, tokens: 4_000 } },
  { metaTools: { unload: true } },
  { mode: 'call' },
  { mode: 'call', injectCatalog: 'names', search: { minConfidence: 0.3 } },
  { onMiss: 'error' },
];

/** A random case, whose queries are about what is forbidden as often as about what is not. */
function randomCase(all: readonly MastraTool[], random: Random): Case {
  const tools = someOf(all, random);
  const forbidden = forbiddenOf(tools, random);
  const count = 2 + Math.floor(random() * 5);
  const calls = Array.from({ length: count }, () => callOf(tools, random));
  const options = pick(OPTIONS, random);
  return {
    tools,
    forbidden: new Set(forbidden),
    options,
    calls: options.mode === 'call' ? calls.map((one) => throughBridge(one)) : calls,
  };
}

/** A load as a call of the tool through the bridge. */
function throughBridge({ name, input }: Case['calls'][number]): Case['calls'][number] {
  if (name !== 'load_tool') return { name, input };
  const { toolName, toolNames = [] } = input as { toolName?: string; toolNames?: string[] };
  return { name: 'call_tool', input: { toolName: toolName ?? toolNames[0], arguments: {} } };
}

/** Neighbours mostly are of one server. */
function someOf(all: readonly MastraTool[], random: Random): readonly MastraTool[] {
  const runs = 1 + Math.floor(random() * 6);
  const found = new Set<MastraTool>();
  for (let run = 0; run < runs; run++) {
    const start = Math.floor(random() * all.length);
    for (const tool of all.slice(start, start + 1 + Math.floor(random() * 30))) found.add(tool);
  }
  return [...found];
}

function forbiddenOf(tools: readonly MastraTool[], random: Random): string[] {
  const names = tools.map(({ id }) => id);
  const share = pick([0.02, 0.2, 0.5, 0.9, 1], random);
  const [server = ''] = pick(names, random).split('_');
  const word = pick(wordsOf(pick(tools, random)), random);
  return pick(
    [
      () => names.filter(() => random() < share),
      () => names.filter((name) => name.startsWith(`${server}_`)),
      () => names.filter((name) => !name.startsWith(`${server}_`)),
      () => tools.filter((tool) => wordsOf(tool).includes(word)).map(({ id }) => id),
    ],
    random,
  )();
}

function callOf(tools: readonly MastraTool[], random: Random): Case['calls'][number] {
  const name = (): string => nameOf(pick(tools, random).id, random);
  const query = (): string => queryOf(tools, random);
  return pick<() => Case['calls'][number]>(
    [
      () => ({ name: 'search_tools', input: { query: query() } }),
      () => ({ name: 'search_tools', input: { query: query() } }),
      () => ({ name: 'search_tools', input: { query: query(), maxResults: pick([1, 3, 20], random) } }),
      () => ({ name: 'search_tools', input: { query: [query(), query(), query()] } }),
      () => ({ name: 'search_tools', input: { query: `select:${name()},${name()}` } }),
      () => ({ name: 'load_tool', input: { toolName: name() } }),
      () => ({ name: 'load_tool', input: { toolNames: [name(), name(), name()] } }),
    ],
    random,
  )();
}

function queryOf(tools: readonly MastraTool[], random: Random): string {
  const word = (): string => changed(pick(wordsOf(pick(tools, random)), random), random);
  const words = wordsOf(pick(tools, random));
  const start = Math.floor(random() * words.length);
  return pick(
    [
      () => word(),
      () => `${word()} ${word()}`,
      () => `+${word()} ${word()}`,
      () => words.slice(start, start + 4).join(' '),
      () => words.slice(start, start + 2).join(''),
      () => `please ${words.slice(start, start + 6).join(' ')} for me`,
      () => `${pick(UNKNOWN, random)} ${word()}`,
      () => pick(UNKNOWN, random),
      () => nameOf(pick(tools, random).id, random),
    ],
    random,
  )();
}

/** A word as it is, in another form, or with wrong letters. */
function changed(word: string, random: Random): string {
  const at = Math.floor(random() * word.length);
  return pick(
    [
      word,
      word,
      `${word}s`,
      `${word}ing`,
      word.slice(0, Math.max(3, at)),
      `${word.slice(0, at)}${word.slice(at + 1)}`,
      `${word.slice(0, at)}x${word.slice(at)}`,
    ],
    random,
  );
}

/** A name as it is, in another spelling, with a wrong letter, or a pattern. */
function nameOf(name: string, random: Random): string {
  const [server = ''] = name.split('_');
  const camel = name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  const at = Math.floor(random() * name.length);
  return pick(
    [name, name, camel, `functions.${name}`, `${name.slice(0, at)}${name.slice(at + 1)}`, `${server}_*`],
    random,
  );
}

function wordsOf({ id, description }: MastraTool): string[] {
  const words = `${id} ${description}`.toLowerCase().match(/[a-z]{3,}/g) ?? [];
  return words.length > 0 ? words : ['tool'];
}

/** More with TWIN_RUNS in the environment. */
const RUNS = Number(process.env['TWIN_RUNS'] ?? 60);

const all = realTools();

/** One half of a pair: with the forbidden tools in the catalog, or without them. */
interface Half {
  readonly tools: Record<string, MastraTool>;
  readonly filter: ToolSearchFilter;
}

/** Half of the filters answer later. */
function halvesOf({ tools, forbidden }: Case, isAsync: boolean): readonly [Half, Half] {
  const isAllowed = (name: string): boolean => !forbidden.has(name);
  const filter: ToolSearchFilter = isAsync
    ? async ({ toolName }) => isAllowed(toolName)
    : ({ toolName }) => isAllowed(toolName);
  return [
    { tools: toolRecord(...tools), filter },
    { tools: toolRecord(...tools.filter(({ id }) => isAllowed(id))), filter },
  ];
}

/** All that the model and the application get to see of a request. */
async function answersOf({ options, calls }: Case, half: Half): Promise<string> {
  const session = new Session({ ...options, ...half });
  const seen: unknown[] = [];
  for (const { name, input } of calls) {
    const { tools } = await session.step();
    seen.push(Object.keys(tools), session.messageList.getAllSystemMessages());
    seen.push(await callIn(tools, name, input));
    const query = (input as { query?: unknown }).query;
    const { requestContext } = session;
    if (typeof query === 'string') seen.push(await session.processor.search(query, { explain: true, requestContext }));
  }
  // What is wrong with a tool, that there is none, and what the filter denies, is its developer's to know.
  const events = session.events
    .filter(({ type }) => !['tool-problem', 'option-doubt', 'step'].includes(type))
    .map((event) => (event.type === 'load' ? { ...essence(event), notFound: missingIn(event) } : essence(event)));
  return JSON.stringify([seen, await session.sent(), events], null, 1);
}

/** How many names led to nothing. */
function missingIn({ notFound, denied }: { notFound: readonly string[]; denied: readonly string[] }): number {
  return notFound.length + denied.length;
}

// With agents, in all modes, in test/modes.
describe('a catalog with tools that the filter forbids', () => {
  it.each([0, 1, 2])(
    'gives model and application, byte for byte, what a catalog without those tools gives (part %i)',
    async (part) => {
      for (let seed = 1 + part; seed <= RUNS; seed += 3) {
        const one = randomCase(all, randomFrom(seed));
        const [hiding, without] = halvesOf(one, seed % 2 === 0);
        expect(await answersOf(one, hiding), `seed ${seed}`).toBe(await answersOf(one, without));
      }
    },
  );
});
