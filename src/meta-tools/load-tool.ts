import { isPattern } from '../catalog/groups.ts';
import { exampleOf, signatureOf } from '../catalog/signature.ts';
import type { MastraTool } from '../catalog/tool.ts';
import { callsOfRun, type ToolCall } from '../loaded/conversation/conversation.ts';
import type { SearchResult } from '../search/search-result.ts';
import type { Step } from '../step/step.ts';
import { asRecord } from '../util/record.ts';
import { echo } from '../util/text.ts';
import { failingIn } from './failed-calls.ts';
import { type LoadOutcome, withSuggestions } from './loading.ts';
import {
  createMetaTool,
  duringCall,
  listed,
  type MetaToolOptions,
  type MetaToolParts,
  nothingToFind,
  objectSchema,
  readTexts,
  TEXT,
  TEXTS,
} from './meta-tool.ts';
import * as prompts from './prompts.ts';
import { RESULTS, type SearchTool, type SearchToolsResult } from './search-tool.ts';

/**
 * What the model sends to `load_tool`: one name, or several, with `*` for a whole group.
 *
 * @example
 * ```ts
 * const one: LoadToolInput = { toolName: 'send_email' };
 * const several: LoadToolInput = { toolNames: ['send_email', 'github_*'] };
 * ```
 */
export interface LoadToolInput {
  toolName?: string | undefined;
  toolNames?: string[] | undefined;
}

/**
 * What the model gets back from `load_tool`.
 *
 * @example
 * ```ts
 * const loadedBy = ({ loaded = [] }: LoadToolResult) => loaded;
 * ```
 */
export interface LoadToolResult {
  success: boolean;
  message: string;
  /** The number of tools that this call loaded. Only for `toolNames`, as `notFound` and `alreadyLoaded` are. */
  loadedCount?: number | undefined;
  /** Only for `toolName`. */
  toolName?: string | undefined;
  /**
   * Names that the call loaded; for `toolName`, also a tool that was loaded before. @mastra/core, after 1.71, reads
   * loads only from this field.
   */
  loaded?: string[] | undefined;
  notFound?: string[] | undefined;
  alreadyLoaded?: string[] | undefined;
  /** Tools that were unloaded to make room. */
  unloaded?: string[] | undefined;
  /** Results of a search for the words of unknown names. */
  results?: SearchResult[] | undefined;
}

const PARAMETERS = objectSchema<keyof LoadToolInput>(
  {
    toolName: { ...TEXT, description: prompts.parameterDescriptions.toolName },
    toolNames: { ...TEXTS, description: prompts.parameterDescriptions.toolNames },
  },
  [],
);

const RESULT = objectSchema<keyof LoadToolResult>(
  {
    success: { type: 'boolean' },
    message: TEXT,
    loadedCount: { type: 'number' },
    toolName: TEXT,
    loaded: TEXTS,
    notFound: TEXTS,
    alreadyLoaded: TEXTS,
    unloaded: TEXTS,
    results: RESULTS,
  },
  ['success', 'message'],
);

/** The parts of a processor that a load needs. */
type LoadParts = Pick<MetaToolParts, 'loader' | 'reporter' | 'options'>;

export function createLoadTool(step: Step, search: SearchTool, parts: LoadParts): MastraTool {
  const { names, loadDescription: description } = parts.options.metaTools;
  return createMetaTool<LoadToolInput, LoadToolResult>({
    name: names.load,
    description: description ?? prompts.loadDescription(names),
    parameters: PARAMETERS,
    result: RESULT,
    read: (fields) => readNames(fields['toolName'], fields['toolNames']),
    execute: (input, context) => load(input, duringCall(step, context, parts.options.loadingTools), search, parts),
  });
}

async function load(
  { toolName = '', toolNames }: LoadToolInput,
  step: Step,
  search: SearchTool,
  { loader, reporter, options }: LoadParts,
): Promise<LoadToolResult> {
  const asked = [...new Set([...(toolNames ?? []), toolName])].filter((name) => name !== '');
  if (asked.length === 0) {
    const message = toolNames === undefined ? prompts.missingNames() : prompts.emptyNames();
    return { success: false, message };
  }

  const start = performance.now();
  const chosen = asked.slice(0, step.allowance.names);
  const outcome = await loader.byName(chosen, step);
  const { loaded, alreadyLoaded, notFound, leftOut, tooMany, failed } = outcome;
  const isOfCatalog = (name: string): boolean => step.catalog.get(name) !== undefined;
  reporter.report(
    {
      ...{ type: 'load', by: 'model', loaded, alreadyLoaded },
      notFound: notFound.map((name) => echo(name)).filter((name) => !isOfCatalog(name)),
      denied: notFound.filter(isOfCatalog).map((name) => step.catalog.nameOf(name)),
      ...listed({ noRoom: [...leftOut, ...tooMany], failed }),
      ms: performance.now() - start,
    },
    step.origin,
  );
  const unknown = await withSuggestions(notFound, step);
  const found = await search.forNames(unknown, step);
  if (toolNames === undefined && !isPattern(toolName))
    return answerOne(toolName, outcome, unknown, found, step, options);
  return answerSeveral(outcome, unknown, found, asked.length - chosen.length, step);
}

async function answerOne(
  toolName: string,
  outcome: LoadOutcome,
  [missing]: readonly prompts.UnknownName[],
  found: SearchToolsResult | undefined,
  step: Step,
  { metaTools }: MetaToolOptions,
): Promise<LoadToolResult> {
  const { leftOut, failed, evicted } = outcome;
  const notes = prompts.roomNotes(outcome);
  const [fresh] = outcome.loaded;
  if (fresh !== undefined) {
    const message = `${prompts.loadedOne(fresh)}${notes}`;
    return { success: true, message, toolName: fresh, loaded: [fresh], ...listed({ unloaded: evicted }) };
  }
  const [already] = outcome.alreadyLoaded;
  if (already !== undefined) {
    // Resident tools are never loaded.
    const before = step.tools.isResident(already) ? [] : [already];
    // The message becomes firmer each time the run loads the tool again.
    const isLoad = ({ metaTool, loaded }: ToolCall): boolean => metaTool === 'load' && loaded.includes(already);
    const times = callsOfRun(step.calls).filter(isLoad).length;
    const hasFailed = failingIn(step).has(already);
    const entry = times > 1 || hasFailed ? step.catalog.get(already) : undefined;
    const call = entry ? prompts.howToCall(signatureOf(entry), exampleOf(entry)) : '';
    const message = prompts.alreadyLoaded(already, times, call, hasFailed);
    return { success: true, message, toolName: already, ...listed({ loaded: before }) };
  }
  const failure = (message: string): LoadToolResult => ({ success: false, message, toolName: echo(toolName) });
  if (leftOut.length + failed.length > 0) return failure(notes.trim());
  if (!missing) return failure(prompts.missingNames());
  if (found) return { ...failure(prompts.foundByWords(missing, found.message)), results: found.results };
  return failure(prompts.notFound(missing, metaTools.names, await nothingToFind(step)));
}

/** The answer to a call with several names or a pattern. `ignored` is the number of names that were not looked up. */
async function answerSeveral(
  outcome: LoadOutcome,
  unknown: readonly prompts.UnknownName[],
  found: SearchToolsResult | undefined,
  ignored: number,
  step: Step,
): Promise<LoadToolResult> {
  const { loaded, alreadyLoaded, notFound, leftOut, tooMany, failed, evicted } = outcome;
  const unloadable = leftOut.length + tooMany.length + failed.length;
  const isNothing = loaded.length + alreadyLoaded.length + unloadable === 0;
  const nothing = isNothing ? await nothingToFind(step) : undefined;
  const message = `${prompts.loadedMany(loaded, alreadyLoaded, unknown, ignored)}${prompts.roomNotes(outcome)}`.trim();
  return {
    success: unknown.length + unloadable === 0,
    message: prompts.joined('. ', message, nothing, found && prompts.answerByWords(found.message)),
    loadedCount: loaded.length,
    ...listed({ loaded, notFound: notFound.map((name) => echo(name)), alreadyLoaded, unloaded: evicted }),
    ...(found ? { results: found.results } : {}),
  };
}

/** Reads the names of a call leniently: `toolNames` may be a text with commas or JSON, and `toolName` a list. */
function readNames(toolName: unknown, toolNames: unknown): LoadToolInput {
  const several = namesIn(toolNames);
  const one = namesIn(toolName) ?? [];
  const isOne = one.length < 2 && !Array.isArray(toolName);
  return {
    toolName: isOne ? (one[0] ?? '') : '',
    toolNames: isOne ? several : [...one, ...(several ?? [])],
  };
}

/** The names in nested lists of texts with commas, or of objects with a name. Undefined without a value. */
function namesIn(value: unknown): string[] | undefined {
  const texts = Array.isArray(value) ? value.flat(3).map((item) => asRecord(item)?.['name'] ?? item) : value;
  return readTexts(texts)
    ?.flatMap((text) => text.split(','))
    .map((name) => name.trim());
}

/**
 * What the model sends to `unload_tool`.
 *
 * @example
 * ```ts
 * const input: UnloadToolInput = { toolNames: ['send_email'] };
 * ```
 */
export interface UnloadToolInput {
  toolNames: string[];
}

/**
 * What the model gets back from `unload_tool`.
 *
 * @example
 * ```ts
 * const unloadedBy = ({ unloaded = [] }: UnloadToolResult) => unloaded;
 * ```
 */
export interface UnloadToolResult {
  success: boolean;
  message: string;
  unloaded?: string[] | undefined;
  /** Names of tools that were not loaded; those that are always sent cannot be unloaded. */
  notLoaded?: string[] | undefined;
}

const UNLOAD_PARAMETERS = objectSchema<keyof UnloadToolInput>(
  { toolNames: { ...TEXTS, description: 'Exact names of loaded tools' } },
  ['toolNames'],
);

const UNLOAD_RESULT = objectSchema<keyof UnloadToolResult>(
  { success: { type: 'boolean' }, message: TEXT, unloaded: TEXTS, notLoaded: TEXTS },
  ['success', 'message'],
);

const MAX_UNLOADED = 100;

export function createUnloadTool(
  name: string,
  step: Step,
  { options, registry, reporter }: Pick<MetaToolParts, 'options' | 'registry' | 'reporter'>,
): MastraTool {
  const { metaTools, loadingTools } = options;
  const { names, unloadDescription } = metaTools;
  return createMetaTool<UnloadToolInput, UnloadToolResult>({
    name,
    description: unloadDescription ?? prompts.unloadDescription(names),
    parameters: UNLOAD_PARAMETERS,
    result: UNLOAD_RESULT,
    read: (fields) => ({ toolNames: readTexts(fields['toolNames']) ?? [] }),
    execute: async ({ toolNames }, context) => {
      const { catalog, tools, permissions, state, origin } = duringCall(step, context, loadingTools);
      const asked = [...new Set(toolNames.filter((each) => each !== ''))].slice(0, MAX_UNLOADED);
      if (asked.length === 0) return { success: false, message: prompts.emptyNames() };
      const loaded = new Set<string>();
      const notLoaded: string[] = [];
      for (const each of asked) {
        const found = catalog.get(each)?.name;
        // The answer must not reveal a loaded tool that this request was not sent.
        const isSent =
          found !== undefined && tools.isLoaded(found) && !tools.isBlocked(found) && !permissions.isAborted;
        if (isSent) loaded.add(found);
        else notLoaded.push(echo(each));
      }
      const unloaded = [...loaded];
      tools.unload(unloaded);
      const spellings = unloaded.flatMap((each) => catalog.spellingsOf(each));
      await registry.remove(state, spellings);
      if (unloaded.length > 0) reporter.report({ type: 'unload', toolNames: unloaded, by: 'model' }, origin);
      const message = prompts.unloadedMany(unloaded, notLoaded);
      return { success: notLoaded.length === 0, message, ...listed({ unloaded, notLoaded }) };
    },
  });
}
