import { isAcceptedName } from '../catalog/names.ts';
import { checkOption } from '../errors.ts';
import type { MetaToolNames } from '../step/step.ts';
import { type Check, checkValues, must, type Option, type OptionTable, object } from '../util/check.ts';
import { isRecord } from '../util/record.ts';

/**
 * Name and description of a meta-tool, as the model reads them.
 *
 * @example
 * ```ts
 * const search: MetaToolWording = { name: 'find_tools', description: 'Finds tools for customers and invoices.' };
 * new ToolSearchProcessor({ tools, metaTools: { search } });
 * ```
 */
export interface MetaToolWording {
  /** 1 to 64 letters, digits, `_` and `-`. */
  name?: string;
  description?: string;
}

export interface ResolvedMetaTools {
  readonly names: MetaToolNames;
  /** The user's own descriptions; undefined for the built-in ones. */
  readonly searchDescription: string | undefined;
  readonly loadDescription: string | undefined;
  readonly unloadDescription: string | undefined;
  /** `'firm'`, or the user's own text. */
  readonly systemText: string | undefined;
  /** The name of `unload_tool`; undefined if the model gets no such tool. */
  readonly unloadName: string | undefined;
}

export interface ResolvedCall {
  readonly name: string;
  /** The user's own text; undefined for the built-in one. */
  readonly description: string | undefined;
  readonly schemaTokens: number;
}

/**
 * The option `metaTools`: names and descriptions of the meta-tools.
 *
 * @example
 * ```ts
 * new ToolSearchProcessor({ tools, metaTools: { search: { name: 'find_tools' }, unload: true } });
 * ```
 */
export interface MetaToolsOption {
  readonly search?: MetaToolWording;
  readonly load?: MetaToolWording;
  /** Only with `mode: 'call'`, or `native.fallback: 'call'`. */
  readonly call?: MetaToolWording;
  /** Gives the model a tool to unload tools with. @default false */
  readonly unload?: boolean | MetaToolWording;
  /**
   * The system text about the meta-tools: `'firm'`, for models that answer in prose instead of searching, or a text of
   * your own, which has to name the tools. By default, load mode has the text of @mastra/core's class.
   */
  readonly systemText?: 'firm' | (string & {});
}

const text: Check = must('a text', (value) => typeof value === 'string' && value.trim() !== '');
const wordingOptions: OptionTable<MetaToolWording> = {
  name: {
    check: must('1 to 64 letters, digits, "_" and "-"', (value) => typeof value === 'string' && isAcceptedName(value)),
  },
  description: { check: text },
};
const wordingOption: Omit<Option, 'default'> = {
  check: object('an object with name and description'),
  of: wordingOptions,
};

const metaToolsOptions: OptionTable<MetaToolsOption> = {
  search: wordingOption,
  load: wordingOption,
  call: wordingOption,
  unload: {
    check: must('an object with name and description', (value) => typeof value === 'boolean' || isRecord(value)),
    of: wordingOptions,
  },
  systemText: { check: must(`'firm', or a text`, text.holds) },
};

export const metaToolsOption: Omit<Option, 'default'> = {
  check: object('an object with search and load'),
  of: metaToolsOptions,
};

/** @throws ToolSearchError `invalid-option`, for wrong names and equal ones. */
export function resolveMetaTools(metaTools: MetaToolsOption): ResolvedMetaTools {
  checkValues({ metaTools }, { metaTools: metaToolsOption });
  const { systemText, unload } = metaTools;
  const { name: search = 'search_tools', description: searchDescription } = metaTools.search ?? {};
  const { name: load = 'load_tool', description: loadDescription } = metaTools.load ?? {};
  const { name: unloadName = 'unload_tool', description: unloadDescription } = typeof unload === 'object' ? unload : {};
  checkOption(search !== load, 'metaTools.load.name', load, 'another name than metaTools.search.name');
  if (unload) checkOther('metaTools.unload.name', unloadName, search, load);
  return {
    ...{ names: { search, load }, systemText, searchDescription, loadDescription, unloadDescription },
    unloadName: unload ? unloadName : undefined,
  };
}

/** Resolves the settings of call mode. Undefined if neither the mode nor native mode's fallback is `'call'`. */
export function resolveCall(
  mode: 'load' | 'call' | 'native' | 'code',
  native: { readonly fallback: string } | undefined,
  wording: MetaToolWording | undefined,
  { names: { search, load }, unloadName }: ResolvedMetaTools,
): Omit<ResolvedCall, 'schemaTokens'> | undefined {
  if (mode !== 'call' && native?.fallback !== 'call') return undefined;
  const { name = 'call_tool', description } = wording ?? {};
  checkOther('metaTools.call.name', name, search, ...(mode === 'call' ? [] : [load, unloadName]));
  return { name, description };
}

function checkOther(option: string, name: string, ...others: readonly (string | undefined)[]): void {
  checkOption(!others.includes(name), option, name, 'another name than those of the other meta-tools');
}
