import { parseJson } from '../meta-tools/meta-tool.ts';
import { asRecord, isRecord } from '../util/record.ts';

/** A call of the bridge, as the model wrote it, whatever it wrote. */
export interface WrittenCall {
  readonly toolName: string;
  /** Undefined for what is no object. */
  readonly args: Readonly<Record<string, unknown>> | undefined;
}

const NAMES = ['toolName', 'tool_name', 'name', 'tool'];
const ARGUMENTS = ['arguments', 'args', 'parameters', 'input'];

/** Makes the best of the fields of a call: other words for them, arguments as JSON text, or beside the name. */
export function readCall(fields: Readonly<Record<string, unknown>>): WrittenCall {
  const nameField = NAMES.find((field) => typeof fields[field] === 'string');
  const toolName = nameField === undefined ? '' : String(fields[nameField]).trim();
  const field = ARGUMENTS.find((candidate) => fields[candidate] !== undefined && fields[candidate] !== null);
  if (field === undefined) {
    const beside = Object.entries(fields).filter(([name]) => name !== nameField && !ARGUMENTS.includes(name));
    return { toolName, args: Object.fromEntries(beside) };
  }
  const value = fields[field];
  if (isRecord(value)) return { toolName, args: value };
  if (typeof value !== 'string') return { toolName, args: undefined };
  if (value.trim() === '') return { toolName, args: {} };
  return { toolName, args: asRecord(parseJson(value)) };
}
