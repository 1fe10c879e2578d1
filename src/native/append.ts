import { hash } from 'node:crypto';
import { asRecord, inTime, isRecord, Lru, type ModelAnswer, mapParts, type Prompt } from '../kit.ts';
import type { Change, Definition, Dialect } from './dialect.ts';
import { asAppended, sentParameters } from './tools.ts';

/** What an answer's prompt had changed right before the answer. */
export interface ToolChanges {
  /** Digests of the definitions that were added, by the names of the tools. */
  readonly added: ReadonlyMap<string, string>;
  /** Names of tools that were removed. */
  readonly removed: readonly string[];
}

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
  /** The key of the conversation, or of a request without one. */
  readonly conversation: string;
}

/**
 * Moves definitions from the list of tools into the conversation. A tool stays in the list where the conversation has no
 * place for it.
 *
 * @returns `there`: names of the tools that the model has by its changes.
 */
export function append<Call extends Request>(
  call: Call,
  { dialect, isAppendable, isReadable, earlier, definitions, conversation }: Appending,
): { readonly call: Call; readonly changes: ToolChanges | undefined; readonly there: ReadonlySet<string> } {
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
      if (!dialect.changes.canRemove && !isAppendable(name) && !earlier.has(name)) return undefined;
      const candidates = [wanted.get(name), definitions.get(conversation, digest)];
      const known = candidates.find((tool) => tool?.name === name && definitions.digestOf(tool) === digest);
      const definition = known ?? definitionOf(name, earlier.get(name), dialect.name);
      return definition && definitions.digestOf(definition) === digest ? definition : undefined;
    },
  });
  const tools = call.tools?.filter(({ name }) => !wanted.has(name) || !there.has(name));
  return { call: { ...call, prompt, ...(tools ? { tools } : {}) }, changes, there };
}

/** The definition that Mastra would make of a tool: a conversation that another process began has it. */
function definitionOf(name: string, tool: object | undefined, dialect: string): Definition | undefined {
  if (!tool) return undefined;
  const { description, strict, providerOptions } = tool as Definition;
  const inputSchema = sentParameters(tool);
  const strictness = strict == null ? {} : { strict };
  const definition = { type: 'function', name, description, inputSchema, ...strictness, providerOptions };
  return asAppended(definition as Definition, dialect);
}

/** What a replay needs to know of one request. */
export interface Replay {
  /** The definitions that the model is to have in the end, by name, in order. */
  readonly wanted: ReadonlyMap<string, Definition>;
  readonly digestOf: (definition: Definition) => string;
  readonly dialect: Pick<Dialect, 'name' | 'changes'>;
  /** A definition that the conversation notes; undefined where this request must not or cannot be sent it. */
  readonly noted: (name: string, digest: string) => Definition | undefined;
}

/**
 * Puts definitions into a prompt: each where an earlier answer notes that it was, and what is new at the end. So the
 * prompt begins as the one before it did. What was cut off with its note comes at the end, once.
 *
 * @returns `changes`: those at its end, which the answer is to note.
 */
export function replay(
  prompt: Prompt,
  { wanted, dialect, digestOf, noted: definitionNoted }: Replay,
): { readonly prompt: Prompt; readonly changes: ToolChanges | undefined; readonly there: ReadonlySet<string> } {
  const there = new Map<string, string>();
  const { canRemove } = dialect.changes;
  const placed = new PromptWithChanges(dialect.changes.message);
  const digests = new Map([...wanted].map(([name, tool]) => [name, digestOf(tool)]));
  const notes = new Map(prompt.map((message) => [message, notesIn(message, dialect.name)]));
  // What cannot be removed is not replaced either: of several definitions of a tool, the last one counts.
  const sendable = canRemove ? [] : [...notes.values()].flat().flatMap(({ added }) => [...added]);
  const lastSendable = sendable.filter(([name, digest]) => definitionNoted(name, digest));
  const last = canRemove ? undefined : new Map([...lastSendable, ...digests]);
  for (const message of prompt) {
    for (const { added, removed } of notes.get(message) ?? []) {
      // A conversation that was cut may begin with an answer.
      if (!placed.hasPlace) break;
      const changes: Change[] = [];
      // What the beginning of the conversation added may be cut off.
      for (const name of canRemove ? removed : []) if (there.delete(name)) changes.push({ type: 'removal', name });
      for (const [name, digest] of added) {
        const isNew = there.get(name) !== digest && (!last || last.get(name) === digest);
        const tool = isNew ? definitionNoted(name, digest) : undefined;
        if (!tool) continue;
        there.set(name, digest);
        changes.push({ type: 'addition', tool });
      }
      placed.put(changes);
    }
    placed.prompt.push(message);
  }

  const removed = canRemove ? [...there.keys()].filter((name) => !wanted.has(name)) : [];
  const added = [...digests].filter(([name, digest]) => there.get(name) !== digest);
  const changes: Change[] = [
    ...removed.map((name): Change => ({ type: 'removal', name })),
    ...added.map(([name]): Change => ({ type: 'addition', tool: wanted.get(name) as Definition })),
  ];
  const hasChanges = placed.put(changes);
  if (hasChanges) for (const name of removed) there.delete(name);
  return {
    prompt: placed.prompt,
    changes: hasChanges ? { added: new Map(added), removed } : undefined,
    there: new Set([...there.keys(), ...(hasChanges ? digests.keys() : [])]),
  };
}

function notesIn({ role, content }: Prompt[number], dialect: string): readonly ToolChanges[] {
  if (role !== 'assistant' || !Array.isArray(content)) return [];
  return content.flatMap((part) => changesNoted(part, dialect) ?? []);
}

/**
 * A prompt that is built message by message. Changes stand behind a message of the user or a tool, and in front of the
 * answer: providers refuse them elsewhere.
 */
class PromptWithChanges {
  readonly prompt: Prompt[number][] = [];
  readonly #messageOf: Dialect['changes']['message'];
  /** The changes of each message that holds such. */
  readonly #changes = new Map<Prompt[number], readonly Change[]>();

  constructor(messageOf: Dialect['changes']['message']) {
    this.#messageOf = messageOf;
  }

  /** Whether changes may stand behind the last message. */
  get hasPlace(): boolean {
    return this.#place !== -1;
  }

  get #place(): number {
    return this.prompt.findLastIndex(({ role }) => role === 'user' || role === 'tool');
  }

  /** @returns whether there were changes, and a place for them. */
  put(changes: readonly Change[]): boolean {
    const at = this.#place;
    if (changes.length === 0 || at === -1) return false;
    const next = this.prompt[at + 1];
    const before = next && this.#changes.get(next);
    const all = [...(before ?? []), ...changes];
    const message = this.#messageOf(all);
    this.#changes.set(message, all);
    this.prompt.splice(at + 1, before ? 1 : 0, message);
    return true;
  }
}

/** The key under which a part of an answer keeps its note, where providers keep what they note beside a part. */
const NOTES = 'mastra-tool-search.';
const noteKey = (dialect: string): string => `${NOTES}${dialect}`;

/**
 * The changes that a part of a prompt, or of a stored message, notes; undefined where it notes none. Anybody may have
 * written them.
 *
 * @param dialect - the provider whose models the definitions were for: each has a form of its own.
 */
export function changesNoted(part: unknown, dialect: string): ToolChanges | undefined {
  const { providerOptions, providerMetadata } = asRecord(part) ?? {};
  const note = asRecord(asRecord(providerOptions ?? providerMetadata)?.[noteKey(dialect)]);
  if (!note) return undefined;
  const added = Object.entries(asRecord(note['added']) ?? {}).filter((entry) => typeof entry[1] === 'string');
  const removed = Array.isArray(note['removed']) ? note['removed'].filter((name) => typeof name === 'string') : [];
  return { added: new Map(added as [string, string][]), removed };
}

/** The notes of all dialects that stand among the options of a part, for another part that takes its place. */
export function notesAmong(options: unknown): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(asRecord(options) ?? {}).filter(([key]) => key.startsWith(NOTES)));
}

/**
 * The answer with a note of the changes on each text and call: a text that is empty goes, and its note with it. Mastra
 * stores the notes with the message and gives them back in each later prompt, wherever and by whomever that is made: so the
 * changes find their place again.
 */
export function noted(answer: ModelAnswer, changes: ToolChanges | undefined, dialect: string): ModelAnswer {
  if (!changes) return answer;
  return mapParts(answer, (part) => {
    if (!isNoting(part)) return part;
    const fields = asRecord(part) ?? {};
    const before = changesNoted(part, dialect);
    const added = Object.fromEntries([...(before?.added ?? []), ...changes.added]);
    const note = { added, removed: [...new Set([...(before?.removed ?? []), ...changes.removed])] };
    return { ...fields, providerMetadata: { ...asRecord(fields['providerMetadata']), [noteKey(dialect)]: note } };
  });
}

/**
 * Whether Mastra stores what the part notes: of a text what its end notes, if it notes anything, and of a call what its
 * input notes, if that does.
 */
function isNoting(part: unknown): boolean {
  const { type, providerMetadata } = asRecord(part) ?? {};
  if (type === 'text' || type === 'text-start' || type === 'tool-call') return true;
  return (type === 'text-end' || type === 'tool-input-start') && isRecord(providerMetadata);
}

/** Definitions that are remembered, in all conversations. */
const MAX_DEFINITIONS = 5000;
/** Letters of a digest: enough that no two definitions of one tool share them. */
const DIGEST_LENGTH = 16;

/** The definitions that conversations were sent: one that is gone since is needed to remove it. */
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

  /** What a conversation is sent. */
  note(conversation: string, definition: Definition): void {
    this.#sent.set(`${this.digestOf(definition)} ${conversation}`, definition);
  }

  /** A definition that the conversation was sent. */
  get(conversation: string, digest: string): Definition | undefined {
    return this.#sent.get(`${digest} ${conversation}`);
  }
}

/** The longest wait, in milliseconds, for what the user has put around the package. */
const MAX_WAIT = 1000;

/** The name of the error with which a package refuses options of its provider. */
const REFUSED_OPTION = 'AI_InvalidArgumentError';

/** The part of a model that is asked. */
interface Askable {
  readonly specificationVersion?: string;
  readonly doGenerate?: (call: object) => PromiseLike<unknown>;
}

/** The answers, by model: a package does not change. */
const answers = new WeakMap<object, Promise<boolean>>();

/**
 * Whether the package of a model sends definitions of tools in mid-conversation: `@ai-sdk/anthropic` from 4.0.98,
 * `@ai-sdk/openai` from 4.0.116. Others drop them without a word, or send an empty message that the provider refuses.
 *
 * No package tells its version. So the package is given two prompts, with a definition and with what is none. One that
 * sends definitions refuses the second alone for it. No request leaves: behind each stands a file that every package
 * refuses before it sends anything, and the call is aborted from the beginning.
 *
 * @param model - of a provider whose packages are known; what else would be called is not.
 */
export function sendsDefinitions(model: unknown, dialect: Pick<Dialect, 'name' | 'changes'>): Promise<boolean> {
  if (typeof model !== 'object' || model === null) return Promise.resolve(false);
  const isRefused = async (tool: object): Promise<boolean> => (await errorOf(model, dialect, tool)) === REFUSED_OPTION;
  const ask = async (): Promise<boolean> =>
    (await isRefused({ type: 'function', name: 7 })) && !(await isRefused(dialect.changes.probe.tool));
  const answer = answers.get(model) ?? ask();
  answers.set(model, answer);
  return answer;
}

/** The name of the error with which a package refuses a prompt; undefined for none. Never throws. */
async function errorOf(
  model: Askable,
  { name, changes: { probe } }: Pick<Dialect, 'name' | 'changes'>,
  tool: object,
): Promise<unknown> {
  try {
    const bytes = new Uint8Array([1]);
    const data = model.specificationVersion === 'v4' ? { type: 'data', data: bytes } : bytes;
    const prompt = [
      { role: 'system', content: 'x' },
      { role: 'user', content: [{ type: 'text', text: 'x' }] },
      { role: 'system', content: '', providerOptions: { [name]: probe.options(tool) } },
      { role: 'user', content: [{ type: 'file', mediaType: 'application/x-nothing', data }] },
    ];
    await inTime(Promise.resolve(model.doGenerate?.({ prompt, abortSignal: AbortSignal.abort() })), MAX_WAIT);
    return undefined;
  } catch (error) {
    return asRecord(error)?.['name'];
  }
}
