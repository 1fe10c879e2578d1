import { parseJson } from '../meta-tools/meta-tool.ts';
import { isRecord } from '../util/record.ts';

/** The arguments of a call, by name; undefined for what is no object. */
export type Arguments = Readonly<Record<string, unknown>> | undefined;

/** A call of a tool, as the model wrote it, whatever it wrote. */
export interface WrittenCall {
  readonly toolName: string;
  /** What the arguments may be, the likeliest first, for a tool with these parameters. */
  readonly readings: (parameters: ReadonlySet<string>) => readonly Arguments[];
}

const NAMES = ['toolName', 'tool_name', 'name', 'tool'];
const ARGUMENTS = ['arguments', 'args', 'parameters', 'input'];

/**
 * Makes the best of the fields of a call of the bridge: other words for them, arguments as JSON text, or beside the name.
 * A word for arguments that is the name of a parameter may mean either.
 */
export function readCall(fields: Readonly<Record<string, unknown>>): WrittenCall {
  const nameField = NAMES.find((field) => typeof fields[field] === 'string');
  const toolName = nameField === undefined ? '' : String(fields[nameField]).trim();
  const others = picked(fields, (name) => name !== nameField);
  return { toolName, readings: (parameters) => readingsOf(others, parameters) };
}

function readingsOf(fields: Readonly<Record<string, unknown>>, parameters: ReadonlySet<string>): readonly Arguments[] {
  const beside = picked(fields, (name) => parameters.has(name) || !ARGUMENTS.includes(name));
  const word = ARGUMENTS.find((each) => !isEmpty(contentOf(fields[each])));
  // Nothing stands in them, so that they are no arguments; but they may be a parameter.
  if (word === undefined) return [picked(beside, (name) => name !== 'arguments'), beside];
  const content = contentOf(fields[word]);
  const known = picked(beside, (name) => name !== word && parameters.has(name));
  const within = isRecord(content) ? { ...known, ...content } : undefined;
  if (!parameters.has(word)) return [within];
  if (!within) return [beside];
  return word === 'arguments' ? [within, beside] : [beside, within];
}

/** A value, or what it has as JSON text. */
function contentOf(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const parsed = parseJson(value);
  return parsed === undefined ? value.trim() : parsed;
}

function isEmpty(content: unknown): boolean {
  if (content === undefined || content === null || content === '') return true;
  return typeof content === 'object' && Object.keys(content).length === 0;
}

function picked(
  fields: Readonly<Record<string, unknown>>,
  isPicked: (name: string) => boolean,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => isPicked(name)));
}
