import type { MastraTool, ToolSearchProcessorOptions } from 'mastra-tool-search';
import { pick, type Random } from '../bench/speed/random.ts';

type Options = Omit<ToolSearchProcessorOptions, 'tools' | 'filter'>;

/** A catalog of which a part is forbidden, and what is done with it. */
export interface Case {
  readonly tools: readonly MastraTool[];
  readonly forbidden: ReadonlySet<string>;
  readonly options: Options;
  /** Calls of a request, step by step. */
  readonly calls: readonly { readonly name: 'search_tools' | 'load_tool'; readonly input: object }[];
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
];

/** A random case, whose queries are about what is forbidden as often as about what is not. */
export function randomCase(all: readonly MastraTool[], random: Random): Case {
  const tools = someOf(all, random);
  const forbidden = forbiddenOf(tools, random);
  const count = 2 + Math.floor(random() * 5);
  const calls = Array.from({ length: count }, () => callOf(tools, random));
  return { tools, forbidden: new Set(forbidden), options: pick(OPTIONS, random), calls };
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
