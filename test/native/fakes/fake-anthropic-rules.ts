import type { AnthropicBlock, AnthropicBody, AnthropicMessage, AnthropicTool } from './fake-anthropic.ts';
import { type Refusal, repeated } from './fake-wire.ts';

type Refusals = Generator<Refusal>;

/** What the service knows beside a request. */
export interface AnthropicKnowledge {
  /** Searches that were answered without a result. */
  readonly pending: ReadonlySet<string>;
  /** What the service answered so far. */
  readonly answers: readonly (readonly AnthropicBlock[])[];
  /** What stood before the thinking that it answered, by its signature. */
  readonly bound: ReadonlyMap<string, string>;
  readonly headers: Readonly<Record<string, string>>;
}

/** What the service refuses in a request, in the order in which it looks. */
export function* anthropicRefusals(body: AnthropicBody, known: AnthropicKnowledge): Refusals {
  const { messages, tools = [] } = body;
  yield* refusedTools(body);
  yield* refusedContent(messages);
  for (const index of messages.keys()) yield* refusedSystem(body, index, known.headers['anthropic-beta'] ?? '');
  const walk = new ToolWalk(body);
  for (const [index, message] of messages.entries()) yield* walk.over(message, index);
  const names = new Set(tools.map(({ name }) => name));
  for (const [index, message] of messages.entries()) {
    yield* refusedReferences(message, `messages.${index}`, names);
    yield* refusedPairs(messages, index);
    yield* refusedServerPairs(messages, index, known.pending);
  }
  yield* refusedThinking(messages, known.answers);
  yield* refusedBindings(body, known.bound);
}

export const blocksOf = (message: AnthropicMessage | undefined): readonly AnthropicBlock[] =>
  message === undefined || typeof message.content === 'string' ? [] : message.content;

const ofType =
  (wanted: string) =>
  ({ type }: AnthropicBlock): boolean =>
    type === wanted;
const isThinking = ofType('thinking');
const idsIn = (message: AnthropicMessage | undefined, wanted: 'tool_use' | 'tool_result'): string[] =>
  blocksOf(message)
    .filter(ofType(wanted))
    .map(({ id, tool_use_id: callId }) => id ?? callId ?? '');

const NAME = /^[a-zA-Z0-9_-]{1,128}$/;

function* refusedTools(body: AnthropicBody): Refusals {
  const { tools = [], tool_choice: choice } = body;
  for (const { name, defer_loading: isDeferred, cache_control: cache } of tools) {
    if (!NAME.test(name)) yield ['tool-name', name];
    if (isDeferred === true && cache != null) yield ['cache-control-on-deferred', name];
  }
  const twice = repeated(tools.map(({ name }) => name));
  if (twice !== undefined) yield ['duplicate-tool-name', twice];
  if (tools.length > 0 && tools.every((tool) => tool.defer_loading === true)) yield ['all-tools-deferred', 'tools'];
  const isChoosable = (name = '') => tools.some((tool) => tool.name === name) || offeredBy(body).has(name);
  if (choice?.type === 'tool' && !isChoosable(choice.name)) yield ['tool-choice', String(choice.name)];
}

/** Blocks that are none, which a provider package makes of parts that it does not know, and ids that come again. */
function* refusedContent(messages: readonly AnthropicMessage[]): Refusals {
  for (const [index, message] of messages.entries()) {
    const blocks = [...blocksOf(message)];
    const inner = blocks.flatMap((block) => (Array.isArray(block?.content) ? (block.content as unknown[]) : []));
    const isWhole = [...blocks, ...inner].every((block) => typeof block === 'object' && block !== null);
    if (!isWhole) yield ['invalid-content', `messages.${index}`];
  }
  const twice = repeated(messages.flatMap((message) => idsIn(message, 'tool_use')));
  if (twice !== undefined) yield ['duplicate-tool-use', twice];
}

const isChange = ({ type }: AnthropicBlock): boolean => type === 'tool_addition' || type === 'tool_removal';
const nameOf = ({ tool }: AnthropicBlock): string => tool?.name ?? tool?.definition?.name ?? '';

/** The changes of a request, in order, as `+name` and `-name`. */
export const changesIn = ({ messages }: AnthropicBody): readonly string[] =>
  messages
    .flatMap(blocksOf)
    .filter(isChange)
    .map((block) => `${block.type === 'tool_addition' ? '+' : '-'}${nameOf(block)}`);

/** Versions of models with messages of the system in mid-conversation, and of those that bind their thinking, by family. */
const SYSTEM: Readonly<Record<string, number>> = { opus: 4.8, sonnet: 5, haiku: 5.5, fable: 5, mythos: 5 };
const BINDING: Readonly<Record<string, number>> = { opus: 5.5, sonnet: 5.5, haiku: 5.5, fable: 5.1, mythos: 5.1 };

/** Such as `['opus', 4.8]` of `claude-opus-4-8`. */
function familyOf(model: string): readonly [family: string, version: number] {
  const found = /claude-([a-z]+)-(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/.exec(model);
  return [found?.[1] ?? '', Number(`${found?.[2] ?? 0}.${found?.[3] ?? 0}`)];
}

/** What Anthropic's documentation names: changes by value, and those by name alone. */
const BY_VALUE = 'inline-tools-2026-09-15';
const BY_NAME = 'mid-conversation-tool-changes-2026-07-01';

/**
 * Messages of the system: of which models, with which headers, and where. They stand behind the user, before the
 * assistant or at the end, and follow each other.
 */
function* refusedSystem({ model, messages }: AnthropicBody, index: number, betas: string): Refusals {
  const message = messages[index]!;
  const changes = blocksOf(message).filter(isChange);
  const place = `messages.${index}`;
  if (message.role !== 'system') return;
  const [family, version] = familyOf(model);
  if (version < (SYSTEM[family] ?? Number.POSITIVE_INFINITY)) yield ['system-unsupported', model];
  if (changes.length > 0 && family === 'sonnet' && version <= 5) yield ['tool-change-unsupported', model];
  const isByName = ({ type, tool }: AnthropicBlock) =>
    (betas.includes(BY_NAME) ? tool?.type : type) === 'tool_reference';
  if (!betas.includes(BY_VALUE) && !changes.every(isByName)) yield ['tool-change-beta', place];
  const before = messages.slice(0, index).findLast(({ role }) => role !== 'system');
  const after = messages.slice(index + 1).find(({ role }) => role !== 'system');
  const isPaused = before?.role === 'assistant' && blocksOf(before).at(-1)?.type.endsWith('_tool_result') === true;
  if (before?.role !== 'user' && !isPaused) yield ['system-position', `${place} must follow a 'user' message`];
  if (after?.role === 'user') yield ['system-position', `${place} must precede an 'assistant' message`];
  if (isPaused && changes.length > 0) yield ['system-position', `${place}: changes behind a paused turn`];
}

/** The tools that the model may call behind the last message: by name, as they were defined last. */
export function offeredBy(body: AnthropicBody): ReadonlyMap<string, AnthropicTool> {
  const walk = new ToolWalk(body);
  // Refusals are not asked for here.
  for (const [index, message] of body.messages.entries()) for (const _ of walk.over(message, index));
  return walk.offered;
}

/** Which tools a model has, message by message, and what is refused of their changes. */
class ToolWalk {
  readonly offered = new Map<string, AnthropicTool>();
  /** Those of `tools`, and those that were defined since. */
  readonly #known: Map<string, AnthropicTool>;
  readonly #declared: readonly AnthropicTool[];

  constructor({ tools = [] }: AnthropicBody) {
    this.#declared = tools;
    this.#known = new Map(tools.map((tool) => [tool.name, tool]));
    for (const tool of tools) if (tool.defer_loading !== true) this.offered.set(tool.name, tool);
  }

  *over(message: AnthropicMessage, index: number): Refusals {
    for (const block of blocksOf(message)) {
      for (const name of references(block)) this.#offer(name);
      if (!isChange(block) || message.role !== 'system') continue;
      const [name, place] = [nameOf(block), `messages.${index}: '${nameOf(block)}'`];
      if (block.tool?.type === 'tool_definition') {
        yield* this.#define(block.tool.definition, place);
        continue;
      }
      if (!this.#known.has(name)) yield ['tool-change-unresolved', place];
      // Whether the service takes what changes nothing is not documented. Whoever sends it has lost count.
      const isOffered = this.offered.has(name);
      if (block.type === 'tool_addition') {
        if (isOffered) yield ['tool-added-again', place];
        this.#offer(name);
      } else {
        if (!isOffered) yield ['tool-removed-again', place];
        this.offered.delete(name);
      }
    }
  }

  #offer(name: string): void {
    const tool = this.#known.get(name);
    if (tool) this.offered.set(name, tool);
  }

  /** A tool by value. Another definition under its name replaces it; the same one again is taken, and is a waste. */
  *#define(definition: AnthropicTool | undefined, place: string): Refusals {
    const { name = '', type, input_schema: schema, cache_control: cache, defer_loading: isDeferred } = definition ?? {};
    const isWhole = NAME.test(name) && (type !== undefined || typeof schema === 'object');
    if (!definition || !isWhole || (cache != null && isDeferred === true)) yield ['tool-change-definition', place];
    if (!definition) return;
    if (this.#declared.some((tool) => tool.name === name && tool.defer_loading)) yield ['tool-defined-twice', place];
    const offered = this.offered.get(name);
    if (offered && textOf(offered) === textOf(definition)) yield ['tool-added-again', place];
    this.#known.set(name, definition);
    this.offered.delete(name);
    if (isDeferred !== true) this.offered.set(name, definition);
  }
}

/** What a definition says: the package writes to entries of `tools` how they are streamed. */
function textOf(tool: AnthropicTool): string {
  const { eager_input_streaming: _, cache_control: __, ...rest } = tool as AnthropicTool & Record<string, unknown>;
  return JSON.stringify(Object.entries(rest).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** The tools that a result refers to: of a search by the service, or in a tool's own result. */
export function references({ type, content }: AnthropicBlock): string[] {
  if (type !== 'tool_result' && type !== 'tool_search_tool_result') return [];
  const found = content as { tool_references?: AnthropicBlock[] } | AnthropicBlock[] | string | undefined;
  const parts = Array.isArray(found) ? found : typeof found === 'object' ? (found.tool_references ?? []) : [];
  return parts.flatMap((part) => (part?.type === 'tool_reference' ? [part.tool_name ?? ''] : []));
}

function* refusedReferences(message: AnthropicMessage, place: string, names: ReadonlySet<string>): Refusals {
  for (const block of blocksOf(message)) {
    if (block.type === 'text' && block.text?.trim() === '') yield ['empty-text', place];
    const parts =
      block.type === 'tool_result' && Array.isArray(block.content) ? (block.content as AnthropicBlock[]) : [];
    if (new Set(parts.map(ofType('tool_reference'))).size > 1) yield ['mixed-references', place];
    const gone = references(block).find((name) => !names.has(name));
    if (gone !== undefined) yield ['tool-reference', `Tool reference '${gone}' not found in available tools`];
  }
}

/** Calls need their results in the very next message, and results their calls in the one before. */
function* refusedPairs(messages: readonly AnthropicMessage[], index: number): Refusals {
  const message = messages[index]!;
  if (message.role === 'assistant') {
    const answered = idsIn(messages[index + 1], 'tool_result');
    const open = idsIn(message, 'tool_use').find((id) => !answered.includes(id));
    if (open !== undefined) yield ['tool-use-without-result', open];
    return;
  }
  const results = idsIn(message, 'tool_result');
  const called = idsIn(messages[index - 1], 'tool_use');
  const stray = results.find((id) => !called.includes(id));
  if (stray !== undefined) yield ['result-without-tool-use', stray];
  const twice = repeated(results);
  if (twice !== undefined) yield ['duplicate-tool-result', twice];
}

/**
 * The service's own calls and their results belong into one message, the result before the client's calls. A search that
 * was called beside those may stay alone until they are answered, and by nothing but their results: the next answer
 * begins with its own.
 */
function* refusedServerPairs(
  messages: readonly AnthropicMessage[],
  index: number,
  pending: ReadonlySet<string>,
): Refusals {
  const blocks = blocksOf(messages[index]);
  const after = messages.slice(index + 1);
  const isOpen = after.every((one) => one.role === 'system' || (one.role === 'user' && isAllResults(one)));
  const opening = after.findIndex(({ role }) => role === 'assistant');
  const isContinued = after.slice(0, Math.max(opening, 0)).every(isAllResults);
  const isResultOf = (id: string) => (block: AnthropicBlock) =>
    block.type.endsWith('_tool_result') && block.tool_use_id === id;
  for (const [at, { type, id = '', tool_use_id: callId = '' }] of blocks.entries()) {
    if (type === 'server_tool_use') {
      const isLate = isContinued && blocksOf(after[opening]).some(isResultOf(id));
      const isAnswered = blocks.some(isResultOf(id)) || (isOpen && pending.has(id)) || isLate;
      if (!isAnswered) yield ['server-tool-use-without-result', id];
    }
    if (type !== 'tool_search_tool_result') continue;
    if (blocks.slice(0, at).some(ofType('tool_use'))) yield ['tool-use-without-result', callId];
    const called = messages
      .slice(0, index + 1)
      .flatMap(blocksOf)
      .filter(ofType('server_tool_use'));
    if (!called.some((block) => block.id === callId)) yield ['server-result-without-tool-use', callId];
  }
}

function isAllResults(message: AnthropicMessage): boolean {
  const blocks = blocksOf(message);
  return blocks.length > 0 && blocks.every(ofType('tool_result'));
}

/** Thinking comes back as it was, never at the end, and that of the answer that called what is answered now has to. */
function* refusedThinking(
  messages: readonly AnthropicMessage[],
  answers: readonly (readonly AnthropicBlock[])[],
): Refusals {
  const sealOf = ({ thinking, signature }: AnthropicBlock): string => `${signature} ${thinking}`;
  const known = new Set(answers.flat().filter(isThinking).map(sealOf));
  for (const [index, message] of messages.entries()) {
    const blocks = blocksOf(message);
    const strange = blocks.filter(isThinking).find((block) => !known.has(sealOf(block)));
    if (strange || blocks.at(-1)?.type === 'thinking') yield ['thinking', `messages.${index}`];
  }
  const latest = messages.findLast(({ role }) => role === 'assistant');
  const uses = idsIn(latest, 'tool_use');
  const answer = answers.find((blocks) =>
    blocks.some(({ id, type }) => type === 'tool_use' && uses.includes(id ?? '')),
  );
  const thought = answer?.find(isThinking);
  if (!thought || blocksOf(latest).some(({ signature }) => signature === thought.signature)) return;
  yield ['thinking', 'blocks in the latest assistant message cannot be modified.'];
}

/** Newer models take no thinking whose conversation has changed since, be it in `system`, in `tools` or in a message. */
function* refusedBindings(body: AnthropicBody, bound: ReadonlyMap<string, string>): Refusals {
  const [family, version] = familyOf(body.model);
  if (version < (BINDING[family] ?? Number.POSITIVE_INFINITY)) return;
  for (const [index, message] of body.messages.entries()) {
    for (const [at, { type, signature = '' }] of blocksOf(message).entries()) {
      const before = type === 'thinking' ? bound.get(signature) : undefined;
      const now = beginning(body, body.messages.slice(0, index), blocksOf(message).slice(0, at));
      if (before === undefined || now === before) continue;
      yield ['thinking-bound', `messages.${index}: The block is bound to a different conversation.`];
    }
  }
}

/** All that counts before a block, as one text. Marks of the prompt cache may move, and the oldest thinking may go. */
export function beginning(
  { system, tools }: AnthropicBody,
  messages: readonly AnthropicMessage[],
  own: readonly AnthropicBlock[],
): string {
  const blocks = [...messages, { role: 'assistant', content: own }].flatMap(({ role, content }) =>
    (typeof content === 'string' ? [{ type: 'text', text: content }] : content)
      .filter((block) => !isThinking(block))
      .map((block) => ({ role, block })),
  );
  return JSON.stringify({ system, tools, blocks }, (key, value) => (key === 'cache_control' ? undefined : value));
}
