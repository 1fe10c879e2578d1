import { checkOption, invalidOption } from '../errors.ts';
import { type MetaToolsOption, type ResolvedMetaTools, wording } from './meta-tools.ts';
import type { ResolvedNative } from './native.ts';

/** Settings of call mode. */
export interface ResolvedCall {
  /** The name of `call_tool`. */
  readonly name: string;
  /** The user's own text; undefined for the built-in one. */
  readonly description: string | undefined;
  readonly schemaTokens: number;
}

/** Options of call mode, and those that it rules out. */
interface CallOptions {
  readonly mode?: unknown;
  readonly search?: { readonly schemaTokens?: unknown; readonly autoLoad?: unknown };
  readonly metaTools?: MetaToolsOption;
  readonly maxLoaded?: unknown;
}

/**
 * Checks the options of call mode.
 *
 * @returns undefined where neither the mode nor native mode's fallback is `'call'`.
 * @throws ToolSearchError `invalid-option`
 */
export function resolveCall(
  { mode, search, metaTools = {}, maxLoaded }: CallOptions,
  { names, unloadName }: ResolvedMetaTools,
  native: ResolvedNative | undefined,
): ResolvedCall | undefined {
  const { schemaTokens = 1_500, autoLoad } = search ?? {};
  if (mode !== 'call' && native?.fallback !== 'call') {
    const expected = `left out, or used with mode: 'call'`;
    checkOption(metaTools.call === undefined, 'metaTools.call', metaTools.call, expected);
    checkOption(search?.schemaTokens === undefined, 'search.schemaTokens', search?.schemaTokens, expected);
    return undefined;
  }
  if (mode === 'call') {
    const expected = `left out with mode: 'call', where nothing is loaded`;
    checkOption(autoLoad !== true, 'search.autoLoad', autoLoad, expected);
    checkOption(metaTools.load === undefined, 'metaTools.load', metaTools.load, expected);
    checkOption(unloadName === undefined, 'metaTools.unload', metaTools.unload, expected);
    checkOption(maxLoaded === undefined, 'maxLoaded', maxLoaded, expected);
  }
  if (typeof schemaTokens !== 'number' || !(schemaTokens >= 0)) {
    throw invalidOption('search.schemaTokens', schemaTokens, 'a number of at least 0');
  }
  const { name, description } = wording('metaTools.call', metaTools.call, 'call_tool');
  const others = mode === 'call' ? [names.search] : [names.search, names.load, unloadName];
  checkOption(!others.includes(name), 'metaTools.call.name', name, 'another name than those of the other meta-tools');
  return { name, description, schemaTokens };
}
