import { asRecord, given, isRecord } from '../../../util/record.ts';
import { shown, UsageError } from '../terminal.ts';

export type Server = {
  /** The prefix of its tools' names; without it, they keep the names that the server gives them. */
  readonly name?: string;
} & (
  | { readonly command: string; readonly args: readonly string[]; readonly env: Env; readonly cwd?: string }
  | { readonly url: string; readonly headers: Readonly<Record<string, string>>; readonly isSse: boolean }
);

type Env = Readonly<Record<string, string>>;
export type Environment = Readonly<Record<string, string | undefined>>;

export interface BrokenServer {
  readonly name: string;
  readonly error: Error;
}

/** The servers of an mcp.json of Claude, Cursor (`mcpServers`) or VS Code (`servers`); undefined for another value. */
export function serversIn(value: unknown, environment: Environment): readonly (Server | BrokenServer)[] | undefined {
  const fields = asRecord(value);
  const servers = asRecord(fields?.['mcpServers']) ?? asRecord(fields?.['servers']);
  if (!servers) return undefined;
  return Object.entries(servers).flatMap(([name, one]): (Server | BrokenServer)[] => {
    const server = asRecord(one) ?? {};
    if (server['disabled'] === true) return [];
    try {
      return [readServer(name, server, environment)];
    } catch (error) {
      return [{ name, error: error as Error }];
    }
  });
}

function readServer(name: string, server: Readonly<Record<string, unknown>>, environment: Environment): Server {
  const { command, url = server['serverUrl'], type, cwd } = server;
  const expand = (text: string): string => expanded(text, environment);
  const texts = (field: string): Record<string, string> => {
    const record = server[field] ?? {};
    if (!isRecord(record)) throw new UsageError(`its "${field}" must hold texts by name; got ${written(record)}.`);
    return Object.fromEntries(Object.entries(record).map(([key, text]) => [key, expand(textOf(text, `"${field}"`))]));
  };
  if (typeof command === 'string') {
    const args = server['args'] ?? [];
    if (!Array.isArray(args)) throw new UsageError(`its "args" must be a list of texts; got ${written(args)}.`);
    return {
      ...{ name, command: expand(command), args: args.map((text) => expand(textOf(text, '"args"'))) },
      env: texts('env'),
      ...(typeof cwd === 'string' ? { cwd: expand(cwd) } : {}),
    };
  }
  if (typeof url === 'string') {
    return { name, url: expand(url), headers: texts('headers'), isSse: type === 'sse' };
  }
  throw new UsageError('it has neither "command" nor "url".');
}

function textOf(value: unknown, place: string): string {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new UsageError(`its ${place} may have texts only; got ${written(value)}.`);
}

function written(value: unknown): string {
  return shown(JSON.stringify(value));
}

const VARIABLE = /\$\{([^}]*)(?:\}|$)/g;

/**
 * Replaces the environment variables in a text: `${NAME}`, `${env:NAME}`, `${NAME:-default}`.
 *
 * @throws UsageError for a variable that is not set, and for one that only an editor knows.
 */
export function expanded(text: string, environment: Environment): string {
  return text.replace(VARIABLE, (whole, written: string) =>
    whole.endsWith('}') ? valueOfVariable(written, environment) : whole,
  );
}

function valueOfVariable(written: string, environment: Environment): string {
  const name = written.startsWith('env:') ? written.slice(4) : written;
  const split = name.indexOf(':-');
  const variableName = split === -1 ? name : name.slice(0, split);
  const value = Object.hasOwn(environment, variableName) ? environment[variableName] : undefined;
  // As in a shell, the default also replaces an empty variable.
  if (split !== -1) return value || name.slice(split + 2);
  if (value !== undefined) return value;
  const variable = `\${${shown(written)}}`;
  if (name.includes(':')) {
    throw new UsageError(`only an editor knows ${variable}. Write \${NAME}, and set NAME in the environment.`);
  }
  throw new UsageError(`the environment has no ${variable}. Set it, or write \${${shown(name)}:-default}.`);
}

/**
 * Parses a server from a command line, as `TOKEN=x npx -y server`, or from a URL.
 *
 * @throws UsageError
 */
export function writtenServer(
  written: string,
  headers: Readonly<Record<string, string>>,
  environment: Environment,
): Server {
  const text = written.trim();
  if (isUrl(text)) return { url: text, headers, isSse: false };
  const words = wordsOf(text);
  const first = words.findIndex((word) => !ASSIGNMENT.test(word));
  const [command = '', ...args] = first === -1 ? [] : words.slice(first);
  if (command === '') throw new UsageError(`--mcp needs a command or a URL; got "${shown(written)}".`);
  // A command on the command line inherits the whole environment, as in a shell.
  const env = given({ ...environment }) as Record<string, string>;
  for (const word of words.slice(0, first)) env[word.slice(0, word.indexOf('='))] = word.slice(word.indexOf('=') + 1);
  return { command, args, env };
}

export function isUrl(text: string): boolean {
  return text.startsWith('http://') || text.startsWith('https://');
}

/** A word that sets a variable for the command: `NAME=value`. */
const ASSIGNMENT = /^\w+=/;

/** Quoted parts, escaped characters and other characters, without a space between them. */
const WORD = /(?:"(?:\\.|[^"\\])*"|'[^']*'|\\[ "'\\]|[^\s"'])+/gs;
const QUOTED = /"((?:\\.|[^"\\])*)"|'([^']*)'|\\([ "'\\])/gs;

/** Splits a command line into words: quotes keep spaces, a backslash escapes the next character. */
export function wordsOf(line: string): string[] {
  const rest = line.replace(WORD, '');
  if (rest.includes('"') || rest.includes("'")) throw new UsageError(`A quote is not closed in ${shown(line)}.`);
  return (line.match(WORD) ?? []).map((word) =>
    word.replace(QUOTED, (_, double?: string, single?: string, character?: string) => {
      return double?.replace(/\\([ "'\\])/g, '$1') ?? single ?? character ?? '';
    }),
  );
}
