import { isAcceptedName } from '../catalog/names.ts';
import { checkOption, invalidOption } from '../errors.ts';
import type { MetaToolNames } from '../meta-tools/prompts.ts';
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
  /** The user's own texts; undefined for the built-in ones. */
  readonly searchDescription: string | undefined;
  readonly loadDescription: string | undefined;
  readonly unloadDescription: string | undefined;
  /** `'firm'`, or the user's own text. */
  readonly systemText: string | undefined;
  /** The name of `unload_tool`; undefined where there is none. */
  readonly unloadName: string | undefined;
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
   * What the system text says of the meta-tools: `'firm'` tells a model that answers in prose to search first; another text
   * is your own, and has to name the tools. Without it, load mode has the text of @mastra/core's class.
   */
  readonly systemText?: 'firm' | (string & {});
}

/** @throws ToolSearchError `invalid-option` */
export function resolveMetaTools(metaTools: MetaToolsOption): ResolvedMetaTools {
  checkOption(isRecord(metaTools), 'metaTools', metaTools, 'an object with search and load');
  const search = wording('metaTools.search', metaTools.search, 'search_tools');
  const load = wording('metaTools.load', metaTools.load, 'load_tool');
  if (search.name === load.name) {
    throw invalidOption('metaTools.load.name', load.name, `another name than metaTools.search.name`);
  }
  const { systemText } = metaTools;
  const isText = typeof systemText === 'string' && systemText.trim() !== '';
  checkOption(systemText === undefined || isText, 'metaTools.systemText', systemText, `'firm', or a text`);
  const unload =
    metaTools.unload === undefined || metaTools.unload === false
      ? undefined
      : wording('metaTools.unload', metaTools.unload === true ? {} : metaTools.unload, 'unload_tool');
  if (unload && (unload.name === search.name || unload.name === load.name)) {
    throw invalidOption('metaTools.unload.name', unload.name, 'another name than those of the other meta-tools');
  }
  return {
    names: { search: search.name, load: load.name },
    searchDescription: search.description,
    loadDescription: load.description,
    unloadDescription: unload?.description,
    unloadName: unload?.name,
    systemText,
  };
}

/** @throws ToolSearchError `invalid-option` */
export function wording(
  path: string,
  value: MetaToolWording | undefined,
  defaultName: string,
): { name: string; description: string | undefined } {
  checkOption(value === undefined || isRecord(value), path, value, 'an object with name and description');
  const { name = defaultName, description } = value ?? {};
  checkOption(
    typeof name === 'string' && isAcceptedName(name),
    `${path}.name`,
    name,
    '1 to 64 letters, digits, "_" and "-"',
  );
  checkOption(
    description === undefined || (typeof description === 'string' && description.trim() !== ''),
    `${path}.description`,
    description,
    'a text',
  );
  return { name, description };
}
