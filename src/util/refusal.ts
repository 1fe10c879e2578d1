import { asRecord, isRecord } from './record.ts';

/** Limit of nested errors that are read. */
const MAX_DEPTH = 5;
/** Limit of the depth of a response. A gateway quotes the response of another service as JSON within its own. */
const MAX_LEVELS = 10;
/** Limit of the texts that are read from one error. */
const MAX_TEXTS = 20;

/** A service's refusal of an invalid request. Sending the same request again is useless. */
interface Refusal {
  /** The refused request, if the error carries it. */
  readonly body: unknown;
  /** The words of the service: first the places of the fault, then the messages. */
  readonly texts: readonly string[];
}

/**
 * Yields an error and the errors nested in it, outermost first. In an error of the AI SDK, `lastError` is that of the
 * last attempt.
 */
export function* errorsWithin(error: unknown): Iterable<Readonly<Record<string, unknown>>> {
  let current = asRecord(error);
  for (let depth = 0; current && depth < MAX_DEPTH; depth++) {
    yield current;
    current = asRecord(current['lastError']) ?? asRecord(current['cause']);
  }
}

/** Returns the refusal in an error of the AI SDK, whose status is 400 or 422. Never throws. */
function refusalIn(error: unknown): Refusal | undefined {
  try {
    for (const { statusCode, message, data, responseBody, requestBodyValues } of errorsWithin(error)) {
      if (statusCode !== 400 && statusCode !== 422) continue;
      const places: string[] = [];
      const messages: string[] = [];
      readAnswer(data ?? responseBody, places, messages);
      if (typeof message === 'string') messages.push(message);
      return { body: requestBodyValues, texts: [...new Set([...places, ...messages])].slice(0, MAX_TEXTS) };
    }
  } catch {
    // An error that cannot be read is no refusal.
  }
  return undefined;
}

/** Collects the places and messages in a response. */
function readAnswer(answer: unknown, places: string[], messages: string[], level = 0): void {
  if (level > MAX_LEVELS || places.length + messages.length > MAX_TEXTS) return;
  if (typeof answer === 'string') {
    const parsed = parsedJson(answer);
    if (parsed === undefined) messages.push(answer);
    else readAnswer(parsed, places, messages, level + 1);
    return;
  }
  if (Array.isArray(answer)) {
    for (const part of answer.slice(0, MAX_TEXTS)) readAnswer(part, places, messages, level + 1);
    return;
  }
  if (!isRecord(answer)) return;
  const { param, loc } = answer;
  if (typeof param === 'string') places.push(param);
  // FastAPI gives a place as a list: ["body", "tools", 3, "function", "parameters"].
  if (Array.isArray(loc)) places.push(loc.join('.'));
  for (const key of ['message', 'msg', 'error', 'errors', 'detail', 'metadata', 'raw'])
    readAnswer(answer[key], places, messages, level + 1);
}

function parsedJson(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A tool whose definition a service refused. */
export interface RefusedTool {
  readonly name: string;
  /** The message of the service. */
  readonly reason: string;
}

/**
 * Finds the tool whose definition a provider refused. Undefined if the error names none. Errors may quote texts of
 * tools, so only the first place in a text counts, and a tool's name only in a sentence about schemas. Never throws.
 *
 * @param sent - the names of the tools in the order in which they were sent, for an error that does not carry the
 * request.
 */
export function refusedToolIn(error: unknown, sent: readonly string[] = []): RefusedTool | undefined {
  const refusal = refusalIn(error);
  return refusal && refusedTool(refusal, sent);
}

function refusedTool({ body, texts }: Refusal, sent: readonly string[]): RefusedTool | undefined {
  const names = namesIn(body) ?? sent;
  const reason = texts.find((text) => /\s/.test(text)) ?? texts[0] ?? '';
  for (const text of texts) {
    const name = nameAt(placeIn(text), body, sent);
    if (name !== undefined) return { name, reason };
  }
  for (const text of texts) {
    const name = namedIn(text, names);
    if (name !== undefined) return { name, reason: text };
  }
  return undefined;
}

/**
 * A place in a request: `tools.3.custom.input_schema`, `tools[3].function.parameters`,
 * `toolConfig.tools.3.member.toolSpec`, `GenerateContentRequest.tools[0].function_declarations[3].parameters`.
 */
const PLACE = /\b(?:toolConfig|tools|messages|input)(?:\[\d+\]|\.\w+)+/;
/** Google's words before a place. They contain a property name, which may look like a place. */
const BEFORE_PLACE = /^Invalid JSON payload received\. Unknown name ".*" at '/;

function placeIn(text: string): readonly string[] {
  const [place] = PLACE.exec(text.replace(BEFORE_PLACE, '')) ?? [];
  return place?.match(/\w+/g) ?? [];
}

/** Fields of a request that belong to the definition of a tool. */
const DEFINITION = /^(?:input_?schema|parameters|parameters_?json_?schema|tool_?spec|description)$/i;

/** Returns the name of the tool whose definition contains the place. */
function nameAt(place: readonly string[], body: unknown, sent: readonly string[]): string | undefined {
  const at = place.findIndex(
    (word, index) => DEFINITION.test(word) || (word === 'name' && index > 0 && place[0] === 'tools'),
  );
  if (at === -1) return undefined;
  const request = asRecord(body);
  if (!request) return place[0] === 'tools' && /^\d+$/.test(place[1] ?? '') ? sent[Number(place[1])] : undefined;
  let current: unknown = request;
  let name: string | undefined;
  for (const word of place.slice(0, at + 1)) {
    // A place may also have the kind of a part, such as "custom" or "member", which is no field of the request.
    const next = step(current, word);
    if (next === undefined) continue;
    name = definedName(next) ?? name;
    current = next;
  }
  return name;
}

function step(current: unknown, word: string): unknown {
  if (Array.isArray(current)) {
    // Google leaves out the index in a list of one.
    return /^\d+$/.test(word) ? current[Number(word)] : current.length === 1 ? step(current[0], word) : undefined;
  }
  const fields = asRecord(current);
  const camelCase = word.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  return fields?.[word] ?? fields?.[camelCase];
}

const SCHEMAS = ['input_schema', 'inputSchema', 'parameters', 'parametersJsonSchema'];

/**
 * Returns the name of a part if the part is a tool definition. Parts of other kinds, such as tool calls, have names as
 * well.
 */
function definedName(part: unknown): string | undefined {
  const fields = asRecord(part);
  const name = fields?.['name'];
  if (typeof name !== 'string') return undefined;
  const isTool = SCHEMAS.some((key) => Object.hasOwn(fields as object, key)) || fields?.['type'] === 'function';
  return isTool ? name : undefined;
}

/** Returns the names of all tools of a request. Undefined if none can be read. */
function namesIn(body: unknown): readonly string[] | undefined {
  const { tools, toolConfig } = asRecord(body) ?? {};
  const listed = [tools ?? asRecord(toolConfig)?.['tools']].flat(2);
  const names = listed.flatMap((tool) => {
    const fields = asRecord(tool) ?? {};
    const inner = [fields['function'], fields['toolSpec'], fields['tools'], fields['functionDeclarations']].flat();
    return [fields, ...inner].flatMap((part) => {
      const name = asRecord(part)?.['name'];
      return typeof name === 'string' ? [name] : [];
    });
  });
  return names.length > 0 ? names : undefined;
}

const ABOUT_SCHEMAS = /schema|parameters|function declaration/i;
const NAMED = /\b(?:function|tool)(?: declaration)?:? ['"`“‘]([\w.-]+)['"`”’]/i;

/** Returns the one tool that a sentence about schemas names in quotes. */
function namedIn(text: string, names: readonly string[]): string | undefined {
  if (!ABOUT_SCHEMAS.test(text)) return undefined;
  const [, named = ''] = NAMED.exec(text) ?? [];
  if (names.includes(named)) return named;
  const quoted = new Set([...text.matchAll(/['"`“‘]([\w.-]+)['"`”’]/g)].map(([, word = '']) => word));
  const known = [...quoted].filter((word) => names.includes(word));
  return known.length === 1 ? known[0] : undefined;
}
