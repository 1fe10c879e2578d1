import { serverOf } from '../catalog/groups.ts';
import { isToolSource } from '../catalog/tool-source.ts';
import { checkOption, invalidOption } from '../errors.ts';
import type { Reporter } from '../events/reporter.ts';
import type { Caps } from '../loaded/eviction.ts';
import { contextStore, memoryStore } from '../loaded/stores/memory.ts';
import type { LoadedToolStore } from '../loaded/stores/store.ts';
import { defaultScope } from '../processor/request.ts';
import { bm25Scorer } from '../scorers/bm25/bm25.ts';
import type { ToolScorer } from '../scorers/scorer.ts';
import { didYouMean, likeliestNames } from '../scorers/words/suggest.ts';
import { asRecord, isRecord } from '../util/record.ts';
import { resolveCall } from './call.ts';
import { refuseUnknownOptions } from './known-options.ts';
import { resolveLearning } from './learning.ts';
import { resolveMetaTools } from './meta-tools.ts';
import { optionNames } from './names.ts';
import { type ResolvedNative, resolveNative } from './native.ts';
import type { ResolvedOptions, ToolSearchProcessorOptions } from './options.ts';
import { resolvePassthrough } from './passthrough.ts';
import { resolvePreselect } from './preselect.ts';

/** Providers take 128 tools in all. */
const MAX_LOADED_TOOLS = 64;

/**
 * Checks the options and fills in the defaults.
 *
 * @throws ToolSearchError `invalid-option`, naming the option, the value and what is expected.
 */
export function resolveOptions(options: ToolSearchProcessorOptions): ResolvedOptions {
  checkOption(isRecord(options), 'options', options, 'an object, e.g. { tools }');
  refuseUnknownOptions('ToolSearchProcessor', options, optionNames);
  refuseOverSource(options);
  const { search = {}, storage = 'in-memory', ttl = 3_600_000, scope = defaultScope, groups = serverOf } = options;
  const { onMiss = 'load' } = options;
  checkOption(isRecord(search), 'search', search, 'an object');
  const { topK = 5, minScore = 0, minConfidence = 0 } = search;
  const scorer = search.scorer === undefined ? defaultScorer(options.tools) : search.scorer;

  checkOption(Number.isInteger(topK) && topK >= 1, 'search.topK', topK, 'a whole number of at least 1');
  checkOption(typeof minScore === 'number' && !Number.isNaN(minScore), 'search.minScore', minScore, 'a number');
  checkOption(
    typeof minConfidence === 'number' && minConfidence >= 0 && minConfidence <= 1,
    'search.minConfidence',
    minConfidence,
    'a number from 0 to 1',
  );
  checkOption(isScorer(scorer), 'search.scorer', scorer, 'a ToolScorer, e.g. bm25Scorer() or tieredScorer()');
  checkOption(
    minConfidence === 0 || scorer.givesConfidence !== false,
    'search.minConfidence',
    minConfidence,
    `left out with the scorer "${scorer.name}", which gives no confidence; bm25Scorer() does`,
  );
  checkOption(isFunctionOrAbsent(search.rerank), 'search.rerank', search.rerank, 'a function');
  checkOption(typeof ttl === 'number' && ttl >= 0, 'ttl', ttl, 'milliseconds, 0 or more (0 keeps loaded tools)');
  checkOption(['run', 'load', 'error'].includes(onMiss), 'onMiss', onMiss, `'run', 'load' or 'error'`);
  checkOption(isFunctionOrAbsent(options.filter), 'filter', options.filter, 'a function');
  checkOption(isFunctionOrAbsent(options.onEvent), 'onEvent', options.onEvent, 'a function');
  checkOption(typeof groups === 'function', 'groups', groups, 'a function');
  checkOption(typeof scope === 'function', 'scope', scope, 'a function');
  if (options.tools === undefined && options.includeResolvedTools !== true) {
    throw invalidOption(
      'tools',
      undefined,
      'a record of tools, or a function; only with includeResolvedTools may it be left out',
    );
  }

  const native = resolveNative(options);
  const learning = resolveLearning(options.learning);
  const preselect = resolvePreselect(options.preselect, scorer, options.timeouts);
  const metaTools = resolveMetaTools(options.metaTools ?? {});
  checkOption(
    search.autoLoad !== true || options.metaTools?.load === undefined,
    'metaTools.load',
    options.metaTools?.load,
    'left out with search.autoLoad: true, where a search loads what it finds and there is no tool to load with',
  );

  return {
    native,
    call: resolveCall(options, metaTools, native),
    loadingTools: {
      search: metaTools.names.search,
      load: metaTools.names.load,
      ...(metaTools.unloadName === undefined ? {} : { unload: metaTools.unloadName }),
      withProviders: native !== undefined,
      withCalled: preselect !== undefined,
    },
    tools: options.tools === undefined ? {} : options.tools,
    timeouts: resolveTimeouts(options.timeouts),
    preselect,
    learning,
    passthroughBelow: resolvePassthrough(options.passthroughBelow),
    includeResolvedTools: flag('includeResolvedTools', options.includeResolvedTools),
    injectCatalog: resolveInjection(options.injectCatalog),
    topK,
    minScore,
    minConfidence,
    keywords: resolveKeywords(search.keywords === undefined ? {} : search.keywords),
    autoLoad: flag('search.autoLoad', search.autoLoad),
    useMessage: resolveUse(search.useMessage),
    scorer,
    rerank: search.rerank,
    store: resolveStore(storage),
    storage: storage === 'in-memory' || storage === 'context' ? storage : 'custom',
    // A store reads 0 as "keep"; so is forever.
    ttl: ttl === Number.POSITIVE_INFINITY ? 0 : ttl,
    maxLoaded: resolveMaxLoaded(options.maxLoaded, native),
    filter: options.filter,
    groups,
    loadsMisses: onMiss !== 'error',
    runsMisses: onMiss === 'run' || (onMiss === 'load' && options.mode === 'call'),
    alwaysLoaded: resolveNames('alwaysLoaded', options.alwaysLoaded ?? []),
    trustServerHints: resolveTrust(options.trustServerHints),
    metaTools,
    scope,
    onEvent: options.onEvent,
    streamEvents: flag('streamEvents', options.streamEvents),
  };
}

/** A source ranks its tools itself: of the scorer, its name alone is asked. */
function defaultScorer(tools: unknown): ToolScorer {
  if (!isToolSource(tools)) return bm25Scorer();
  return { ...bm25Scorer(), name: tools.name || 'source' };
}

function resolveTimeouts(timeouts: ToolSearchProcessorOptions['timeouts'] = {}): ResolvedOptions['timeouts'] {
  if (!isRecord(timeouts))
    throw invalidOption('timeouts', timeouts, 'an object with tools, filter, store, index and preselect');
  const { tools = 10_000, filter = 10_000, store = 2_000, index, preselect } = timeouts;
  const resolved = { tools, filter, store };
  for (const [name, value] of Object.entries({ ...resolved, index, preselect })) {
    checkOption(value === undefined || isAtLeast(value, 1), `timeouts.${name}`, value, 'milliseconds, 1 or more');
  }
  return resolved;
}

function resolveMaxLoaded(
  maxLoaded: ToolSearchProcessorOptions['maxLoaded'] = {},
  native: ResolvedNative | undefined,
): Caps {
  if (!isRecord(maxLoaded)) throw invalidOption('maxLoaded', maxLoaded, 'an object with tools and tokens');
  const most = native?.execution === 'server' ? Number.POSITIVE_INFINITY : MAX_LOADED_TOOLS;
  const { tools = most, tokens = Number.POSITIVE_INFINITY } = maxLoaded;
  const isCount = Number.isInteger(tools) || tools === Number.POSITIVE_INFINITY;
  checkOption(isCount && tools >= 1, 'maxLoaded.tools', tools, 'a whole number of at least 1');
  checkOption(isAtLeast(tokens, 1), 'maxLoaded.tokens', tokens, 'a number of at least 1');
  return { tools, tokens };
}

function resolveInjection(value: unknown): boolean | 'names' {
  const isKnown = value === undefined || typeof value === 'boolean' || value === 'names';
  checkOption(isKnown, 'injectCatalog', value, `true, false or 'names'`);
  return (value ?? false) as boolean | 'names';
}

function resolveUse(value: unknown = 'fallback'): boolean | 'fallback' {
  const isKnown = typeof value === 'boolean' || value === 'fallback';
  checkOption(isKnown, 'search.useMessage', value, `true, false or 'fallback'`);
  return value as boolean | 'fallback';
}

function resolveStore(storage: unknown): LoadedToolStore {
  if (storage === 'in-memory') return memoryStore();
  if (storage === 'context') return contextStore();
  if (!isRecord(storage) || !hasMethods(storage, 'get', 'add', 'clear')) {
    const meant = typeof storage === 'string' ? likeliestNames(storage, ['in-memory', 'context']) : [];
    const expected = `'in-memory', 'context' or a store with get, add and clear, e.g. redisStore({ client }) from 'mastra-tool-search/redis'`;
    throw invalidOption('storage', storage, expected, didYouMean(meant));
  }
  return storage as unknown as LoadedToolStore;
}

function resolveTrust(value: unknown = false): boolean | ReadonlySet<string> {
  return typeof value === 'boolean'
    ? value
    : resolveNames('trustServerHints', value, 'true, false or an array of', 'server');
}

function resolveNames(option: string, value: unknown, kinds = 'an array of', what = 'tool'): ReadonlySet<string> {
  if (!Array.isArray(value)) throw invalidOption(option, value, `${kinds} ${what} names`);
  for (const [place, name] of value.entries()) {
    checkOption(typeof name === 'string' && name !== '', `${option}[${place}]`, name, `the name of a ${what}`);
  }
  return new Set(value as string[]);
}

function resolveKeywords(value: unknown): ReadonlyMap<string, readonly string[]> {
  if (!isRecord(value)) {
    const expected = `a record of words by tool name, e.g. { create_issue: ['make a ticket'] }`;
    throw invalidOption('search.keywords', value, expected);
  }
  for (const [tool, list] of Object.entries(value)) {
    const option = `search.keywords.${tool.slice(0, 100)}`;
    if (!Array.isArray(list)) throw invalidOption(option, list, `an array of words, e.g. ['make a ticket']`);
    for (const [place, word] of list.entries()) {
      checkOption(typeof word === 'string', `${option}[${place}]`, word, 'a text');
    }
  }
  return new Map(Object.entries(value as Record<string, readonly string[]>));
}

function isScorer(value: unknown): boolean {
  const scorer = value as Partial<ToolScorer>;
  return isRecord(value) && typeof scorer.index === 'function' && typeof scorer.name === 'string';
}

function hasMethods(value: object, ...names: readonly string[]): boolean {
  return names.every((name) => typeof (value as Readonly<Record<string, unknown>>)[name] === 'function');
}

function isAtLeast(value: unknown, least: number): boolean {
  return typeof value === 'number' && value >= least;
}

function isFunctionOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === 'function';
}

function flag(option: string, value: unknown): boolean {
  checkOption(value === undefined || typeof value === 'boolean', option, value, 'true or false');
  return value === true;
}

/** Why an option, or a part of one, does not go together with a source. */
const REASONS: Readonly<Record<string, string>> = {
  includeResolvedTools: 'ranks its own tools alone, and the tools of the agent are sent',
  injectCatalog: 'is never listed whole; name some tools in alwaysLoaded',
  passthroughBelow: 'is never sent whole; leave small catalogs in the process',
  trustServerHints: 'is never looked through; name the tools in alwaysLoaded',
  'search.scorer': 'ranks its tools itself',
  'search.keywords': 'ranks its tools itself; give it the keywords',
  'native.execution': "is not searched by the provider; use 'client'",
};

/**
 * Refuses what cannot be done over a source.
 *
 * @throws ToolSearchError `invalid-option`
 */
export function refuseOverSource(options: ToolSearchProcessorOptions): void {
  if (!isToolSource(options.tools)) return;
  for (const [path, reason] of Object.entries(REASONS)) {
    const [option = '', part] = path.split('.');
    const given = (options as Record<string, unknown>)[option];
    const value = part === undefined ? given : asRecord(given)?.[part];
    checkOption(!value || value === 'client', path, value, `left out with a ToolSource, which ${reason}`);
  }
}

/** Milliseconds: who gives less most likely means seconds. */
const SHORT_TTL = 1_000;
/** Scores of `bm25Scorer`, which gives the highest: in a catalog of 1,500 tools half of the right ones score less. */
const HIGH_SCORE = 25;

/** Reports what may be meant as it stands, but most likely is not. */
export function reportDoubts({ ttl, minScore, scorer }: ResolvedOptions, reporter: Reporter): void {
  if (ttl > 0 && ttl < SHORT_TTL) {
    const message = `"ttl" is ${ttl}: loaded tools are forgotten after so many milliseconds without use. For ${ttl} seconds write ${ttl * 1_000}.`;
    reporter.report({ type: 'option-doubt', option: 'ttl', message });
  }
  if (minScore > HIGH_SCORE) {
    const message = `"search.minScore" is ${minScore}, and nothing that scores less on the scale of the scorer "${scorer.name}" is ever found. See with processor.search() what tools score; "search.minConfidence" goes from 0 to 1.`;
    reporter.report({ type: 'option-doubt', option: 'search.minScore', message });
  }
}
