import { isToolSource, overSource, type ToolSource } from '../catalog/tool-source.ts';
import { checkOption, ToolSearchError } from '../errors.ts';
import type { Reporter } from '../events/reporter.ts';
import { injectCatalogContradictions } from '../features/inject-catalog.ts';
import { type ResolvedLearning, resolveLearning } from '../features/learning/options.ts';
import { limitsOf, type PassthroughLimit, passthroughContradictions } from '../features/passthrough.ts';
import { pinContradictions } from '../features/pinned.ts';
import {
  type ChoosingPreselectOptions,
  checkGivesConfidence,
  resolvePreselect,
  type SearchPreselect,
} from '../features/preselect/options.ts';
import { type ResolvedTrust, resolveTrust } from '../features/trust/options.ts';
import type { LoadingCalls } from '../loaded/conversation/conversation.ts';
import type { Caps } from '../loaded/eviction.ts';
import { contextStore, memoryStore } from '../loaded/stores/memory.ts';
import type { LoadedToolStore } from '../loaded/stores/store.ts';
import { type ResolvedCall, type ResolvedMetaTools, resolveCall, resolveMetaTools } from '../meta-tools/options.ts';
import { codeContradictions, type ResolvedCode, resolveCode } from '../modes/code/options.ts';
import { nativeContradictions, nativeOptions, type ResolvedNative } from '../modes/native-options.ts';
import { bm25Scorer } from '../scorers/bm25/bm25.ts';
import { resolveEmbedder, type SearchEmbedder } from '../scorers/meaning/embedder.ts';
import { meaningScorer, type OpenSemantic } from '../scorers/meaning/embedder-scorer.ts';
import { wordsAndMeaningScorer } from '../scorers/meaning/words-and-meaning.ts';
import type { ToolScorer } from '../scorers/scorer.ts';
import { type Contradiction, checkValues, namesIn, refuseUnknownOptions, withDefaults } from '../util/check.ts';
import { asRecord, isRecord } from '../util/record.ts';
import {
  type CompleteOptions,
  type CompleteSearch,
  type CompleteTimeouts,
  processorOptions,
  searchOptions,
  type ToolSearchProcessorOptions,
  timeoutOptions,
} from './table.ts';

const MAX_LOADED_TOOLS = 64;

/** The options, checked, with their defaults: those of `search` beside the others, and some in another form. */
export type ResolvedOptions = Reshaped & Omit<CompleteOptions & CompleteSearch, keyof Reshaped>;

interface Reshaped {
  /** The option `tools`, not checked yet where it is no function. */
  readonly tools: unknown;
  readonly native: ResolvedNative | undefined;
  readonly call: ResolvedCall | undefined;
  readonly code: ResolvedCode | undefined;
  /** The calls whose results in a conversation say what was loaded. */
  readonly loadingTools: LoadingCalls;
  /** Empty where it is off. */
  readonly passthroughBelow: readonly PassthroughLimit[];
  readonly keywords: ReadonlyMap<string, readonly string[]>;
  readonly scorer: ToolScorer;
  readonly store: LoadedToolStore;
  readonly storage: 'in-memory' | 'context' | 'custom';
  readonly maxLoaded: Caps;
  readonly timeouts: CompleteTimeouts;
  /** `tools`, where these are a source. */
  readonly source: ToolSource | undefined;
  readonly preselect: SearchPreselect | ChoosingPreselectOptions | undefined;
  readonly learning: ResolvedLearning | undefined;
  readonly trust: ResolvedTrust | undefined;
  readonly alwaysLoaded: ReadonlySet<string>;
  /** Whether servers may pin tools: none, all, or these. */
  readonly trustServerHints: boolean | ReadonlySet<string>;
  readonly loadsMisses: boolean;
  readonly metaTools: ResolvedMetaTools;
}

/** @throws ToolSearchError `invalid-option`, naming the option, the value and what is expected. */
export function resolveOptions(options: ToolSearchProcessorOptions, openSemantic: OpenSemantic): ResolvedOptions {
  checkOption(isRecord(options), 'options', options, 'an object, e.g. { tools }');
  refuseForeignOptions(options);
  refuseUnknownOptions('ToolSearchProcessor', options, namesIn(processorOptions));
  refuseContradictions(options);
  checkValues(options, processorOptions);
  const given = withDefaults(processorOptions, options);
  const search = withDefaults(searchOptions, options.search);
  const timeouts = withDefaults(timeoutOptions, options.timeouts);
  const { mode, storage, onMiss, ttl, trustServerHints, learning } = given;
  const scorer = search.scorer ?? defaultScorer(options.tools, search.embedder, openSemantic);
  if (search.minConfidence > 0) checkGivesConfidence(scorer, 'search.minConfidence', search.minConfidence);
  const native = mode === 'native' ? withDefaults(nativeOptions, options.native) : undefined;
  const preselect = resolvePreselect(options.preselect, scorer);
  const metaTools = resolveMetaTools(options.metaTools ?? {});
  const { names, unloadName } = metaTools;
  const call = resolveCall(mode, native, options.metaTools?.call, metaTools);
  return {
    ...given,
    ...search,
    native,
    call: call && { ...call, schemaTokens: search.schemaTokens },
    code: resolveCode(mode, options.code, search.schemaTokens, metaTools),
    loadingTools: {
      ...names,
      ...(unloadName === undefined ? {} : { unload: unloadName }),
      ...(call ? { bridge: call.name } : {}),
      withProviders: native !== undefined,
    },
    tools: options.tools === undefined ? {} : options.tools,
    source: isToolSource(options.tools) ? options.tools : undefined,
    timeouts,
    preselect,
    learning: resolveLearning(learning, search.embedder),
    trust: resolveTrust(options.pins, options.onSuspicious),
    passthroughBelow: limitsOf(options.passthroughBelow),
    keywords: new Map(Object.entries(search.keywords)),
    scorer,
    store: storage === 'in-memory' ? memoryStore() : storage === 'context' ? contextStore() : storage,
    storage: typeof storage === 'string' ? storage : 'custom',
    // A store reads 0 as "keep"; so is forever.
    ttl: ttl === Number.POSITIVE_INFINITY ? 0 : ttl,
    maxLoaded: {
      tools: options.maxLoaded?.tools ?? (native?.execution === 'server' ? Number.POSITIVE_INFINITY : MAX_LOADED_TOOLS),
      tokens: options.maxLoaded?.tokens ?? Number.POSITIVE_INFINITY,
    },
    loadsMisses: onMiss !== 'error',
    alwaysLoaded: new Set(given.alwaysLoaded),
    trustServerHints: typeof trustServerHints === 'boolean' ? trustServerHints : new Set(trustServerHints),
    metaTools,
  };
}

/** Options of an agent, and of its runs, which an agent has under `defaultOptions`. */
const OF_AGENTS = ['instructions', 'memory', 'inputProcessors', 'outputProcessors', 'errorProcessors'];
const OF_RUNS = ['maxSteps', 'stopWhen', 'toolChoice', 'activeTools', 'prepareStep', 'modelSettings', 'requestContext'];

/** @throws ToolSearchError `invalid-option` for what is most likely meant for an agent, or has another name here. */
function refuseForeignOptions(options: object): void {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    const refuse = (remedy: string): never => {
      throw new ToolSearchError('invalid-option', `"${name}" is no option of ToolSearchProcessor. ${remedy}`);
    };
    if (OF_AGENTS.includes(name)) refuse(`It belongs to the agent: new Agent({ ${name}: … }).`);
    if (OF_RUNS.includes(name)) refuse(`It belongs to the agent: new Agent({ defaultOptions: { ${name}: … } }).`);
    // A number is meant for timeouts.store.
    if (name === 'store' && typeof value !== 'number') refuse('Did you mean "storage"?');
  }
}

function defaultScorer(tools: unknown, embedder: SearchEmbedder, openSemantic: OpenSemantic): ToolScorer {
  // A source ranks its tools itself: of the scorer, its name alone is asked.
  if (isToolSource(tools)) return { ...bm25Scorer(), name: tools.name || 'source' };
  if (embedder === false) return bm25Scorer();
  return embedder === 'built-in' ? wordsAndMeaningScorer() : meaningScorer(resolveEmbedder(embedder), openSemantic);
}

/** What an option contradicts. A feature's contradictions stand in its file. */
const CONTRADICTIONS: readonly Contradiction<ToolSearchProcessorOptions>[] = [
  overSource('includeResolvedTools', 'ranks its own tools alone, and the tools of the agent are sent'),
  ...injectCatalogContradictions,
  ...passthroughContradictions,
  ...pinContradictions,
  ...codeContradictions,
  overSource('search.scorer', 'ranks its tools itself'),
  {
    ...overSource('search.embedder', 'ranks its tools itself; give it the model, as postgresSource() takes `embed`'),
    off: [false, 'built-in'],
  },
  overSource('search.keywords', 'ranks its tools itself; give it the keywords'),
  ...nativeContradictions,
  {
    paths: ['search.embedder'],
    off: [false],
    expected: 'left out with search.scorer; hybridScorer() fuses a scorer of yours with one that ranks by meaning',
    rulesOut: ({ search }) => search?.scorer !== undefined,
  },
  {
    paths: ['onMiss'],
    expected: `'load' or 'error', or replaced by mode: 'call', with which the model calls at once what it was not sent`,
    rulesOut: ({ onMiss }) => (onMiss as string | undefined) === 'run',
  },
  {
    paths: ['metaTools.load'],
    expected:
      'left out with search.autoLoad: true, where a search loads what it finds and there is no tool to load with',
    rulesOut: ({ search }) => search?.autoLoad === true,
  },
  {
    paths: ['metaTools.call'],
    expected: `left out, or used with mode: 'call'`,
    rulesOut: (options) => !hasCallTool(options),
  },
  {
    paths: ['search.schemaTokens'],
    expected: `left out, or used with mode: 'call' or mode: 'code'`,
    rulesOut: (options) => options.mode !== 'code' && !hasCallTool(options),
  },
  {
    paths: ['search.autoLoad', 'metaTools.load', 'metaTools.unload', 'maxLoaded'],
    off: [false],
    expected: `left out with mode: 'call', where nothing is loaded`,
    rulesOut: ({ mode }) => mode === 'call',
  },
];

function hasCallTool({ mode, native }: ToolSearchProcessorOptions): boolean {
  return mode === 'call' || (mode === 'native' && native?.fallback === 'call');
}

/** @throws ToolSearchError `invalid-option` */
function refuseContradictions(options: ToolSearchProcessorOptions): void {
  const { mode = 'load', native, tools, includeResolvedTools } = options;
  checkOption(mode === 'native' || native === undefined, 'mode', mode, `'native' where there is the option native`);
  checkOption(
    tools !== undefined || includeResolvedTools === true,
    'tools',
    tools,
    'a record of tools, or a function; only with includeResolvedTools may it be left out',
  );
  for (const { paths, expected, off = [], rulesOut } of CONTRADICTIONS) {
    for (const path of paths) {
      const value = path.split('.').reduce<unknown>((inner, name) => asRecord(inner)?.[name], options) ?? undefined;
      const isGiven = value !== undefined && !off.includes(value);
      checkOption(!isGiven || !rulesOut(options), path, value, expected);
    }
  }
}

/** Milliseconds. A lower value was most likely meant as seconds. */
const SHORT_TTL = 1_000;
const SHORT_TIMEOUT = 100;
/** A high score of `bm25Scorer`, the highest scale. In a catalog of 1,500 tools, half of the right ones score less. */
const HIGH_SCORE = 25;

/** Reports what may be meant as it stands, but most likely is not. */
export function reportDoubts(options: ResolvedOptions, reporter: Reporter): void {
  const { ttl, minScore, scorer, timeouts } = options;
  const [short] = Object.entries(timeouts).filter(([, value]) => value !== undefined && value < SHORT_TIMEOUT);
  if (short) {
    const [name, value = 0] = short;
    const message = `"timeouts.${name}" is ${value}: what takes longer than so many milliseconds is given up. For ${value} seconds write ${value * 1_000}.`;
    reporter.report({ type: 'option-doubt', option: 'timeouts', message });
  }
  if (ttl > 0 && ttl < SHORT_TTL) {
    const message = `"ttl" is ${ttl}: loaded tools are forgotten after so many milliseconds without use. For ${ttl} seconds write ${ttl * 1_000}.`;
    reporter.report({ type: 'option-doubt', option: 'ttl', message });
  }
  if (minScore > HIGH_SCORE) {
    const message = `"search.minScore" is ${minScore}, and nothing that scores less on the scale of the scorer "${scorer.name}" is ever found. See with processor.search() what tools score; "search.minConfidence" goes from 0 to 1.`;
    reporter.report({ type: 'option-doubt', option: 'search.minScore', message });
  }
}
