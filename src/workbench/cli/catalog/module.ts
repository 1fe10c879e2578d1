import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { RequestContext } from '@mastra/core/request-context';
import type { EvaluationCase } from '../../../entries/evaluate.ts';
import type { ToolGroup, ToolScorer, ToolSearchFilter } from '../../../index.ts';
import { asRecord, ended, inTime, isMastraTool, messageOf } from '../../../kit.ts';
import { shown, UsageError } from '../terminal.ts';
import { readDefinitions } from './definition.ts';

/** What a module says besides its tools, by the names of its exports. */
export interface ModuleExtras {
  readonly keywords?: Readonly<Record<string, readonly string[]>>;
  readonly scorers?: readonly ToolScorer[];
  readonly cases?: readonly EvaluationCase[];
  readonly requestContext?: RequestContext;
  readonly filter?: ToolSearchFilter;
  readonly groups?: ToolGroup;
  readonly mode?: 'load' | 'call' | 'native';
}

/** The tools of a module, as the processor takes them. */
export interface LoadedModule extends ModuleExtras {
  readonly tools: Readonly<Record<string, unknown>>;
}

type Exports = Readonly<Record<string, unknown>>;

/** @throws UsageError where the module cannot be read, or exports no tools. */
export async function loadModule(file: string, milliseconds: number): Promise<LoadedModule> {
  const exported = await importModule(file, milliseconds);
  const extras = extrasOf(exported);
  const { tools, default: byDefault, ...others } = exported;
  const found = tools ?? byDefault;
  if (found === undefined) {
    const names = Object.keys(others).map(shown).join(', ') || 'nothing';
    throw new UsageError(
      `${shown(file)} exports no tools: it exports ${names}. Export them as "tools", or by default: a record, a list, or a function that returns one.`,
    );
  }
  try {
    const tools = await inTime(toolsOf(found, file, extras), milliseconds, () => lateTools(file, milliseconds));
    return { ...extras, tools };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new Error(`What ${shown(file)} exports as its tools fails: ${shown(messageOf(error))}`, { cause: error });
  }
}

/**
 * What a module exports.
 *
 * @throws UsageError where it cannot be read, or is not ready in time.
 */
export async function importModule(file: string, milliseconds: number): Promise<Exports> {
  try {
    const module = await inTime(import(pathToFileURL(path.resolve(file)).href) as Promise<Exports>, milliseconds, () =>
      late(milliseconds),
    );
    // A CommonJS module has all that it exports by default as well.
    const inner = asRecord(module['default']);
    return inner && '__esModule' in inner ? inner : module;
  } catch (error) {
    // A module may throw anything.
    const { code, message = `it throws ${String(error)}` } = (error ?? {}) as NodeJS.ErrnoException;
    const isTypeScript = code === 'ERR_UNKNOWN_FILE_EXTENSION' || code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX';
    // Where package.json says "type": "commonjs", Node reads no import in a .ts or .js file.
    const isCommonJs = ['Cannot use import statement', "Unexpected token 'export'"].some((start) =>
      String(message).startsWith(start),
    );
    const remedy = isTypeScript
      ? ` Node ${process.versions.node} does not read it; take Node 22.18 or later and types that can be erased, or give the compiled file.`
      : isCommonJs
        ? ` Node takes it for CommonJS: call it ${file.endsWith('ts') ? '.mts' : '.mjs'}, or set "type": "module" in package.json.`
        : '';
    throw new UsageError(`${shown(file)} cannot be imported: ${ended(shown(String(message)))}${remedy}`, {
      cause: error,
    });
  }
}

function late(milliseconds: number): Error {
  return new Error(`it is not ready after ${milliseconds / 1_000} s; --timeout gives it longer`);
}

function lateTools(file: string, milliseconds: number): UsageError {
  return new UsageError(`What ${shown(file)} exports as its tools: ${late(milliseconds).message}.`);
}

function extrasOf(exported: Exports): ModuleExtras {
  const { keywords, scorer, scorers = scorer, cases, requestContext, filter, groups, mode } = exported;
  const all = {
    ...{ keywords, cases, requestContext, filter, groups, mode },
    scorers: scorers === undefined || Array.isArray(scorers) ? scorers : [scorers],
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

/** Tools from whatever a module exports as them. */
async function toolsOf(exported: unknown, file: string, extras: ModuleExtras): Promise<Exports> {
  const { requestContext } = extras;
  const given: unknown = await exported;
  const value: unknown =
    typeof given === 'function' ? await given(requestContext === undefined ? {} : { requestContext }) : given;
  if (Array.isArray(value)) return recordOf(value, file);
  const fields = asRecord(value);
  if (!fields) throw notTools(file, `is ${value === null ? 'null' : typeof value}`);
  const { listTools, disconnect } = fields;
  if (typeof listTools === 'function') {
    // An agent, or an MCP client, which may have started servers.
    try {
      const listed: unknown = await listTools.call(value, requestContext === undefined ? {} : { requestContext });
      const tools = asRecord(listed) ?? {};
      if (Object.keys(tools).length === 0 && (await hasProcessor(fields, value)))
        throw notTools(file, 'is an Agent whose tools are in a ToolSearchProcessor, which does not tell them');
      return tools;
    } finally {
      if (typeof disconnect === 'function') await disconnect.call(value);
    }
  }
  if (isProcessor(value)) {
    throw notTools(file, 'is a ToolSearchProcessor, which does not tell its tools');
  }
  return fields;
}

function isProcessor(value: unknown): boolean {
  const fields = asRecord(value);
  return fields !== undefined && fields['id'] === 'tool-search' && 'processInputStep' in fields;
}

/** Whether an agent searches tools by a processor of its own. */
async function hasProcessor({ listConfiguredInputProcessors }: Exports, agent: unknown): Promise<boolean> {
  if (typeof listConfiguredInputProcessors !== 'function') return false;
  const listed: unknown = await listConfiguredInputProcessors.call(agent);
  return Array.isArray(listed) && listed.some(isProcessor);
}

function recordOf(list: readonly unknown[], file: string): Exports {
  const named = list.map((tool): [string, unknown] => {
    if (isMastraTool(tool)) return [tool.id, tool];
    const [definition] = readDefinitions([tool]).definitions;
    if (!definition) throw notTools(file, 'has a list with something that is no tool');
    return [definition.id, definition];
  });
  return Object.fromEntries(named);
}

function notTools(file: string, what: string): UsageError {
  return new UsageError(
    `What ${shown(file)} exports as its tools ${what}. Export a record of tools by name, a list of them, an Agent, an MCPClient, or a function that returns one of these; of a processor, what it is given as "tools".`,
  );
}
