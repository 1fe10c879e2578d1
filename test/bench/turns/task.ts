import type { MastraTool } from '../../../src/index.ts';
import { asRecord } from '../../../src/util/record.ts';
import { type Script, shownTools, suggestedTools, toolResults } from '../../support/scripted-model.ts';
import { mastraTools } from '../agent-request.ts';
import { type LabelledQuery, type LabelledTool, needsOf } from '../retrieval/sets.ts';

/**
 * A model that knows which tools fit when it reads of them, and nothing else. It calls one that it is sent; else it takes
 * the first that fits from the results of its searches; else it searches, once, with the query of the label. It gives up
 * where nothing that fits was found. Where it may write a program, one calls all that fit and are declared.
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
    const asks = (toolName: string, input: unknown) => ({ toolCalls: [{ toolName, input }] });
    const has = (name: string): boolean => call.tools.some((tool) => tool.name === name);
    const needs = needsOf(task).filter((group) => !group.some((name) => executed.includes(name)));
    if (needs.length === 0) return { text: 'Done.' };
    const needed = new Set(needs.flat());
    const history = toolResults(call.prompt);
    const refused = new Set(history.map(({ toolName }) => toolName));
    const shown = new Set(shownTools(call).map(({ name }) => name));
    const sent = [...needed].find((name) => shown.has(name) && !refused.has(name));
    if (sent !== undefined) return asks(sent, inputOf(sent));

    if (has(PROGRAM)) {
      const texts = JSON.stringify([call.prompt]);
      const declared = needs.flatMap((group) => group.find((name) => texts.includes(`${functionOf(name)}(`)) ?? []);
      if (declared.length > 0 && !refused.has(PROGRAM)) return asks(PROGRAM, { code: programOf(declared, inputOf) });
      if (refused.has('search_tools') || !has('search_tools')) return { text: 'I found no tool for that.' };
      return asks('search_tools', { query: task.query });
    }

    const searches = history.filter(({ toolName }) => toolName === 'search_tools');
    const found = [
      ...suggestedTools(call.prompt),
      ...searches.flatMap(({ value }) => asRecord(value)?.['results'] ?? []),
    ];
    const toolName = found.map((result) => String(asRecord(result)?.['name'])).find((name) => needed.has(name));
    const tried = history.filter((each) => ['load_tool', 'call_tool'].includes(each.toolName)).length;
    if (toolName !== undefined && tried <= needed.size * 2) {
      return has('call_tool')
        ? asks('call_tool', { toolName, arguments: inputOf(toolName) })
        : asks('load_tool', { toolName });
    }
    if (searches.length > 0 || !has('search_tools')) return { text: 'I found no tool for that.' };
    return asks('search_tools', { query: task.query });
  };
}

/** The tool that runs programs, here and in core. */
const PROGRAM = 'execute_typescript';

/** A tool's name in a program, as Mastra writes it. */
function functionOf(name: string): string {
  return `external_${name.replace(/[^A-Za-z0-9_$]/g, '_')}`;
}

function programOf(names: readonly string[], inputOf: (name: string) => unknown): string {
  const results = names.map((name) => `await ${functionOf(name)}(${JSON.stringify(inputOf(name))})`);
  return `return [${results.join(', ')}];`;
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
const TEXTS = ['example', '1', 'a', '2026-01-31', 'A1', '00000000-0000-4000-8000-000000000000'];
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

/** An input that a JSON schema accepts: its required fields alone, each with the first value that will do. */
export function sampleInput(schema: unknown, root: unknown = schema, depth = 0): unknown {
  const fields = asRecord(schema) ?? {};
  const inner = (part: unknown): unknown => sampleInput(part, root, depth + 1);
  const { $ref, allOf, anyOf, oneOf, type, properties, required, items, pattern, minimum, exclusiveMinimum, maximum } =
    fields;
  if (depth > MAX_DEPTH) return null;
  if (typeof $ref === 'string') {
    return inner(
      $ref
        .split('/')
        .slice(1)
        .reduce((at: unknown, part) => asRecord(at)?.[part], root),
    );
  }
  if ('default' in fields) return fields['default'];
  if ('const' in fields) return fields['const'];
  if (Array.isArray(fields['enum'])) return fields['enum'][0];
  const choices = [anyOf, oneOf].find(Array.isArray);
  if (choices && properties === undefined) return inner(choices[0]);
  if (Array.isArray(allOf)) return Object.assign({}, ...allOf.map(inner));
  switch (Array.isArray(type) ? type[0] : type) {
    case 'array':
      return Array.from({ length: Number(fields['minItems'] ?? 0) }, () => inner(items));
    case 'integer':
    case 'number':
      if (typeof minimum === 'number') return minimum;
      if (typeof exclusiveMinimum === 'number') return exclusiveMinimum + 1;
      return typeof maximum === 'number' ? Math.min(1, maximum) : 1;
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'string': {
      const candidates = [FORMATS[String(fields['format'])] ?? [], TEXTS].flat();
      const fits = candidates.find((text) => typeof pattern !== 'string' || new RegExp(pattern).test(text));
      const text = fits ?? 'example';
      return text.padEnd(Number(fields['minLength'] ?? 0), text[0]);
    }
    default: {
      const names: readonly string[] = Array.isArray(required) ? required : [];
      const of = asRecord(properties) ?? {};
      return Object.fromEntries(names.map((name) => [name, inner(of[name] ?? { type: 'string' })]));
    }
  }
}
