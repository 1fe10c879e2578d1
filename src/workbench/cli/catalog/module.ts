import { statSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { RequestContext } from '@mastra/core/request-context';
import type { EvaluationCase } from '../../../entries/evaluate.ts';
import { messageOf } from '../../../errors.ts';
import type { ToolGroup, ToolScorer, ToolSearchFilter } from '../../../index.ts';
import { isMastraTool } from '../../../kit.ts';
import { asRecord, given } from '../../../util/record.ts';
import { ended } from '../../../util/text.ts';
import { inTime } from '../../../util/timeout.ts';
import { shown, UsageError } from '../terminal.ts';
import { readDefinitions } from './json.ts';

/** The exports of a module: its tools, as the processor takes them, and optional settings. */
export interface LoadedModule {
  readonly tools: Exports;
  readonly keywords?: Readonly<Record<string, readonly string[]>>;
  readonly scorers?: readonly ToolScorer[];
  readonly cases?: readonly EvaluationCase[];
  readonly requestContext?: RequestContext;
  readonly filter?: ToolSearchFilter;
  readonly groups?: ToolGroup;
  readonly mode?: 'load' | 'call' | 'native';
}

type Exports = Readonly<Record<string, unknown>>;

/** @throws UsageError if the module cannot be read, or exports no tools. */
export async function loadModule(file: string, milliseconds: number): Promise<LoadedModule> {
  const { tools, default: byDefault, ...others } = await importModule(file, milliseconds);
  const found = tools ?? byDefault;
  if (found === undefined) {
    const names = Object.keys(others).map(shown).join(', ') || 'nothing';
    throw new UsageError(
      `${shown(file)} exports no tools: it exports ${names}. Export them as "tools", or by default: a record, a list, or a function that returns one.`,
    );
  }
  const { keywords, scorer, scorers = scorer, cases, requestContext, filter, groups, mode } = others;
  const what = `What ${shown(file)} exports as its tools`;
  const late = (): UsageError => new UsageError(`${what}: ${lateness(milliseconds)}.`);
  try {
    return {
      tools: await inTime(toolsOf(found, file, given({ requestContext })), milliseconds, late),
      ...given({ keywords, cases, requestContext, filter, groups, mode }),
      ...given({ scorers: scorers === undefined || Array.isArray(scorers) ? scorers : [scorers] }),
    } as unknown as LoadedModule;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new Error(`${what} fails: ${shown(messageOf(error))}`, { cause: error });
  }
}

/**
 * Imports a module.
 *
 * @throws UsageError if the module cannot be read, or is not ready in time.
 */
export async function importModule(file: string, milliseconds: number): Promise<Exports> {
  try {
    const { href } = pathToFileURL(path.resolve(file));
    // Node caches modules by URL, so a changed file is imported with another query.
    const imported = import(`${href}${versionOf(file)}`) as Promise<Exports>;
    const module = await inTime(imported, milliseconds, () => new Error(lateness(milliseconds)));
    // The default export of a CommonJS module holds all its exports.
    const inner = asRecord(module['default']);
    return inner && '__esModule' in inner ? inner : module;
  } catch (error) {
    // A module may throw anything.
    const { code, message = `it throws ${String(error)}` } = (error ?? {}) as NodeJS.ErrnoException;
    const isTypeScript = code === 'ERR_UNKNOWN_FILE_EXTENSION' || code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX';
    // With "type": "commonjs" in package.json, Node parses no import in a .ts or .js file.
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

const versions = new Map<string, { readonly time: number; readonly count: number }>();

/** The query of a module's URL: empty at first, and another one after each change of its file. */
function versionOf(file: string): string {
  const time = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const known = versions.get(file);
  const count = (known?.count ?? 0) + (known && known.time !== time ? 1 : 0);
  versions.set(file, { time, count });
  return count === 0 ? '' : `?version=${count}`;
}

function lateness(milliseconds: number): string {
  return `it is not ready after ${milliseconds / 1_000} s; --timeout gives it longer`;
}

/** Reads tools from the value that a module exports. */
async function toolsOf(exported: unknown, file: string, request: object): Promise<Exports> {
  const exports: unknown = await exported;
  const value: unknown = typeof exports === 'function' ? await exports(request) : exports;
  if (Array.isArray(value)) return recordOf(value, file);
  const fields = asRecord(value);
  if (!fields) throw notTools(file, `is ${value === null ? 'null' : typeof value}`);
  if (isProcessor(value)) throw notTools(file, 'is a ToolSearchProcessor, which does not tell its tools');
  const { listTools, disconnect } = fields;
  if (typeof listTools !== 'function') return fields;
  // The value is an agent, or an MCP client, which may have started servers.
  try {
    const tools = asRecord(await listTools.call(value, request)) ?? {};
    if (Object.keys(tools).length === 0 && (await hasProcessor(fields, value)))
      throw notTools(file, 'is an Agent whose tools are in a ToolSearchProcessor, which does not tell them');
    return tools;
  } finally {
    if (typeof disconnect === 'function') await disconnect.call(value);
  }
}

function isProcessor(value: unknown): boolean {
  const fields = asRecord(value);
  return fields !== undefined && fields['id'] === 'tool-search' && 'processInputStep' in fields;
}

/** Whether an agent has a ToolSearchProcessor. */
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
