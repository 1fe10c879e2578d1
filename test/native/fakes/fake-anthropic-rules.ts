import type { AnthropicBlock, AnthropicBody, AnthropicMessage } from './fake-anthropic.ts';
import {
  blocksOf,
  familyOf,
  offeredBy,
  references,
  refusedToolChanges,
  type ToolChangeRule,
} from './fake-anthropic-changes.ts';
import { type Refusal, repeated } from './fake-wire.ts';

export type AnthropicRule =
  | ToolChangeRule
  | 'mixed-references'
  | 'thinking-bound'
  | 'tool-name'
  | 'duplicate-tool-name'
  | 'all-tools-deferred'
  | 'cache-control-on-deferred'
  | 'tool-choice'
  | 'tool-reference'
  | 'empty-text'
  | 'invalid-content'
  | 'tool-use-without-result'
  | 'result-without-tool-use'
  | 'duplicate-tool-use'
  | 'duplicate-tool-result'
  | 'server-tool-use-without-result'
  | 'server-result-without-tool-use'
  | 'thinking';

type Refusals = Generator<Refusal<AnthropicRule>>;

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
  yield* refusedTools(body);
  yield* refusedContent(body);
  yield* refusedToolChanges(body, known.headers);
  const names = new Set((body.tools ?? []).map(({ name }) => name));
  for (const [index, message] of body.messages.entries()) {
    yield* refusedReferences(message, `messages.${index}`, names);
    yield* refusedPairs(body.messages, index);
    yield* refusedServerPairs(body.messages, index, known.pending);
  }
  yield* refusedThinking(body.messages, known.answers);
  yield* refusedBindings(body, known.bound);
}

const isThinking = ({ type }: AnthropicBlock): boolean => type === 'thinking';

/** Thinking comes back as it was, never at the end, and that of the answer that called what is answered now has to. */
function* refusedThinking(
  messages: readonly AnthropicMessage[],
  answers: readonly (readonly AnthropicBlock[])[],
): Refusals {
  const known = answers.flat().filter(isThinking);
  const isKnown = (block: AnthropicBlock): boolean =>
    known.some(({ thinking, signature }) => thinking === block.thinking && signature === block.signature);
  for (const [index, message] of messages.entries()) {
    const blocks = blocksOf(message);
    if (!blocks.filter(isThinking).every(isKnown)) {
      yield ['thinking', `messages.${index}: Invalid \`signature\` in \`thinking\` block`];
    }
    const last = blocks.at(-1);
    if (message.role !== 'assistant' || !last || !isThinking(last)) continue;
    yield ['thinking', `messages.${index}: The final block in an assistant message cannot be \`thinking\`.`];
  }
  const latest = messages.findLast(({ role }) => role === 'assistant');
  const uses = toolUseIds(latest);
  const answer = answers.find((blocks) =>
    blocks.some(({ id, type }) => type === 'tool_use' && uses.includes(id ?? '')),
  );
  const thought = answer?.find(isThinking);
  if (!thought || blocksOf(latest).some(({ signature }) => signature === thought.signature)) return;
  yield ['thinking', '`thinking` blocks in the latest assistant message cannot be modified.'];
}

/** Versions of models that bind their thinking to what stood before it, by family. */
const BINDING: Readonly<Record<string, number>> = { opus: 5.5, sonnet: 5.5, haiku: 5.5, fable: 5.1, mythos: 5.1 };

/** Newer models take no thinking whose conversation has changed since, be it in `system`, in `tools` or in a message. */
function* refusedBindings(body: AnthropicBody, bound: ReadonlyMap<string, string>): Refusals {
  const [family, version] = familyOf(body.model);
  if (version < (BINDING[family] ?? Number.POSITIVE_INFINITY)) return;
  for (const [index, message] of body.messages.entries()) {
    const blocks = message.role === 'assistant' ? blocksOf(message) : [];
    for (const [at, { type, signature = '' }] of blocks.entries()) {
      const before = type === 'thinking' ? bound.get(signature) : undefined;
      const now = beginning(body, body.messages.slice(0, index), blocks.slice(0, at));
      if (before === undefined || now === before) continue;
      const place = `messages.${index}.content.${at}: Invalid \`signature\` in \`thinking\` block.`;
      yield ['thinking-bound', `${place} The block is bound to a different conversation.`];
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

function* refusedTools(body: AnthropicBody): Refusals {
  const { tools = [], tool_choice: choice } = body;
  for (const [index, { name, defer_loading: deferred, cache_control: cache }] of tools.entries()) {
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(name)) {
      yield ['tool-name', `tools.${index}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`];
    }
    if (deferred === true && cache != null) {
      const why = 'cannot have both defer_loading=true and cache_control set.';
      yield ['cache-control-on-deferred', `tools.${index}: Tool '${name}' ${why}`];
    }
  }
  if (repeated(tools.map(({ name }) => name)) !== undefined) {
    yield ['duplicate-tool-name', 'tools: Tool names must be unique.'];
  }
  if (tools.length > 0 && tools.every((tool) => tool.defer_loading === true)) {
    const why = 'At least one tool must have defer_loading=false. All tools cannot be deferred.';
    yield ['all-tools-deferred', why];
  }
  const isChoosable = (name = '') => tools.some((tool) => tool.name === name) || offeredBy(body).has(name);
  if (choice?.type === 'tool' && !isChoosable(choice.name)) {
    yield ['tool-choice', `Tool '${choice.name}' not found in provided tools`];
  }
}

/** Blocks that are none, which a provider package makes of parts that it does not know, and ids that come again. */
function* refusedContent({ messages }: AnthropicBody): Refusals {
  for (const [index, message] of messages.entries()) {
    const blocks = [...blocksOf(message)];
    const inner = blocks.flatMap((block) => (Array.isArray(block?.content) ? (block.content as unknown[]) : []));
    if ([...blocks, ...inner].every((block) => typeof block === 'object' && block !== null)) continue;
    yield ['invalid-content', `messages.${index}.content: Input should be a valid dictionary`];
  }
  const twice = repeated(messages.flatMap(toolUseIds));
  if (twice !== undefined) yield ['duplicate-tool-use', `messages: \`tool_use\` ids must be unique: ${twice}`];
}

function* refusedReferences(message: AnthropicMessage, place: string, names: ReadonlySet<string>): Refusals {
  for (const block of blocksOf(message)) {
    if (block.type === 'text' && block.text?.trim() === '') {
      yield ['empty-text', `${place}: text content blocks must be non-empty`];
    }
    const parts =
      block.type === 'tool_result' && Array.isArray(block.content) ? (block.content as AnthropicBlock[]) : [];
    if (new Set(parts.map((part) => part?.type === 'tool_reference')).size > 1) {
      const why = 'Tool definitions cannot be mixed with other content in a `tool_result`';
      yield ['mixed-references', `${place}: ${why}`];
    }
    const gone = references(block).find((name) => !names.has(name));
    if (gone !== undefined) yield ['tool-reference', `Tool reference '${gone}' not found in available tools`];
  }
}

const UNANSWERED = '`tool_use` ids were found without `tool_result` blocks immediately after';

/** Calls need their results in the very next message, and results their calls in the one before. */
function* refusedPairs(messages: readonly AnthropicMessage[], index: number): Refusals {
  const message = messages[index]!;
  const place = `messages.${index}`;
  if (message.role === 'assistant') {
    const answered = resultIds(messages[index + 1]);
    const open = toolUseIds(message).filter((id) => !answered.includes(id));
    if (open.length > 0) yield ['tool-use-without-result', `${place}: ${UNANSWERED}: ${open.join(', ')}`];
    return;
  }
  const results = resultIds(message);
  const called = toolUseIds(messages[index - 1]);
  const stray = results.find((id) => !called.includes(id));
  if (stray !== undefined) {
    const why = `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stray}`;
    yield ['result-without-tool-use', `${place}: ${why}`];
  }
  const twice = repeated(results);
  if (twice === undefined) return;
  yield ['duplicate-tool-result', `${place}: each tool_use must have a single result. Found multiple: ${twice}`];
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
  const place = `messages.${index}`;
  const blocks = blocksOf(messages[index]);
  const after = messages.slice(index + 1);
  const isOpen = after.every((one) => one.role === 'system' || (one.role === 'user' && isAllResults(one)));
  const opening = after.find(({ role }) => role === 'assistant');
  const isContinued = after.slice(0, opening ? after.indexOf(opening) : 0).every(isAllResults);
  const isResultOf = (id: string) => (block: AnthropicBlock) =>
    block.type.endsWith('_tool_result') && block.tool_use_id === id;
  for (const [at, { type, id = '', tool_use_id: callId = '', name }] of blocks.entries()) {
    if (type === 'server_tool_use') {
      if (blocks.some(isResultOf(id)) || (isOpen && pending.has(id))) continue;
      if (isContinued && blocksOf(opening).some(isResultOf(id))) continue;
      const why = `\`${name}\` tool use with id \`${id}\` was found without a corresponding result block`;
      yield ['server-tool-use-without-result', `${place}: ${why}`];
    }
    if (type !== 'tool_search_tool_result') continue;
    if (blocks.slice(0, at).some((block) => block.type === 'tool_use')) {
      yield ['tool-use-without-result', `${place}: ${UNANSWERED}`];
    }
    const called = messages.slice(0, index + 1).flatMap(blocksOf);
    if (called.some((block) => block.type === 'server_tool_use' && block.id === callId)) continue;
    const why = `unexpected \`tool_use_id\` found in \`tool_search_tool_result\` blocks: ${callId}`;
    yield ['server-result-without-tool-use', `${place}: ${why}`];
  }
}

function isAllResults(message: AnthropicMessage): boolean {
  const blocks = blocksOf(message);
  return blocks.length > 0 && blocks.every(({ type }) => type === 'tool_result');
}

const toolUseIds = (message: AnthropicMessage | undefined): string[] =>
  blocksOf(message).flatMap(({ type, id }) => (type === 'tool_use' ? [id ?? ''] : []));

const resultIds = (message: AnthropicMessage | undefined): string[] =>
  blocksOf(message).flatMap(({ type, tool_use_id: id }) => (type === 'tool_result' ? [id ?? ''] : []));
