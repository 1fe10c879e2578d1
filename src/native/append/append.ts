import { asRecord, type Prompt } from '../../kit.ts';
import type { Definition, Dialect } from '../dialect.ts';
import { parametersOf } from '../parameters.ts';
import { withoutCacheMarks } from '../sent-step.ts';
import type { Changes, Definitions } from './changes.ts';
import { replay } from './replay.ts';

/** The part of a request that definitions are moved in. */
interface Request {
  readonly prompt: Prompt;
  readonly tools?: readonly Definition[] | undefined;
}

/** What appending needs to know of a request. */
export interface Appending {
  readonly dialect: Dialect;
  /** Whether a tool of the list is to be moved. */
  readonly isAppendable: (name: string) => boolean;
  /** Whether the model reads a definition elsewhere in the conversation. */
  readonly isReadable: (name: string) => boolean;
  /** Tools that are not loaded any more, and whose definitions may stay where they are: by name, as they would be sent. */
  readonly earlier: ReadonlyMap<string, object>;
  readonly definitions: Definitions;
  /** The key of the conversation, or what stands for it in a request without one. */
  readonly conversation: string | Set<string>;
}

/**
 * Moves definitions from the list of tools into the conversation. A tool stays in the list where the conversation has no
 * place for it.
 */
export function append<Call extends Request>(
  call: Call,
  { dialect, isAppendable, isReadable, earlier, definitions, conversation }: Appending,
): { readonly call: Call; readonly changes: Changes | undefined; readonly there: ReadonlySet<string> } {
  const wanted = new Map<string, Definition>();
  const listed = new Set<string>();
  for (const tool of call.tools ?? []) {
    if (tool.type === 'function' && isAppendable(tool.name)) wanted.set(tool.name, asAppended(tool, dialect.name));
    else listed.add(tool.name);
  }
  for (const tool of wanted.values()) definitions.note(conversation, tool);
  const { prompt, changes, there } = replay(call.prompt, {
    ...{ wanted, dialect },
    digestOf: (tool) => definitions.digestOf(tool),
    noted: (name, digest) => {
      if (listed.has(name) || isReadable(name)) return undefined;
      // What cannot be removed again must not be withdrawn.
      if (!dialect.canRemove && !isAppendable(name) && !earlier.has(name)) return undefined;
      const told = wanted.get(name);
      if (told && definitions.digestOf(told) === digest) return told;
      const definition = definitions.get(conversation, digest) ?? definitionOf(name, earlier.get(name), dialect.name);
      const isSame = definition?.name === name && definitions.digestOf(definition) === digest;
      return isSame ? definition : undefined;
    },
  });
  const tools = call.tools?.filter(({ name }) => !wanted.has(name) || !there.has(name));
  return { call: { ...call, prompt, ...(tools ? { tools } : {}) }, changes, there };
}

/** The definition that Mastra would make of a tool: a conversation that another process began has it. */
function definitionOf(name: string, tool: object | undefined, dialect: string): Definition | undefined {
  if (!tool) return undefined;
  const { description, strict, providerOptions } = tool as Definition;
  const inputSchema = parametersOf(tool);
  const strictness = strict == null ? {} : { strict };
  const definition = { type: 'function', name, description, inputSchema, ...strictness, providerOptions };
  return asAppended(definition as Definition, dialect);
}

/**
 * A definition as it is appended: with the options of its provider alone, and without what has no room in mid-conversation.
 * So the same tool has the same digest, in whatever form it was sent before.
 */
function asAppended(tool: Definition, dialect: string): Definition {
  const { providerOptions, ...rest } = tool;
  const own = asRecord(asRecord(withoutCacheMarks({ providerOptions }).providerOptions)?.[dialect]) ?? {};
  return Object.keys(own).length > 0 ? { ...rest, providerOptions: { [dialect]: own } } : rest;
}
