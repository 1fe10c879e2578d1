import { hash } from 'node:crypto';
import { models, type Prompt } from '../kit.ts';
import { Lru } from '../util/lru.ts';
import { asRecord } from '../util/record.ts';
import { inTime } from '../util/timeout.ts';
import type { Change, Definition, Dialect, ModelCall } from './dialect.ts';
import { asAppended, sentParameters } from './tools.ts';

/** The changes of tools that a prompt holds right before its answer. */
export interface ToolChanges {
  /** Digests of the definitions that were added, by the names of the tools. */
  readonly added: ReadonlyMap<string, string>;
  readonly removed: readonly string[];
}

/** What appending needs to know of a request. */
export interface Appending {
  readonly dialect: Dialect;
  /** Whether a tool's definition is to be moved into the conversation. */
  readonly isAppendable: (name: string) => boolean;
  /** Whether the model reads a definition elsewhere in the conversation. */
  readonly isReadable: (name: string) => boolean;
  /** Whether a tool cannot be sent to the model: its definitions are left out of the conversation. */
  readonly isUnsendable: (name: string) => boolean;
  /** Tools that are no longer loaded, but whose definitions may stay in the conversation: by name, in the form to send. */
  readonly earlier: ReadonlyMap<string, object>;
  readonly definitions: Definitions;
  /** The key of the conversation, or of a request without one. */
  readonly conversation: string;
}

/**
 * Moves definitions from the list of tools into the conversation, so that the prompt begins like the previous one. A
 * definition goes to the place that a note in an earlier answer gives; a new definition goes to the end. If its note
 * was cut off, a definition goes to the end, once. If the conversation has no place for definitions, they stay in the
 * list. Changes stand after a message of the user or a tool, and before the answer: providers refuse changes elsewhere.
 *
 * @returns `changes`: those at the prompt's end, for the answer to note; `there`: the tools that the prompt's changes define.
 */
export function append(
  call: ModelCall,
  { dialect, isAppendable, isReadable, isUnsendable, earlier, definitions, conversation }: Appending,
): { readonly call: ModelCall; readonly changes: ToolChanges | undefined; readonly there: ReadonlySet<string> } {
  const { canRemove, message } = dialect.changes;
  const wanted = new Map<string, Definition>();
  const listed = new Set<string>();
  for (const tool of call.tools ?? []) {
    if (tool.type === 'function' && isAppendable(tool.name)) wanted.set(tool.name, asAppended(tool, dialect.name));
    else listed.add(tool.name);
  }
  for (const tool of wanted.values()) definitions.note(conversation, tool);
  /**
   * Returns a definition that the conversation notes. Undefined if this request must not contain the definition, or if
   * it is not known.
   */
  const definitionNoted = (name: string, digest: string): Definition | undefined => {
    if (listed.has(name) || isReadable(name) || isUnsendable(name)) return undefined;
    // Without removal a definition stays for good, so one of an unavailable tool must not be sent again.
    if (!dialect.changes.canRemove && !isAppendable(name) && !earlier.has(name)) return undefined;
    const candidates = [wanted.get(name), definitions.get(conversation, digest)];
    const known = candidates.find((tool) => tool?.name === name && definitions.digestOf(tool) === digest);
    const definition = known ?? definitionOf(name, earlier.get(name), dialect.name);
    return definition && definitions.digestOf(definition) === digest ? definition : undefined;
  };
  const digests = new Map([...wanted].map(([name, tool]) => [name, definitions.digestOf(tool)]));
  const notes = call.prompt.map(({ role, content }) => {
    const parts = role === 'assistant' && Array.isArray(content) ? content : [];
    return parts.flatMap((part) => changesNoted(part, dialect.name) ?? []);
  });
  // Without removal a definition cannot be replaced: of several definitions of a tool, only the last one is sent.
  const sendable = canRemove ? [] : notes.flat().flatMap(({ added }) => [...added]);
  const lastSendable = sendable.filter(([name, digest]) => definitionNoted(name, digest));
  const last = canRemove ? undefined : new Map([...lastSendable, ...digests]);

  const there = new Map<string, string>();
  const prompt: Prompt[number][] = [];
  /** The last message of the user or a tool, and the changes behind it. */
  let place = -1;
  let behind: readonly Change[] = [];
  const put = (changes: readonly Change[]): void => {
    if (changes.length === 0) return;
    const all = [...behind, ...changes];
    prompt.splice(place + 1, behind.length > 0 ? 1 : 0, message(all));
    behind = all;
  };
  for (const [at, each] of call.prompt.entries()) {
    // A conversation that was cut may begin with an answer.
    for (const { added, removed } of place === -1 ? [] : (notes[at] ?? [])) {
      // The message that added a removed tool may be cut off: only tools that are there are removed.
      const gone = canRemove ? removed.filter((name) => there.delete(name)) : [];
      const additions = [...added].flatMap(([name, digest]) => {
        const isNew = there.get(name) !== digest && (!last || last.get(name) === digest);
        const tool = isNew ? definitionNoted(name, digest) : undefined;
        if (tool) there.set(name, digest);
        return tool ? [addition(tool)] : [];
      });
      put([...gone.map(removal), ...additions]);
    }
    prompt.push(each);
    if (each.role !== 'user' && each.role !== 'tool') continue;
    place = prompt.length - 1;
    behind = [];
  }
  if (place === -1) return { call, changes: undefined, there: new Set() };

  const removed = canRemove ? [...there.keys()].filter((name) => !wanted.has(name)) : [];
  const added = [...digests].filter(([name, digest]) => there.get(name) !== digest);
  put([...removed.map(removal), ...added.map(([name]) => addition(wanted.get(name) as Definition))]);
  const hasChanges = removed.length + added.length > 0;
  return {
    call: { ...call, prompt, tools: call.tools?.filter(({ name }) => !wanted.has(name)) },
    changes: hasChanges ? { added: new Map(added), removed } : undefined,
    there: new Set([...there.keys(), ...digests.keys()].filter((name) => !removed.includes(name))),
  };
}

const addition = (tool: Definition): Change => ({ type: 'addition', tool });
const removal = (name: string): Change => ({ type: 'removal', name });

/** The definition that Mastra would make of a tool. It is needed for a conversation that another process began. */
function definitionOf(name: string, tool: object | undefined, dialect: string): Definition | undefined {
  if (!tool) return undefined;
  const { description, strict, providerOptions } = tool as Definition;
  const inputSchema = sentParameters(tool);
  const strictness = strict == null ? {} : { strict };
  const definition = { type: 'function', name, description, inputSchema, ...strictness, providerOptions };
  return asAppended(definition as Definition, dialect);
}

/** The prefix of the key of a note in the `providerMetadata` or `providerOptions` of a part. */
const NOTES = 'mastra-tool-search.';
const noteKey = (dialect: string): string => `${NOTES}${dialect}`;

/** The changes that a part of a prompt or stored message notes for a dialect. The note is untrusted input. */
export function changesNoted(part: unknown, dialect: string): ToolChanges | undefined {
  const { providerOptions, providerMetadata } = asRecord(part) ?? {};
  const note = asRecord(asRecord(providerOptions ?? providerMetadata)?.[noteKey(dialect)]);
  if (!note) return undefined;
  const added = Object.entries(asRecord(note['added']) ?? {}).filter((entry) => typeof entry[1] === 'string');
  const removed = Array.isArray(note['removed']) ? note['removed'].filter((name) => typeof name === 'string') : [];
  return { added: new Map(added as [string, string][]), removed };
}

/** The notes of all dialects among the options of a part, to copy them to a part that replaces it. */
export function notesAmong(options: unknown): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(asRecord(options) ?? {}).filter(([key]) => key.startsWith(NOTES)));
}

/**
 * Adds a note of the changes to each text and each call of an answer, because an empty text is dropped together with
 * its note. Mastra stores the notes with the message and returns them in each later prompt, which shows where the
 * changes belong.
 */
export async function noted(
  answer: models.ModelAnswer,
  changes: ToolChanges | undefined,
  name: string,
): Promise<models.ModelAnswer> {
  if (!changes) return answer;
  return models.mapParts(answer, (part) => {
    const fields = asRecord(part) ?? {};
    const metadata = asRecord(fields['providerMetadata']);
    // Mastra stores the metadata of `text-end` for a text, if there is any, and that of `tool-input-start` for a call.
    const isNoting =
      ['text', 'text-start', 'tool-call'].includes(String(fields['type'])) ||
      (metadata && ['text-end', 'tool-input-start'].includes(String(fields['type'])));
    if (!isNoting) return part;
    const before = changesNoted(part, name);
    const added = Object.fromEntries([...(before?.added ?? []), ...changes.added]);
    const note = { added, removed: [...new Set([...(before?.removed ?? []), ...changes.removed])] };
    return { ...fields, providerMetadata: { ...metadata, [noteKey(name)]: note } };
  });
}

const MAX_DEFINITIONS = 5000;
/** Hex digits of a digest: enough that no two definitions of one tool share a digest. */
const DIGEST_LENGTH = 16;

/** The definitions that conversations were sent. Removing a tool needs its definition, even if the tool is gone. */
export class Definitions {
  readonly #sent = new Lru<Definition>(MAX_DEFINITIONS);
  readonly #digests = new WeakMap<object, string>();

  digestOf(definition: Definition): string {
    const known = this.#digests.get(definition);
    if (known !== undefined) return known;
    const digest = hash('sha256', JSON.stringify(definition), 'hex').slice(0, DIGEST_LENGTH);
    this.#digests.set(definition, digest);
    return digest;
  }

  note(conversation: string, definition: Definition): void {
    this.#sent.set(`${this.digestOf(definition)} ${conversation}`, definition);
  }

  get(conversation: string, digest: string): Definition | undefined {
    return this.#sent.get(`${digest} ${conversation}`);
  }
}

/** The longest wait, in milliseconds, for a wrapper that the user has put around the provider package. */
const MAX_WAIT = 1000;
/** The name of the error with which a package refuses options of its provider. */
const REFUSED_OPTION = 'AI_InvalidArgumentError';

interface Askable {
  readonly specificationVersion?: string;
  readonly doGenerate?: (call: object) => PromiseLike<unknown>;
}

const answers = new WeakMap<object, Promise<boolean>>();

/**
 * Whether the package of a model sends definitions of tools in mid-conversation: `@ai-sdk/anthropic` from 4.0.98,
 * `@ai-sdk/openai` from 4.0.116. Others drop them without a word, or send an empty message that the provider refuses.
 *
 * No package tells its version. So the package is given two prompts: one with a valid definition, one with an invalid one. A
 * package that sends definitions refuses only the invalid one as such. No request leaves: each prompt ends with a file that
 * every package refuses before it sends anything, and the call is aborted from the beginning.
 */
export function sendsDefinitions(model: unknown, { changes }: Pick<Dialect, 'changes'>): Promise<boolean> {
  if (typeof model !== 'object' || model === null) return Promise.resolve(false);
  const isRefused = async (tool: object): Promise<boolean> =>
    (await errorOf(model, changes.message([addition(tool as Definition)]))) === REFUSED_OPTION;
  const ask = async (): Promise<boolean> =>
    (await isRefused({ type: 'function', name: 7 })) &&
    !(await isRefused({ type: 'function', name: 'x', inputSchema: { type: 'object', properties: {} } }));
  const answer = answers.get(model) ?? ask();
  answers.set(model, answer);
  return answer;
}

/** The name of the error with which a package refuses a prompt; undefined for none. Never throws. */
async function errorOf(model: Askable, changes: Prompt[number]): Promise<unknown> {
  try {
    const bytes = new Uint8Array([1]);
    const data = model.specificationVersion === 'v4' ? { type: 'data', data: bytes } : bytes;
    const prompt = [
      { role: 'system', content: 'x' },
      { role: 'user', content: [{ type: 'text', text: 'x' }] },
      changes,
      { role: 'user', content: [{ type: 'file', mediaType: 'application/x-nothing', data }] },
    ];
    await inTime(Promise.resolve(model.doGenerate?.({ prompt, abortSignal: AbortSignal.abort() })), MAX_WAIT);
    return undefined;
  } catch (error) {
    return asRecord(error)?.['name'];
  }
}
