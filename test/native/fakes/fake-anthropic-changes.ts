import type { AnthropicBlock, AnthropicBody, AnthropicMessage, AnthropicTool } from './fake-anthropic.ts';
import type { Refusal } from './fake-wire.ts';

/** Rules of tools that are added and removed in mid-conversation. */
export type ToolChangeRule =
  | 'system-unsupported'
  | 'system-position'
  | 'tool-change-role'
  | 'tool-change-unsupported'
  | 'tool-change-beta'
  | 'tool-change-unresolved'
  | 'tool-change-conflict'
  | 'tool-change-definition'
  | 'tool-change-limit'
  | 'tool-added-again'
  | 'tool-removed-again'
  | 'tool-defined-twice';

type Refusals = Generator<Refusal<ToolChangeRule>>;

/** What Anthropic's documentation names: changes by value, and those by name alone. */
const BY_VALUE = 'inline-tools-2026-09-15';
const BY_NAME = 'mid-conversation-tool-changes-2026-07-01';
const MOST_TOOLS = 10_000;
const MOST_BYTES = 4_194_304;

const isChange = ({ type }: AnthropicBlock): boolean => type === 'tool_addition' || type === 'tool_removal';

/** What the service refuses of messages of the system, and of the tools that they change. */
export function* refusedToolChanges(body: AnthropicBody, headers: Readonly<Record<string, string>>): Refusals {
  const betas = (headers['anthropic-beta'] ?? '').split(',').map((beta) => beta.trim());
  for (const [index, message] of body.messages.entries()) {
    const changes = blocksOf(message).filter(isChange);
    if (message.role !== 'system') {
      if (changes.length === 0) continue;
      const only = `'tool_addition'/'tool_removal' blocks are only permitted within role: "system" messages`;
      yield ['tool-change-role', `messages.${index}.content: ${only}`];
      continue;
    }
    yield* refusedModel(body, changes);
    yield* refusedBetas(changes, index, betas);
    yield* refusedPosition(body.messages, index);
  }
  const walk = new ToolWalk(body);
  for (const [index, message] of body.messages.entries()) yield* walk.over(message, index);
}

/** The tools that the model may call behind the last message: by name, as they were defined last. */
export function offeredBy(body: AnthropicBody): ReadonlyMap<string, AnthropicTool> {
  const walk = new ToolWalk(body);
  // Refusals are not asked for here.
  for (const [index, message] of body.messages.entries()) for (const _ of walk.over(message, index));
  return walk.offered;
}

/** The changes of a request, in order, as `+name` and `-name`. */
export function changesIn({ messages }: AnthropicBody): readonly string[] {
  return messages
    .flatMap(blocksOf)
    .filter(isChange)
    .map((block) => `${block.type === 'tool_addition' ? '+' : '-'}${nameOf(block)}`);
}

const nameOf = ({ tool }: AnthropicBlock): string => tool?.name ?? tool?.definition?.name ?? '';

/** Versions of models with messages of the system in mid-conversation, by family. */
const FIRST: Readonly<Record<string, number>> = { opus: 4.8, sonnet: 5, haiku: 5.5, fable: 5, mythos: 5 };

function* refusedModel({ model }: AnthropicBody, changes: readonly AnthropicBlock[]): Refusals {
  const [family, version] = familyOf(model);
  if (version < (FIRST[family] ?? Number.POSITIVE_INFINITY)) {
    yield ['system-unsupported', "role 'system' is not supported on this model"];
  }
  if (changes.length === 0 || family !== 'sonnet' || version > 5) return;
  yield ['tool-change-unsupported', 'tool_addition/tool_removal is not supported on this model'];
}

/** Without its header a service does not know a block: it says so of the tag. */
function* refusedBetas(changes: readonly AnthropicBlock[], index: number, betas: readonly string[]): Refusals {
  for (const { type, tool } of changes) {
    if (betas.includes(BY_VALUE)) return;
    const tag = betas.includes(BY_NAME) ? tool?.type : type;
    if (tag === 'tool_reference') continue;
    const why = `Input tag '${tag}' found using 'type' does not match any of the expected tags`;
    yield ['tool-change-beta', `messages.${index}.content: ${why}`];
  }
}

const ANYWHERE = 'the directive-only form (content: [] with output_config) is accepted at any position';

/** Messages of the system that follow each other stand behind the user, before the assistant or at the end. */
function* refusedPosition(messages: readonly AnthropicMessage[], index: number): Refusals {
  const refuse = (why: string) => ['system-position', `messages.${index}: role 'system' ${why}`] as const;
  const before = messages.slice(0, index).findLast(({ role }) => role !== 'system');
  const after = messages.slice(index + 1).find(({ role }) => role !== 'system');
  const isPaused = before?.role === 'assistant' && blocksOf(before).at(-1)?.type.endsWith('_tool_result') === true;
  if (before?.role !== 'user' && !isPaused) {
    const text = `must follow a 'user' message or an 'assistant' message ending in a server tool result; ${ANYWHERE}`;
    yield refuse(text);
  }
  if (after?.role === 'user') yield refuse(`must precede an 'assistant' message or end the array; ${ANYWHERE}`);
  if (isPaused && blocksOf(messages[index]).some(isChange)) {
    yield refuse('cannot change tools behind a paused turn');
  }
}

/** Which tools a model has, message by message. */
class ToolWalk {
  readonly offered = new Map<string, AnthropicTool>();
  readonly #declared: ReadonlyMap<string, AnthropicTool>;
  readonly #defined = new Map<string, AnthropicTool>();

  constructor({ tools = [] }: AnthropicBody) {
    this.#declared = new Map(tools.map((tool) => [tool.name, tool]));
    for (const tool of tools) if (tool.defer_loading !== true) this.offered.set(tool.name, tool);
  }

  *over(message: AnthropicMessage, index: number): Refusals {
    for (const [at, block] of blocksOf(message).entries()) {
      for (const name of references(block)) this.#offer(name);
      if (!isChange(block) || message.role !== 'system') continue;
      const place = `messages.${index}.content.${at}`;
      if (block.type === 'tool_removal') yield* this.#remove(block, place);
      else if (block.tool?.type === 'tool_definition') yield* this.#define(block, place);
      else yield* this.#add(block, place);
    }
    yield* this.#limits(index);
  }

  #known(name: string): AnthropicTool | undefined {
    return this.#defined.get(name) ?? this.#declared.get(name);
  }

  #offer(name: string): void {
    const tool = this.#known(name);
    if (tool) this.offered.set(name, tool);
  }

  *#resolved(block: AnthropicBlock, place: string): Refusals {
    const name = nameOf(block);
    if (block.tool?.type === 'tool_reference' && this.#known(name)) return;
    const why = `tool_reference '${name}' does not match any tool in \`tools\``;
    yield ['tool-change-unresolved', `${place}: ${why}`, 'tool_reference_unresolved'];
  }

  /** Whether the service takes a tool that is offered already is not documented. Whoever sends one has lost count. */
  *#add(block: AnthropicBlock, place: string): Refusals {
    yield* this.#resolved(block, place);
    const name = nameOf(block);
    if (this.offered.has(name)) yield ['tool-added-again', `${place}: '${name}' is offered already`];
    this.#offer(name);
  }

  /** As little documented. */
  *#remove(block: AnthropicBlock, place: string): Refusals {
    yield* this.#resolved(block, place);
    const name = nameOf(block);
    if (!this.offered.has(name)) yield ['tool-removed-again', `${place}: '${name}' is not offered`];
    this.offered.delete(name);
  }

  /** A tool by value. Another definition under its name replaces it; the same one again is taken, and is a waste. */
  *#define({ tool, cache_control: mark }: AnthropicBlock, place: string): Refusals {
    const definition = tool?.definition;
    const { name = '', type, input_schema: schema, cache_control: cache, defer_loading: isDeferred } = definition ?? {};
    const wrong =
      definition === undefined || !/^[a-zA-Z0-9_-]{1,128}$/.test(name)
        ? "definition.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'"
        : type === undefined && typeof schema !== 'object'
          ? 'definition.input_schema: Field required'
          : cache != null && (mark != null || isDeferred === true)
            ? 'cache_control goes on the block or in the definition, and not on a deferred one'
            : undefined;
    if (wrong !== undefined) yield ['tool-change-definition', `${place}.tool_addition.tool: ${wrong}`];
    if (definition === undefined) return;
    const known = this.#known(name);
    if (known && (known.type ?? 'custom') !== (type ?? 'custom')) {
      const why = `'${name}' is already the name of another type of tool`;
      yield ['tool-change-conflict', `${place}: ${why}`, 'tool_name_conflict'];
    }
    if (this.#declared.get(name)?.defer_loading === true) {
      yield ['tool-defined-twice', `${place}: '${name}' stands in \`tools\` as well`];
    }
    const offered = this.offered.get(name);
    if (offered && isSame(offered, definition)) {
      yield ['tool-added-again', `${place}: '${name}' is offered already`];
    }
    this.#defined.set(name, definition);
    if (isDeferred === true) this.offered.delete(name);
    else this.offered.set(name, definition);
  }

  *#limits(index: number): Refusals {
    const added = [...this.offered.values()].filter((tool) => this.#defined.get(tool.name) === tool);
    if (added.length <= MOST_TOOLS && JSON.stringify(added).length <= MOST_BYTES) return;
    const why = `messages.${index}: too many tools are available`;
    yield ['tool-change-limit', why, 'available_tools_limit_exceeded'];
  }
}

/** Whether a definition says what another says: the package writes to entries of `tools` how they are streamed. */
function isSame(one: AnthropicTool, other: AnthropicTool): boolean {
  const text = (tool: AnthropicTool): string => {
    const { eager_input_streaming: _, cache_control: __, ...rest } = tool as AnthropicTool & Record<string, unknown>;
    return JSON.stringify(Object.entries(rest).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  };
  return text(one) === text(other);
}

export function blocksOf(message: AnthropicMessage | undefined): readonly AnthropicBlock[] {
  return message === undefined || typeof message.content === 'string' ? [] : message.content;
}

/** The tools that a result refers to: of a search by the service, or in a tool's own result. */
export function references({ type, content }: AnthropicBlock): string[] {
  if (type !== 'tool_result' && type !== 'tool_search_tool_result') return [];
  const found = content as { tool_references?: AnthropicBlock[] } | AnthropicBlock[] | string | undefined;
  const parts = Array.isArray(found) ? found : typeof found === 'object' ? (found.tool_references ?? []) : [];
  return parts.flatMap((part) => (part?.type === 'tool_reference' ? [part.tool_name ?? ''] : []));
}

/** Such as `['opus', 4.8]` of `claude-opus-4-8`. */
export function familyOf(model: string): readonly [family: string, version: number] {
  const found = /claude-([a-z]+)-(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/.exec(model);
  return [found?.[1] ?? '', Number(`${found?.[2] ?? 0}.${found?.[3] ?? 0}`)];
}
