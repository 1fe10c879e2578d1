import { isPattern } from '../catalog/groups.ts';
import { exampleOf, signatureOf } from '../catalog/signature.ts';
import { timesLoaded } from '../loaded/conversation/loads.ts';
import type { SearchResult } from '../search/search-result.ts';
import { echo } from '../util/text.ts';
import { loadByName } from './load-by-name.ts';
import { withSuggestions } from './names.ts';
import * as prompts from './prompts.ts';
import { searchNames, searchTools } from './search-call.ts';
import { nothingToFind, type Services, type Step } from './step.ts';

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
  /** Names that the call loaded; for `toolName` also where the tool was loaded before. @mastra/core, after 1.71, reads loads from here alone. */
  loaded?: string[] | undefined;
  notFound?: string[] | undefined;
  alreadyLoaded?: string[] | undefined;
  /** Tools that made room. */
  unloaded?: string[] | undefined;
  /** What a search for the words of unknown names found. */
  results?: SearchResult[] | undefined;
}

/** Answers a call, and reports it. */
export async function loadTools(input: LoadToolInput, step: Step, services: Services): Promise<LoadToolResult> {
  const { names } = services.options.metaTools;
  const { toolName = '', toolNames } = input;
  const asked = [...new Set([...(toolNames ?? []), toolName])].filter((name) => name !== '');
  if (asked.length === 0) {
    const message = toolNames === undefined ? prompts.missingNames() : prompts.emptyNames();
    return { success: false, message };
  }

  const start = performance.now();
  const chosen = asked.slice(0, step.allowance.names);
  const outcome = await loadByName(chosen, step, services, ['load']);
  const notFound = outcome.notFound.map((name) => echo(name));
  const { loaded, alreadyLoaded, leftOut, evicted, tooMany, failed } = outcome;
  const isOfCatalog = (name: string): boolean => step.catalog.get(name) !== undefined;
  const noRoom = [...leftOut, ...tooMany];
  services.reporter.report(
    {
      ...{ type: 'load', by: 'model', loaded, alreadyLoaded },
      notFound: notFound.filter((name) => !isOfCatalog(name)),
      denied: outcome.notFound.filter(isOfCatalog).map((name) => step.catalog.nameOf(name)),
      ...(noRoom.length > 0 ? { noRoom } : {}),
      ...(failed.length > 0 ? { failed } : {}),
      ms: performance.now() - start,
    },
    step.origin,
  );
  const unknown = await withSuggestions(outcome.notFound, step);
  const found = await searchNames(unknown, step, (query, asked) => searchTools(query, asked, services));
  const notes = prompts.roomNotes(outcome);

  if (toolNames === undefined && !isPattern(toolName)) {
    const [fresh] = loaded;
    if (fresh !== undefined) {
      const message = `${prompts.loadedOne(fresh)}${notes}`;
      return { success: true, message, toolName: fresh, loaded: [fresh], ...listed('unloaded', evicted) };
    }
    const [already] = alreadyLoaded;
    if (already !== undefined) {
      // A tool that is sent anyway was never loaded.
      const before = step.resident.has(already) ? [] : [already];
      const message = alreadyThere(already, step, services);
      return { success: true, message, toolName: already, ...listed('loaded', before) };
    }
    if (leftOut.length + failed.length > 0) return { success: false, message: notes.trim(), toolName: echo(toolName) };
    const [missing] = unknown;
    if (!missing) return { success: false, message: prompts.missingNames(), toolName: echo(toolName) };
    return {
      success: false,
      message: found
        ? prompts.foundByWords(missing.name, found.message)
        : prompts.notFound(missing, names, await nothingToFind(step)),
      toolName: echo(toolName),
      ...(found ? { results: found.results } : {}),
    };
  }

  const isNothing = loaded.length + alreadyLoaded.length + leftOut.length + tooMany.length + failed.length === 0;
  const nothing = isNothing ? await nothingToFind(step) : undefined;
  const ignored = asked.length - chosen.length;
  const message = `${prompts.loadedMany(loaded, alreadyLoaded, unknown, ignored)}${notes}`.trim();
  return {
    success: unknown.length + leftOut.length + tooMany.length + failed.length === 0,
    message: [
      nothing === undefined ? message : `${message}. ${nothing}`,
      ...(found ? [prompts.answerByWords(found.message)] : []),
    ].join('. '),
    loadedCount: loaded.length,
    ...listed('loaded', loaded),
    ...listed('notFound', notFound),
    ...listed('alreadyLoaded', alreadyLoaded),
    ...listed('unloaded', evicted),
    ...(found ? { results: found.results } : {}),
  };
}

/** What is said of a tool that needs no load: the more, the more often the run loaded it. */
function alreadyThere(name: string, { calls, catalog }: Step, { options }: Services): string {
  const times = timesLoaded(name, calls, options.loadingTools);
  const entry = times > 1 ? catalog.get(name) : undefined;
  const call = entry ? prompts.howToCall(signatureOf(entry), exampleOf(entry)) : '';
  return prompts.alreadyLoaded(name, times, call);
}

/** A field of the result, left out where its list is empty, as in core. */
function listed(
  key: 'loaded' | 'notFound' | 'alreadyLoaded' | 'unloaded',
  list: readonly string[],
): Partial<LoadToolResult> {
  return list.length > 0 ? { [key]: [...list] } : {};
}
