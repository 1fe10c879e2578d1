import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { messageOf } from '../../../errors.ts';
import { ended } from '../../../util/text.ts';
import type { Call, CommandOption, CommandOptions, Values } from '../command.ts';
import { shown, UsageError, warning } from '../terminal.ts';
import {
  checkedKeywords,
  definitionsIn,
  extrasIn,
  FORMS,
  readDefinitions,
  readJson,
  type WrittenDefinition,
  type WrittenDefinitions,
} from './json.ts';
import { type BrokenServer, isUrl, type Server, serversIn, writtenServer } from './mcp-config.ts';
import type { LoadedModule } from './module.ts';

/** The catalog of a command. */
export interface LoadedCatalog extends LoadedModule {
  /** The title of results: the name of the file, or of the servers. */
  readonly title: string;
  /** All definitions, also several of one name; absent if a module made the tools. */
  readonly list?: readonly WrittenDefinition[];
}

export const catalogOptions: CommandOptions = {
  mcp: { multiple: true, hint: 'COMMAND|URL', text: 'Ask an MCP server for its tools, in place of CATALOG' },
  header: { multiple: true, hint: 'NAME: VALUE', text: 'A header for the servers behind URLs' },
  keywords: { hint: 'FILE', text: 'Words that people use, as JSON: { "tool": ["word"] }' },
  timeout: { hint: 'SECONDS', text: 'For a server to start, for its list of tools, and for a module (60)' },
  strict: { text: 'End with 2 where a server or a tool cannot be read' },
};

export const MODES = ['load', 'call', 'native'] as const;

export const modeOption: CommandOption = {
  hint: 'MODE',
  values: MODES,
  text: "The processor's mode; else that of CATALOG, else load",
};

const MODULES = ['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts'];

/**
 * Loads the catalog of a call: the servers of `--mcp`, or else the first positional.
 *
 * @param most - the number of other positionals that the command takes.
 * @returns the catalog, and the other positionals.
 * @throws UsageError if there is no catalog, or a positional too many.
 */
export async function loadCatalog(call: Call, most = 0): Promise<{ catalog: LoadedCatalog; rest: readonly string[] }> {
  const { positionals, values } = call;
  const [file, ...others] = positionals;
  const commands = values.texts('mcp');
  const rest = commands.length > 0 ? positionals : others;
  refuseExtra(positionals, commands.length > 0, most);
  // Servers start slowly, so missing files are reported first.
  for (const named of [...(most === 1 ? rest : []), ...values.texts('cases'), ...values.texts('log')])
    if (named !== '-') checkFile(named);
  timeoutOf(values);
  const headers = headersOf(values.texts('header'));
  const keywords = values.text('keywords');
  const words = keywords === undefined ? {} : checkedKeywords(readJson(readText(keywords), keywords), shown(keywords));
  let catalog: LoadedCatalog;
  if (commands.length > 0 || (file !== undefined && isUrl(file))) {
    const written = commands.length > 0 ? commands : [file ?? ''];
    catalog = await listServers(
      written.map((command) => writtenServer(command, headers, process.env)),
      call,
    );
  } else {
    if (file === undefined || file.trim() === '')
      throw new UsageError('Which catalog? Give a file of tools or an mcp.json, or a server with --mcp "npx -y …".');
    catalog = await loadFile(file, call);
  }
  if (Object.keys(catalog.tools).length === 0) throw new UsageError(`${catalog.title} has no tools.`);
  const all = { ...catalog.keywords, ...words };
  return { catalog: Object.keys(all).length > 0 ? { ...catalog, keywords: all } : catalog, rest };
}

export function timeoutOf(values: Values): number {
  return (values.number('timeout', 1) ?? 60) * 1_000;
}

/** @throws UsageError for a positional too many, and for a catalog beside `--mcp`. */
function refuseExtra(positionals: readonly string[], hasServers: boolean, most: number): void {
  const [first = ''] = positionals;
  const isFile = [...MODULES, '.json', '.jsonl'].includes(path.extname(first)) && existsSync(first);
  // Commands with several positionals take queries, which may also be names of files.
  if (hasServers && (positionals.length > most || (most > 1 && isFile)))
    throw new UsageError(`"${shown(first)}" is one argument too many: --mcp stands in place of CATALOG.`);
  const extra = positionals[most + 1];
  if (extra === undefined) return;
  throw new UsageError(`"${shown(extra)}" is one argument too many. Run the command again for another catalog.`);
}

export function headersOf(texts: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    texts.map((text) => {
      const at = text.indexOf(':');
      if (at < 1) throw new UsageError(`--header needs a name and a value: --header "Authorization: Bearer …".`);
      return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
    }),
  );
}

async function loadFile(file: string, call: Call): Promise<LoadedCatalog> {
  const title = file === '-' ? 'stdin' : shown(file);
  if (file !== '-') checkFile(file);
  if (MODULES.includes(path.extname(file))) {
    const { loadModule } = await import('./module.ts');
    return { title, ...(await loadModule(file, timeoutOf(call.values))) };
  }
  const value = readJson(file === '-' ? await call.terminal.input() : readFileSync(file, 'utf8'), title);
  const servers = serversIn(value, process.env);
  if (servers) return { ...(await listServers(servers, call)), title };
  const definitions = definitionsIn(value);
  if (!definitions) throw new UsageError(`${shown(file)} has no tools. It must hold ${FORMS}.`);
  return { ...catalogOf(title, definitions, call), ...extrasIn(value, file) };
}

async function listServers(servers: readonly (Server | BrokenServer)[], call: Call): Promise<LoadedCatalog> {
  const { listServerTools } = await import('./mcp.ts');
  let done = 0;
  const say = (): void => call.terminal.progress(`Asking MCP servers for their tools (${done}/${servers.length})…`);
  say();
  const listed = await Promise.all(
    servers.map(async (server) => {
      try {
        if ('error' in server) throw server.error;
        return { ...(await listServerTools(server, timeoutOf(call.values))), given: server.name };
      } catch (error) {
        const name = server.name ?? ('url' in server ? server.url : 'command' in server ? server.command : '');
        fault(call, `The server "${shown(name)}" cannot be asked for its tools: ${ended(shown(messageOf(error)))}`);
        return [];
      } finally {
        done++;
        say();
      }
    }),
  );
  const answered = listed.flat();
  if (answered.length === 0 && servers.length > 0) throw new UsageError('No server could be asked for its tools.');
  for (const { cut, server, tools } of answered) {
    if (cut === undefined) continue;
    const name = shown(server.serverName);
    fault(call, `The list of the server "${name}" is cut after ${tools.length} tools: ${ended(shown(cut))}`);
  }
  const taken = new Map<string, number>();
  const all = answered.map(({ server, tools, given }): WrittenDefinitions => {
    const count = (taken.get(server.serverName) ?? 0) + 1;
    taken.set(server.serverName, count);
    const serverName = count === 1 ? server.serverName : `${server.serverName}${count}`;
    // Tools are named as Mastra's MCPClient names them. A single server without a name needs no prefix.
    const prefix = given === undefined && servers.length === 1 ? '' : `${serverName}_`;
    return readDefinitions(tools, { ...server, serverName }, prefix);
  });
  const title = answered.map(({ server }) => server.serverName).join(', ');
  const definitions = all.flatMap((one) => one.definitions);
  const refused = all.flatMap((one) => one.refused);
  return catalogOf(title, { definitions, refused, provided: all.flatMap((one) => one.provided) }, call);
}

function catalogOf(title: string, { definitions, refused, provided }: WrittenDefinitions, call: Call): LoadedCatalog {
  if (refused.length > 0) {
    const places = refused.slice(0, 5).join(', ');
    const what = `${refused.length} of the list are no tools and are left out: number ${places}.`;
    fault(call, `${what} A tool has a "name".`);
  }
  if (provided.length > 0) {
    const names = provided.slice(0, 5).map(shown).join(', ');
    const what = `${provided.length} of the list are tools that a provider runs itself, and are left out: ${names}.`;
    warning(call.terminal, `${what} They have no description to search.`);
  }
  const tools = new Map<string, WrittenDefinition>();
  const twice = new Set<string>();
  for (const definition of definitions) {
    if (tools.has(definition.id)) twice.add(definition.id);
    tools.set(definition.id, definition);
  }
  for (const name of twice) fault(call, `Several tools are called "${shown(name)}"; the last one counts.`);
  return { title: shown(title), tools: Object.fromEntries(tools), list: definitions };
}

/** Warns of a left-out part and goes on; with `--strict`, throws. */
export function fault({ terminal, values }: Call, message: string): void {
  if (values.flag('strict')) throw new UsageError(message);
  warning(terminal, message);
}

/** @throws UsageError if there is no such file. */
export function checkFile(file: string): void {
  if (!existsSync(file)) throw new UsageError(`There is no file ${shown(file)}.`);
  if (statSync(file).isDirectory())
    throw new UsageError(`${shown(file)} is a folder. Give a file in it: tools as JSON, a module, or an mcp.json.`);
}

export function readText(file: string): string {
  checkFile(file);
  return readFileSync(file, 'utf8');
}
