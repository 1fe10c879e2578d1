import type { AnthropicBlock, AnthropicBody, AnthropicMessage } from './fake-anthropic.ts';
import type { Bindings } from './fake-anthropic-bindings.ts';
import { blocksOf, references } from './fake-anthropic-blocks.ts';
import { offeredBy, refusedToolChanges, type ToolChangeRule } from './fake-anthropic-changes.ts';
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
  readonly bindings: Bindings;
  readonly headers: Readonly<Record<string, string>>;
}

/** What the service refuses in a request, in the order in which it looks. */
export function* anthropicRefusals(
  body: AnthropicBody,
  { pending, answers, bindings, headers }: AnthropicKnowledge,
): Refusals {
  yield* refusedTools(body);
  yield* refusedContent(body);
  yield* refusedToolChanges(body, headers);
  const names = new Set((body.tools ?? []).map(({ name }) => name));
  for (const [index, message] of body.messages.entries()) {
    yield* refusedReferences(message, index, names);
    yield* refusedPairs(body.messages, index);
    yield* refusedServerPairs(body.messages, index, pending);
  }
  yield* refusedThinking(body.messages, answers);
  for (const message of bindings.broken(body)) yield { rule: 'thinking-bound', message };
}

const isThinking = ({ type }: AnthropicBlock): boolean => type === 'thinking';

/** Thinking comes back as it was, never at the end, and that of the answer that called what is answered now has to. */
function* refusedThinking(
  messages: readonly AnthropicMessage[],
  answers: readonly (readonly AnthropicBlock[])[],
): Refusals {
  const known = answers.flat().filter(isThinking);
  for (const [index, message] of messages.entries()) {
    const blocks = blocksOf(message);
    const strange = blocks.find(
      (block) =>
        isThinking(block) &&
        !known.some(({ thinking, signature }) => thinking === block.thinking && signature === block.signature),
    );
    if (strange) yield { rule: 'thinking', message: `messages.${index}: Invalid \`signature\` in \`thinking\` block` };
    const last = blocks.at(-1);
    if (message.role !== 'assistant' || !last || !isThinking(last)) continue;
    yield {
      rule: 'thinking',
      message: `messages.${index}: The final block in an assistant message cannot be \`thinking\`.`,
    };
  }
  const latest = messages.findLast(({ role }) => role === 'assistant');
  const uses = latest ? toolUseIds(latest) : [];
  const answer = answers.find((blocks) =>
    blocks.some(({ id, type }) => type === 'tool_use' && uses.includes(id ?? '')),
  );
  const thought = answer?.find(isThinking);
  if (!thought || blocksOf(latest).some(({ signature }) => signature === thought.signature)) return;
  yield { rule: 'thinking', message: '`thinking` blocks in the latest assistant message cannot be modified.' };
}

function* refusedTools(body: AnthropicBody): Refusals {
  const { tools = [], tool_choice: choice } = body;
  for (const [index, { name, defer_loading: deferred, cache_control: cache }] of tools.entries()) {
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(name)) {
      const message = `tools.${index}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`;
      yield { rule: 'tool-name', message };
    }
    if (deferred === true && cache != null) {
      const message = `tools.${index}: Tool '${name}' cannot have both defer_loading=true and cache_control set.`;
      yield { rule: 'cache-control-on-deferred', message };
    }
  }
  if (repeated(tools.map(({ name }) => name)) !== undefined) {
    yield { rule: 'duplicate-tool-name', message: 'tools: Tool names must be unique.' };
  }
  if (tools.length > 0 && tools.every((tool) => tool.defer_loading === true)) {
    const message = 'At least one tool must have defer_loading=false. All tools cannot be deferred.';
    yield { rule: 'all-tools-deferred', message };
  }
  const isChoosable = (name = '') => tools.some((tool) => tool.name === name) || offeredBy(body).has(name);
  if (choice?.type === 'tool' && !isChoosable(choice.name)) {
    yield { rule: 'tool-choice', message: `Tool '${choice.name}' not found in provided tools` };
  }
}

/** Blocks that are none, which a provider package makes of parts that it does not know, and ids that come again. */
function* refusedContent({ messages }: AnthropicBody): Refusals {
  for (const [index, message] of messages.entries()) {
    const blocks = [...blocksOf(message)];
    const inner = blocks.flatMap((block) => (Array.isArray(block?.content) ? (block.content as unknown[]) : []));
    if ([...blocks, ...inner].every((block) => typeof block === 'object' && block !== null)) continue;
    yield { rule: 'invalid-content', message: `messages.${index}.content: Input should be a valid dictionary` };
  }
  const twice = repeated(messages.flatMap(toolUseIds));
  if (twice !== undefined) {
    yield { rule: 'duplicate-tool-use', message: `messages: \`tool_use\` ids must be unique: ${twice}` };
  }
}

function* refusedReferences(message: AnthropicMessage, index: number, names: ReadonlySet<string>): Refusals {
  for (const block of blocksOf(message)) {
    if (block.type === 'text' && block.text?.trim() === '') {
      yield { rule: 'empty-text', message: `messages.${index}: text content blocks must be non-empty` };
    }
    const parts =
      block.type === 'tool_result' && Array.isArray(block.content) ? (block.content as AnthropicBlock[]) : [];
    if (new Set(parts.map((part) => part?.type === 'tool_reference')).size > 1) {
      const message = `messages.${index}: Tool definitions cannot be mixed with other content in a \`tool_result\``;
      yield { rule: 'mixed-references', message };
    }
    for (const name of references(block)) {
      if (names.has(name)) continue;
      yield { rule: 'tool-reference', message: `Tool reference '${name}' not found in available tools` };
    }
  }
}

/** Calls need their results in the very next message, and results their calls in the one before. */
function* refusedPairs(messages: readonly AnthropicMessage[], index: number): Refusals {
  const message = messages[index]!;
  if (message.role === 'assistant') {
    const answered = resultIds(messages[index + 1]);
    const open = toolUseIds(message).filter((id) => !answered.includes(id));
    if (open.length > 0) {
      const text = `\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(', ')}`;
      yield { rule: 'tool-use-without-result', message: `messages.${index}: ${text}` };
    }
    return;
  }
  const results = resultIds(message);
  const called = toolUseIds(messages[index - 1]);
  const stray = results.find((id) => !called.includes(id));
  if (stray !== undefined) {
    const text = `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stray}`;
    yield { rule: 'result-without-tool-use', message: `messages.${index}: ${text}` };
  }
  const twice = repeated(results);
  if (twice !== undefined) {
    const text = `each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${twice}`;
    yield { rule: 'duplicate-tool-result', message: `messages.${index}: ${text}` };
  }
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
  const opening = after.find(({ role }) => role === 'assistant');
  const isContinued = after.slice(0, opening ? after.indexOf(opening) : 0).every(isAllResults);
  const isResultOf = (id: string) => (block: AnthropicBlock) =>
    block.type.endsWith('_tool_result') && block.tool_use_id === id;
  for (const [at, { type, id = '', tool_use_id: callId = '', name }] of blocks.entries()) {
    if (type === 'server_tool_use') {
      if (blocks.some(isResultOf(id)) || (isOpen && pending.has(id))) continue;
      if (isContinued && blocksOf(opening).some(isResultOf(id))) continue;
      const text = `\`${name}\` tool use with id \`${id}\` was found without a corresponding result block`;
      yield { rule: 'server-tool-use-without-result', message: `messages.${index}: ${text}` };
    }
    if (type !== 'tool_search_tool_result') continue;
    if (blocks.slice(0, at).some((block) => block.type === 'tool_use')) {
      const text = '`tool_use` ids were found without `tool_result` blocks immediately after';
      yield { rule: 'tool-use-without-result', message: `messages.${index}: ${text}` };
    }
    const called = messages.slice(0, index + 1).flatMap(blocksOf);
    if (called.some((block) => block.type === 'server_tool_use' && block.id === callId)) continue;
    const text = `unexpected \`tool_use_id\` found in \`tool_search_tool_result\` blocks: ${callId}`;
    yield { rule: 'server-result-without-tool-use', message: `messages.${index}: ${text}` };
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
