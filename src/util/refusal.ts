import { asRecord, isRecord } from './record.ts';

/** How deep errors within errors are read. */
const MAX_DEPTH = 5;
/** How deep an answer is read: a gateway quotes that of another service as JSON within its own. */
const MAX_LEVELS = 10;
/** Texts that are read of one error. */
const MAX_TEXTS = 20;

/** A request that a service refused as it is: to send it again is of no use. */
interface Refusal {
  /** What was refused, where the error has it. */
  readonly body: unknown;
  /** Where the fault is, and what is wrong, as the service says it: the place first. */
  readonly texts: readonly string[];
}

/** The errors within an error, from the outermost on: the AI SDK has the last try's in `lastError`. */
export function* errorsWithin(error: unknown): Iterable<Readonly<Record<string, unknown>>> {
  let current = asRecord(error);
  for (let depth = 0; current && depth < MAX_DEPTH; depth++) {
    yield current;
    current = asRecord(current['lastError']) ?? asRecord(current['cause']);
  }
}

/** The refusal that an error of the AI SDK tells of: an answer with 400 or 422. Never throws, whatever the error does. */
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
    // What cannot be read is no refusal.
  }
  return undefined;
}

/** Reads places and messages out of an answer. */
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
  // FastAPI: ["body", "tools", 3, "function", "parameters"].
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
  /** The words in which it did. */
  readonly reason: string;
}

/**
 * The tool whose definition a provider refused, as far as the error names one. Texts of tools stand in the words of services,
 * so that only the first place counts, and a name only in a sentence about schemas. Never throws, whatever the error does.
 *
 * @param sent - the names of the tools that were sent, in their order, for an error that has no request.
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
/** Google's words before a place, with a property's name, which may look like one. */
const BEFORE_PLACE = /^Invalid JSON payload received\. Unknown name ".*" at '/;

function placeIn(text: string): readonly string[] {
  const [place] = PLACE.exec(text.replace(BEFORE_PLACE, '')) ?? [];
  return place?.match(/\w+/g) ?? [];
}

/** The parts of a tool that are its definition, as requests call them. */
const DEFINITION = /^(?:input_?schema|parameters|parameters_?json_?schema|tool_?spec|description)$/i;

/** The name of the tool whose definition a place lies in. */
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
    // Services name the kind of a part as well: "custom", "member".
    const next = step(current, word);
    if (next === undefined) continue;
    name = definedName(next) ?? name;
    current = next;
  }
  return name;
}

function step(current: unknown, word: string): unknown {
  if (Array.isArray(current)) {
    // Google leaves out the only one's number.
    return /^\d+$/.test(word) ? current[Number(word)] : current.length === 1 ? step(current[0], word) : undefined;
  }
  const fields = asRecord(current);
  const camelCase = word.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  return fields?.[word] ?? fields?.[camelCase];
}

const SCHEMAS = ['input_schema', 'inputSchema', 'parameters', 'parametersJsonSchema'];

/** The name in a definition of a tool. A call of a tool has a name, too. */
function definedName(part: unknown): string | undefined {
  const fields = asRecord(part);
  const name = fields?.['name'];
  if (typeof name !== 'string') return undefined;
  const isTool = SCHEMAS.some((key) => Object.hasOwn(fields as object, key)) || fields?.['type'] === 'function';
  return isTool ? name : undefined;
}

/** The names of all tools of a request; undefined where it cannot be read. */
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

/** The one tool that a sentence about schemas names in quotes. */
function namedIn(text: string, names: readonly string[]): string | undefined {
  if (!ABOUT_SCHEMAS.test(text)) return undefined;
  const [, named = ''] = NAMED.exec(text) ?? [];
  if (names.includes(named)) return named;
  const quoted = new Set([...text.matchAll(/['"`“‘]([\w.-]+)['"`”’]/g)].map(([, word = '']) => word));
  const known = [...quoted].filter((word) => names.includes(word));
  return known.length === 1 ? known[0] : undefined;
}
