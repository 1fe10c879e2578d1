import { isAcceptedName } from '../catalog/names.ts';
import { checkOption, invalidOption } from '../errors.ts';
import { type MetaToolNames, parameterDescriptions } from '../prompts.ts';
import { isRecord } from '../util/record.ts';

/** What the model is told of a tool or a parameter. */
export interface MetaToolWording {
  /** 1 to 64 letters, digits, `_` and `-`. */
  name?: string;
  description?: string;
}

export interface SearchToolWording extends MetaToolWording {
  parameters?: { query?: MetaToolWording; maxResults?: MetaToolWording };
}

export interface LoadToolWording extends MetaToolWording {
  parameters?: { toolName?: MetaToolWording; toolNames?: MetaToolWording };
}

interface ResolvedWording {
  readonly name: string;
  readonly description: string;
}

export interface ResolvedMetaTools {
  readonly names: MetaToolNames;
  /** The user's own texts; undefined for the built-in ones. */
  readonly searchDescription: string | undefined;
  readonly loadDescription: string | undefined;
  readonly unloadDescription: string | undefined;
  /** Undefined where there is none. */
  readonly unloadName: string | undefined;
  readonly parameters: {
    readonly query: ResolvedWording;
    readonly maxResults: ResolvedWording;
    readonly toolName: ResolvedWording;
    readonly toolNames: ResolvedWording;
  };
}

export interface MetaToolsOption {
  readonly search?: SearchToolWording;
  readonly load?: LoadToolWording;
  /** Gives the model a tool to unload tools with. @default false */
  readonly unload?: boolean | MetaToolWording;
}

/** @throws ToolSearchError `invalid-option` */
export function resolveMetaTools(metaTools: MetaToolsOption): ResolvedMetaTools {
  checkOption(isRecord(metaTools), 'metaTools', metaTools, 'an object with search and load');
  for (const path of ['search', 'load'] as const) {
    const { parameters = {} } = metaTools[path] ?? {};
    checkOption(isRecord(parameters), `metaTools.${path}.parameters`, parameters, 'an object');
  }
  const search = wording('metaTools.search', metaTools.search, 'search_tools');
  const load = wording('metaTools.load', metaTools.load, 'load_tool');
  if (search.name === load.name) {
    throw invalidOption('metaTools.load.name', load.name, `another name than metaTools.search.name`);
  }
  const unload =
    metaTools.unload === undefined || metaTools.unload === false
      ? undefined
      : wording('metaTools.unload', metaTools.unload === true ? {} : metaTools.unload, 'unload_tool');
  if (unload && (unload.name === search.name || unload.name === load.name)) {
    throw invalidOption('metaTools.unload.name', unload.name, 'another name than those of the other meta-tools');
  }
  const parameter = (
    path: string,
    name: keyof typeof parameterDescriptions,
    own: MetaToolWording | undefined,
  ): ResolvedWording => {
    const resolved = wording(`${path}.parameters.${name}`, own, name);
    return { name: resolved.name, description: resolved.description ?? parameterDescriptions[name] };
  };
  const parameters = {
    query: parameter('metaTools.search', 'query', metaTools.search?.parameters?.query),
    maxResults: parameter('metaTools.search', 'maxResults', metaTools.search?.parameters?.maxResults),
    toolName: parameter('metaTools.load', 'toolName', metaTools.load?.parameters?.toolName),
    toolNames: parameter('metaTools.load', 'toolNames', metaTools.load?.parameters?.toolNames),
  };
  for (const [first, second, path] of [
    [parameters.query, parameters.maxResults, 'metaTools.search.parameters'],
    [parameters.toolName, parameters.toolNames, 'metaTools.load.parameters'],
  ] as const) {
    if (first.name === second.name) throw invalidOption(path, first.name, 'two different names');
  }
  return {
    names: {
      search: search.name,
      load: load.name,
      toolName: parameters.toolName.name,
      toolNames: parameters.toolNames.name,
    },
    searchDescription: search.description,
    loadDescription: load.description,
    unloadDescription: unload?.description,
    unloadName: unload?.name,
    parameters,
  };
}

function wording(
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
