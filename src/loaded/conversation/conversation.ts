import type { RequestContext } from '@mastra/core/request-context';
import type { Permissions } from '../../filter/permissions.ts';
import type { PolicySubject } from '../../filter/questions.ts';
import { asRecord, readContext } from '../../util/record.ts';
import { spelledAlike } from '../../util/suggest.ts';
import { cut } from '../../util/text.ts';
import { runToEnd } from '../../util/time-slices.ts';
import { isStopWord, words } from '../../util/words.ts';

/** A tool call of the conversation, as Mastra stores it. The stored fields may have any type. */
export interface ToolCall {
  /** The id, and the name below, are undefined where the stored value is not a string. */
  readonly id: string | undefined;
  /** The name under which Mastra stores the call. */
  readonly toolName: string | undefined;
  /** `call`, `result`, `output-error` and others. */
  readonly state: unknown;
  readonly args: unknown;
  readonly result: unknown;
  /** The name, as the model wrote it, of a tool that was not found; undefined for any other call. */
  readonly missing: string | undefined;
  readonly message: ConversationMessage;
  /** The side that searched, for a call of a provider's search tool. */
  readonly searchedBy: SearchSide | undefined;
  /** The meta-tool that was called, or that the called search tool of a provider replaces. */
  readonly metaTool: 'search' | 'load' | 'unload' | undefined;
  /** The names that the call loaded; empty until the call is completed. */
  readonly loaded: readonly string[];
  /** The names that the call unloaded: by `unload_tool`, or to make room for a load. */
  readonly unloaded: readonly string[];
  /** Whether the call belongs to the current run: it comes after the last message of the user. */
  readonly isOfRun: boolean;
}

/** The calls of a conversation that load and unload tools: those of the meta-tools, by their names. */
export interface LoadingCalls {
  readonly search: string;
  readonly load: string;
  readonly unload?: string;
  /** The name of `call_tool`. A call that ran through `call_tool` counts as a call of the tool that ran. */
  readonly bridge?: string;
  /** Whether the providers' own searches count as well: with `mode: 'native'`. */
  readonly withProviders?: boolean;
}

/**
 * The beginning of the error text of a call that missed its tool: `Tool "x" not found. Available tools: …`. The text
 * has the missed name even where the message omits the name because providers would refuse it.
 */
const NOT_FOUND = /^(?:Error: )?Tool "([\s\S]{1,256}?)" not found\b/;

/** The tool calls of a conversation, oldest first. Only what assistant messages hold counts. */
export function callsIn(messages: Conversation, loading?: LoadingCalls): readonly ToolCall[] {
  const lastOfUser = messages.findLastIndex((message) => roleOf(message) === 'user');
  return messages.flatMap((message, position) => {
    if (roleOf(message) !== 'assistant') return [];
    return partsOf(message.content).flatMap((part) => {
      const invocation = asRecord(asRecord(part)?.['toolInvocation']);
      return invocation ? [callOf(invocation, message, position > lastOfUser, loading)] : [];
    });
  });
}

function callOf(
  invocation: Readonly<Record<string, unknown>>,
  message: ConversationMessage,
  isOfRun: boolean,
  loading: LoadingCalls | undefined,
): ToolCall {
  const { toolCallId, state, result, errorText } = invocation;
  const id = typeof toolCallId === 'string' ? toolCallId : undefined;
  const written = typeof invocation['toolName'] === 'string' ? invocation['toolName'] : undefined;
  const through = written !== undefined && written === loading?.bridge ? calledThrough(invocation) : undefined;
  const { toolName, args } = through ?? { toolName: written, args: invocation['args'] };
  const searchedBy = providerSearches.get(written ?? '')?.(args);
  const own = toolName === undefined ? undefined : META_TOOLS.find((metaTool) => loading?.[metaTool] === toolName);
  const loads = (): readonly string[] => {
    if (loading?.withProviders && searchedBy) return foundByProvider(result);
    return own === 'search' || own === 'load' ? loadedNames(result, own) : [];
  };
  const isError = state === 'output-error' && typeof errorText === 'string';
  return {
    ...{ id, toolName, state, args, result, message, searchedBy, isOfRun },
    missing: isError ? NOT_FOUND.exec(errorText)?.[1] : undefined,
    metaTool: own ?? (searchedBy && 'search'),
    loaded: state === 'result' ? loads() : [],
    unloaded: state === 'result' && own ? strings(asRecord(result)?.['unloaded']) : [],
  };
}

/** The call of a tool that `call_tool` ran, or is to run; undefined where `call_tool` answered without a tool. */
function calledThrough({
  args,
  result,
}: Readonly<Record<string, unknown>>): Pick<ToolCall, 'toolName' | 'args'> | undefined {
  const { success, message } = asRecord(result) ?? {};
  const { toolName, arguments: given } = asRecord(args) ?? {};
  const isRefusal = success === false && typeof message === 'string';
  return isRefusal || typeof toolName !== 'string' ? undefined : { toolName, args: given };
}

const META_TOOLS = ['search', 'load', 'unload'] as const;

/** The side that ran a provider's search: the provider, or the application, which answered it. */
export type SearchSide = 'client' | 'server';

/**
 * The search tools of providers, by name. Each function tells from the input of a call which side ran the search;
 * undefined if the call is not a provider's. Conversations have such calls in every mode. The dialects of native mode
 * may add more tools.
 */
export const providerSearches: Map<string, (input: unknown) => SearchSide | undefined> = new Map([
  // A meta-tool may have the same name, but never this input.
  [
    'tool_search',
    (input: unknown) => {
      const item = asRecord(input) ?? {};
      if (typeof item['call_id'] === 'string') return 'client';
      return 'arguments' in item || 'call_id' in item ? 'server' : undefined;
    },
  ],
  ['tool_search_tool_bm25', () => 'server'],
  ['tool_search_tool_regex', () => 'server'],
]);

/**
 * The names of the tools in the result of a provider's search: references, definitions, or namespaces of definitions.
 */
export function foundByProvider(result: unknown): readonly string[] {
  const found = Array.isArray(result) ? result : asRecord(result)?.['tools'];
  return Array.isArray(found) ? found.flatMap(namesIn) : [];
}

function namesIn(item: unknown): readonly string[] {
  const { type, toolName, name, tools } = asRecord(item) ?? {};
  if (type === 'namespace') return Array.isArray(tools) ? tools.flatMap(namesIn) : [];
  return strings([toolName, name]);
}

export function callsOfRun(calls: readonly ToolCall[]): readonly ToolCall[] {
  return calls.filter(({ isOfRun }) => isOfRun);
}

export type FailedCall = ToolCall & { readonly id: string; readonly toolName: string };

/** The calls that ended in an error: they missed their tool, or it failed. */
export function failedCalls(calls: readonly ToolCall[]): readonly FailedCall[] {
  const isFailed = (call: ToolCall): call is FailedCall =>
    call.state === 'output-error' && call.id !== undefined && call.toolName !== undefined;
  return calls.filter(isFailed);
}

/**
 * Whether a call ended badly: in an error, or with a result that reports one, as Mastra does for invalid input
 * (`error`), and an MCP server for a failed tool (`isError`).
 */
export function hasFailed({ state, result }: Pick<ToolCall, 'state' | 'result'>): boolean {
  if (state === 'output-error') return true;
  const { error, isError } = asRecord(result) ?? {};
  return state === 'result' && (error === true || isError === true);
}

/** The tools whose last call in the run under way failed, by the names that the calls have. */
export function failingTools(calls: readonly ToolCall[]): ReadonlySet<string> {
  const failing = new Set<string>();
  for (const call of callsOfRun(calls)) {
    const { toolName } = call;
    if (toolName === undefined || call.missing !== undefined || !hasEnded(call)) continue;
    if (hasFailed(call)) failing.add(toolName);
    else failing.delete(toolName);
  }
  return failing;
}

const ENDED: ReadonlySet<unknown> = new Set(['result', 'output-error', 'output-available', 'output-denied']);

/** Whether a call has its result. Others wait for an approval, a resumption or their end. */
export function hasEnded({ state }: ToolCall): boolean {
  return ENDED.has(state);
}

/** The tools whose calls have no result yet. */
export function pendingCalls(calls: readonly ToolCall[]): ReadonlySet<string> {
  return namesOf(calls.filter((call) => !hasEnded(call)));
}

export function succeededCalls(calls: readonly ToolCall[]): ReadonlySet<string> {
  return namesOf(calls.filter(({ state }) => state === 'result'));
}

function namesOf(calls: readonly ToolCall[]): ReadonlySet<string> {
  return new Set(calls.flatMap(({ toolName }) => toolName ?? []));
}

/** A message as Mastra stores it, as far as it is read. */
export interface ConversationMessage {
  readonly id?: string;
  readonly role?: string;
  readonly content?: unknown;
}

export type Conversation = readonly ConversationMessage[];

/** The part of a step's arguments that has the conversation, and decides what of it is trusted. */
export interface ConversationArgs {
  readonly messages?: Conversation | undefined;
  readonly messageList?: unknown;
  readonly requestContext?: RequestContext | undefined;
}

/**
 * The conversation as it is now: the message list grows while a step runs, the messages that the step began with do
 * not.
 */
export function conversationOf(args: ConversationArgs): Conversation {
  const list = asRecord(asRecord(asRecord(args.messageList)?.['get'])?.['all']);
  if (typeof list?.['db'] !== 'function') return args.messages ?? [];
  const messages: unknown = (list as { db(): unknown }).db();
  return Array.isArray(messages) ? messages : (args.messages ?? []);
}

export function partsOf(content: unknown): readonly unknown[] {
  const parts = asRecord(content)?.['parts'];
  return Array.isArray(parts) ? parts : [];
}

export function roleOf(message: ConversationMessage | undefined): unknown {
  return asRecord(message)?.['role'];
}

/** How many missed names, the latest ones, a later call is compared with. */
const MAX_MISSED = 10;

interface Load {
  readonly name: string;
  readonly message: ConversationMessage;
}

/**
 * The tools that completed calls loaded and did not unload again, oldest first, each name once. Only what really loaded
 * counts: a plain search result does not, but a tool that was missed and then called with success was loaded for that.
 * With `countsCalled`, every tool that was called with success counts. A trusted message wins over an earlier untrusted
 * one.
 */
export function loadsInConversation(
  calls: readonly ToolCall[],
  countsCalled = false,
  isTrusted: (message: ConversationMessage) => boolean = () => true,
): readonly Load[] {
  const loads = new Map<string, Load>();
  let missed: readonly string[] = [];
  for (const { message, toolName, state, missing, loaded, unloaded } of calls) {
    if (missing !== undefined) missed = [...missed, missing].slice(-MAX_MISSED);
    for (const name of unloaded) loads.delete(name);
    const isCalled = state === 'result' && toolName !== undefined;
    const called = isCalled && (countsCalled || wasMissed(toolName, missed)) ? [toolName] : [];
    for (const name of [...loaded, ...called]) {
      const earlier = loads.get(name);
      if (!earlier || (!isTrusted(earlier.message) && isTrusted(message))) loads.set(name, { name, message });
    }
  }
  return [...loads.values()];
}

/**
 * The names that the conversation shows as loaded, as far as it can be believed.
 *
 * Only what this request loaded itself is believed at once. Every other result may have been written by a client, even
 * one that Memory brings, which stores what clients send: its names have to pass the load phase of the filter again.
 * Messages that the caller sent in this turn are ignored where Memory has the history.
 */
export async function believableLoads(
  calls: readonly ToolCall[],
  { messageList, requestContext }: ConversationArgs,
  subjectOf: (name: string) => PolicySubject | undefined,
  permissions: Permissions,
  own: ReadonlySet<string>,
  countsCalled = false,
): Promise<readonly string[]> {
  const isMastras = sourceReader(messageList);
  const loads = loadsInConversation(calls, countsCalled, isMastras);
  const hasMemory = Boolean(readContext(requestContext, 'MastraMemory', true));
  const verdicts = await Promise.all(
    loads.map(({ name, message }) => {
      if (own.has(name)) return true;
      if (!isMastras(message) && hasMemory) return false;
      const subject = subjectOf(name);
      return subject !== undefined && permissions.allows(subject, 'load');
    }),
  );
  return loads.filter((_, position) => verdicts[position]).map(({ name }) => name);
}

/**
 * Whether a message is Mastra's own, from its memory or this run, or came from the caller. A message list of
 * another kind does not tell its sources; no client stands behind such a list.
 */
export function sourceReader(messageList: unknown): (message: ConversationMessage) => boolean {
  const list = messageList as { makeMessageSourceChecker?(): { getSource?(message: unknown): unknown } } | undefined;
  const checker = list?.makeMessageSourceChecker?.();
  return (message) => !checker?.getSource || ['memory', 'response'].includes(String(checker.getSource(message)));
}

/** The last call or load of each tool, by name: a larger number is later. */
export function lastUses(calls: readonly ToolCall[]): ReadonlyMap<string, number> {
  const uses = new Map<string, number>();
  for (const [position, { toolName, loaded }] of calls.entries()) {
    for (const name of [toolName ?? [], loaded].flat()) uses.set(name, position + 1);
  }
  return uses;
}

/** From this many calls with the same input in a run on, a tool counts as called in a circle. */
const REPEATS = 2;

/**
 * The meta-tools that the run calls in a circle: at least twice with the same input since another tool was called with
 * success.
 */
export function repeatedTools(calls: readonly ToolCall[], metaTools: readonly string[]): ReadonlySet<string> {
  const repeated = new Set<string>();
  const counts = new Map<string, number>();
  for (const call of callsOfRun(calls)) {
    const { toolName = '', args, state, result, unloaded } = call;
    const isMeta = metaTools.includes(toolName);
    // An unloaded tool may be loaded again.
    if (unloaded.length > 0 || (!isMeta && !hasFailed(call))) {
      repeated.clear();
      counts.clear();
    } else if (isMeta && state === 'result') {
      const key = JSON.stringify([toolName, args]);
      // One call loads 20 tools at most: the next may load more of the same group.
      const loadsMore = Number(asRecord(result)?.['loadedCount']) > 0;
      const count = loadsMore ? 1 : (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      if (count >= REPEATS) repeated.add(toolName);
    }
  }
  return repeated;
}

/** The calls of the current run that failed as an earlier call with the same input did. The last one for each input. */
export function failedAgain(calls: readonly ToolCall[]): readonly FailedCall[] {
  const counts = new Map<string, number>();
  const again = new Map<string, FailedCall>();
  for (const call of callsOfRun(calls)) {
    const { id, toolName, args, missing } = call;
    if (id === undefined || toolName === undefined || missing !== undefined || !hasFailed(call)) continue;
    const key = JSON.stringify([toolName, args]);
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    if (count >= REPEATS) again.set(key, { ...call, id, toolName });
  }
  return [...again.values()];
}

/** Counts the searches of the current run that have ended since it last loaded a tool or called one. */
export function searchesInVain(calls: readonly ToolCall[]): number {
  let count = 0;
  for (const { metaTool, loaded, state } of callsOfRun(calls)) {
    if ((metaTool !== 'search' && metaTool !== 'load') || loaded.length > 0) count = 0;
    else if (metaTool === 'search' && state === 'result') count += 1;
  }
  return count;
}

function wasMissed(toolName: string, missed: readonly string[]): boolean {
  // Either may have a prefix that the other lacks.
  const isAlike = (one: string, other: string): boolean => runToEnd(spelledAlike(one, [other])).length > 0;
  return missed.some((name) => name === toolName || isAlike(name, toolName) || isAlike(toolName, name));
}

/**
 * The names in a result that were loaded. Reads our own result shapes and those of @mastra/core, whose searches state
 * their loads in a receipt, and up to 1.71 in the message alone.
 */
export function loadedNames(value: unknown, metaTool: 'search' | 'load'): readonly string[] {
  const result = asRecord(value);
  if (!result) return [];
  const names = [...strings(result['loaded']), ...strings(result['alreadyLoaded'])];
  if (names.length > 0) return names;
  if (metaTool === 'load') return result['success'] === true ? strings([result['toolName']]) : [];
  const { message, results, activation } = result;
  if ('loaded' in result || !Array.isArray(results)) return [];
  const shown = strings(results.map((match) => asRecord(match)?.['name']));
  if (activation === undefined) {
    return typeof message === 'string' && message.startsWith('Found and loaded') ? shown : [];
  }
  const { type, version, loaded } = asRecord(activation) ?? {};
  const isReceipt = type === 'tool-search-auto-load' && version === 1;
  return isReceipt ? strings(loaded).filter((name) => shown.includes(name)) : [];
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}

/**
 * States in a search's result that all of its tools were loaded. @mastra/core, after 1.71, believes a search only with
 * a receipt that names exactly the results.
 */
interface LoadReceipt {
  type: 'tool-search-auto-load';
  version: 1;
  loaded: string[];
}

export function receiptOf(loaded: readonly string[]): LoadReceipt {
  return { type: 'tool-search-auto-load', version: 1, loaded: [...loaded] };
}

/** Characters of a message that are read. */
const MAX_TEXT = 2_000;
/** The number of words from which a message is also searched clause by clause. */
const LONG = 40;
/** The number of clauses that are searched, and the number of words that a clause must have. */
const MAX_CLAUSES = 8;
const MIN_WORDS = 3;

/** The text of the user's last message; empty where the message has no text. */
export function lastUserText(messages: Conversation): string {
  const message = messages.findLast((one) => roleOf(one) === 'user');
  const content = message?.content;
  if (typeof content === 'string') return content;
  const texts = partsOf(content).flatMap((part) => {
    const { type, text } = asRecord(part) ?? {};
    return type === 'text' && typeof text === 'string' ? [text] : [];
  });
  const whole = asRecord(content)?.['content'];
  return texts.length > 0 ? texts.join('\n') : typeof whole === 'string' ? whole : '';
}

/** The texts of a message to search for: its beginning, and the clauses of a long message. Empty for small talk. */
export function searchedTexts(message: string): readonly string[] {
  const text = cut(message.trim(), MAX_TEXT);
  if (isSmallTalk(text)) return [];
  const clauses = text.split(/\s+/).length < LONG ? [] : clausesOf(text);
  return clauses.length > 1 ? [text, ...clauses.slice(0, MAX_CLAUSES)] : [text];
}

const END_OF_SENTENCE = /(?<=[.!?;])\s+|(?<=[。！？；])|\n+/;
const NEXT_THING = /(?:,\s*|\s)(?=(?:and then|and also|after that|then)\s)|,\s+(?=(?:and|also|but|so)\s)/i;

function clausesOf(text: string): readonly string[] {
  const parts = text.split(END_OF_SENTENCE).flatMap((sentence) => sentence.split(NEXT_THING));
  return parts.map((part) => part.trim()).filter((part) => part.split(/\s+/).length >= MIN_WORDS);
}

/** Words of greeting, thanks, consent and asking back: a message of these alone asks for no tool. */
const SMALL_TALK = new Set(
  `hello hi hey hallo greetings good morning afternoon evening night bye goodbye welcome today thank thanks thx ty cheers
  please pls yes yeah yep no nope not ok okay fine sure right correct wrong agree exactly great nice cool perfect awesome
  wonderful sounds much very well done go on continue proceed next again more so that why what who when how mean help
  helped understand explain sorry oops never mind wait really true try just did say said tell know think
  hola gracias danke bitte merci oui ja nein bonjour salut ciao grazie obrigado olá`.split(/\s+/),
);

/** Whether a message consists of stop words and small talk, which find no tool. */
function isSmallTalk(text: string): boolean {
  return words(text).every((word) => isStopWord(word) || SMALL_TALK.has(word));
}
