import type { MastraTool } from '../../../src/index.ts';
import { asRecord } from '../../../src/util/record.ts';
import {
  type ModelCall,
  type ModelReply,
  type Script,
  shownTools,
  suggestedTools,
  toolResults,
} from '../../support/scripted-model.ts';
import { mastraTools } from '../agent-request.ts';
import type { LabelledQuery, LabelledTool } from '../retrieval/sets.ts';

/**
 * A model that knows which tools fit when it reads of them, and nothing else. It calls one that it is sent; else it takes
 * the first that fits from the results of its searches; else it searches, once, with the query of the label. It gives up
 * where nothing that fits was found.
 *
 * @param executed - the tools that ran so far, by their ids.
 * @param inputOf - an input that a tool accepts.
 */
export function taskModel(
  task: LabelledQuery,
  executed: readonly string[],
  inputOf: (name: string) => unknown,
): Script {
  return (call) => {
    const needs = needsOf(task).filter((group) => !group.some((name) => executed.includes(name)));
    if (needs.length === 0) return { text: 'Done.' };
    const shown = new Set(shownTools(call).map(({ name }) => name));
    const refused = new Set(toolResults(call.prompt).map(({ toolName }) => toolName));
    for (const name of needs.flat()) {
      if (shown.has(name) && !refused.has(name)) return { toolCalls: [{ toolName: name, input: inputOf(name) }] };
    }
    return fromResults(new Set(needs.flat()), call, inputOf) ?? search(task, call);
  };
}

/** The groups of interchangeable tools that a task needs. */
export function needsOf({ groups, relevant }: LabelledQuery): readonly (readonly string[])[] {
  return groups ?? relevant.map((name) => [name]);
}

/** Calls or loads the first tool of a result that fits, unless that was tried. */
function fromResults(
  needed: ReadonlySet<string>,
  call: ModelCall,
  inputOf: (name: string) => unknown,
): ModelReply | undefined {
  const history = toolResults(call.prompt);
  const tried = history.filter(({ toolName }) => toolName === 'load_tool' || toolName === 'call_tool').length;
  if (tried > needed.size * 2) return undefined;
  const searches = history.filter(({ toolName }) => toolName === 'search_tools');
  const found = [
    ...suggestedTools(call.prompt),
    ...searches.flatMap(({ value }) => asRecord(value)?.['results'] ?? []),
  ];
  const toolName = found.map((result) => String(asRecord(result)?.['name'])).find((name) => needed.has(name));
  if (toolName === undefined) return undefined;
  if (call.tools.some(({ name }) => name === 'call_tool')) {
    return {
      toolCalls: [{ toolName: 'call_tool', input: { toolName, arguments: inputOf(toolName) } }],
    };
  }
  return { toolCalls: [{ toolName: 'load_tool', input: { toolName } }] };
}

function search({ query }: LabelledQuery, { prompt, tools }: ModelCall): ModelReply {
  const hasSearched = toolResults(prompt).some(({ toolName }) => toolName === 'search_tools');
  if (hasSearched || !tools.some(({ name }) => name === 'search_tools')) return { text: 'I found no tool for that.' };
  return { toolCalls: [{ toolName: 'search_tools', input: { query } }] };
}

/** Tools of a set for an agent; each tells that it ran. */
export function toolsOfSet(tools: readonly LabelledTool[], onRun: (id: string) => void): Record<string, MastraTool> {
  const known = tools.map((tool) => ({ ...tool, inputSchema: withKnownTypes(tool.inputSchema) as object }));
  return mastraTools(known, (id) => {
    onRun(id);
    return { ok: true };
  });
}

const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
/** What some sets call types that JSON Schema has under another name; the rest are texts. */
const RENAMED: Readonly<Record<string, string>> = { dict: 'object', tuple: 'array', list: 'array', float: 'number' };

/** The schema with types that JSON Schema knows: Mastra would refuse every call of the tool. */
export function withKnownTypes(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withKnownTypes);
  const fields = asRecord(schema);
  if (!fields) return schema;
  const { type } = fields;
  const known = typeof type === 'string' && !TYPES.has(type) ? { type: RENAMED[type] ?? 'string' } : {};
  const inner = Object.entries(fields).map(([name, value]) => [name, withKnownTypes(value)]);
  return { ...Object.fromEntries(inner), ...known };
}

/** Levels of a schema that are filled; deeper ones are cut, as a schema may contain itself. */
const MAX_DEPTH = 8;

/** An input that a JSON schema accepts: its required fields alone, each with the first value that will do. */
export function sampleInput(schema: unknown): unknown {
  return sample(schema, asRecord(schema) ?? {}, 0);
}

function sample(schema: unknown, root: Readonly<Record<string, unknown>>, depth: number): unknown {
  const { $ref, allOf, anyOf, oneOf, ...own } = asRecord(schema) ?? {};
  if (depth > MAX_DEPTH) return null;
  if (typeof $ref === 'string') return sample(resolve($ref, root), root, depth + 1);
  if ('default' in own) return own['default'];
  if ('const' in own) return own['const'];
  if (Array.isArray(own['enum'])) return own['enum'][0];
  const choices = [anyOf, oneOf].find(Array.isArray);
  if (choices && own['properties'] === undefined) return sample(choices[0], root, depth + 1);
  if (Array.isArray(allOf)) return Object.assign({}, ...allOf.map((part) => sample(part, root, depth + 1)));
  const type = Array.isArray(own['type']) ? own['type'][0] : own['type'];
  if (type === 'array') {
    return Array.from({ length: Number(own['minItems'] ?? 0) }, () => sample(own['items'], root, depth + 1));
  }
  if (type === 'integer' || type === 'number') return sampleNumber(own);
  if (type === 'boolean') return true;
  if (type === 'null') return null;
  if (type === 'string') return sampleText(own);
  return sampleObject(own, root, depth);
}

function sampleObject(
  { properties, required }: Readonly<Record<string, unknown>>,
  root: Readonly<Record<string, unknown>>,
  depth: number,
): object {
  const fields = asRecord(properties) ?? {};
  const names = Array.isArray(required) ? required : [];
  return Object.fromEntries(names.map((name) => [name, sample(fields[name] ?? { type: 'string' }, root, depth + 1)]));
}

function sampleNumber({ minimum, exclusiveMinimum, maximum }: Readonly<Record<string, unknown>>): number {
  if (typeof minimum === 'number') return minimum;
  if (typeof exclusiveMinimum === 'number') return exclusiveMinimum + 1;
  return typeof maximum === 'number' ? Math.min(1, maximum) : 1;
}

const FORMATS: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  'date-time': '2026-01-31T12:00:00Z',
  time: '12:00:00Z',
  email: 'ann@example.com',
  uri: 'https://example.com',
  url: 'https://example.com',
  uuid: '123e4567-e89b-42d3-a456-426614174000',
  ipv4: '192.0.2.1',
};

function sampleText({ format, minLength, pattern }: Readonly<Record<string, unknown>>): string {
  const candidates = [
    FORMATS[String(format)],
    'example',
    '1',
    'a',
    '2026-01-31',
    'A1',
    '00000000-0000-4000-8000-000000000000',
  ];
  const fits = candidates.find(
    (text) => text !== undefined && (typeof pattern !== 'string' || new RegExp(pattern).test(text)),
  );
  const text = fits ?? 'example';
  return text.padEnd(Number(minLength ?? 0), text[0]);
}

function resolve(ref: string, root: Readonly<Record<string, unknown>>): unknown {
  let at: unknown = root;
  for (const part of ref.split('/').slice(1)) at = asRecord(at)?.[part];
  return at;
}
