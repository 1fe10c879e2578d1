import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FunctionTool,
  LanguageModelV4Prompt,
  LanguageModelV4ProviderTool,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';
import type { MastraModelConfig } from '@mastra/core/llm';

export type ModelVersion = 'v2' | 'v3' | 'v4';
export type Prompt = LanguageModelV4Prompt;
export type ModelTool = LanguageModelV4FunctionTool | LanguageModelV4ProviderTool;

/** One call of the model, as the provider would have received it. */
export interface ModelCall {
  readonly mode: 'generate' | 'stream';
  readonly prompt: Prompt;
  readonly tools: readonly ModelTool[];
  readonly toolChoice: LanguageModelV4CallOptions['toolChoice'];
  readonly providerOptions: LanguageModelV4CallOptions['providerOptions'];
  /** How many answers of the assistant follow the last message of the user: 0 on the first step of a run. */
  readonly step: number;
}

/** What the model answers. Without tool calls the run ends. */
export interface ModelReply {
  readonly text?: string;
  readonly toolCalls?: readonly { readonly toolName: string; readonly input: unknown }[];
  /** Parts sent as they are, before the others: tool calls and results that the provider ran itself, for example. */
  readonly content?: readonly Exclude<LanguageModelV4Content, { type: 'text' | 'reasoning' }>[];
}

export type Script = (call: ModelCall) => ModelReply | Promise<ModelReply>;

export interface ScriptedModelOptions<Version extends ModelVersion> {
  /** @default 'v3' */
  readonly version?: Version;
  /** @default 'scripted' */
  readonly provider?: string;
  /** @default 'scripted-model' */
  readonly modelId?: string;
}

/** A model that an agent accepts, with what it was called with. */
export type ScriptedModel<Version extends ModelVersion = ModelVersion> = Extract<
  MastraModelConfig,
  { specificationVersion: Version }
> & {
  /** Every call so far, oldest first. */
  readonly calls: readonly ModelCall[];
  /** The names of the tools that a call received, by default the last one. */
  sent(call?: number): string[];
  /** The newest result that a call read, by default the last one: of a tool, or of any. */
  result(call?: number, toolName?: string): unknown;
};

/**
 * A language model that answers what `script` decides from what the model really received.
 *
 * It speaks one version of the AI SDK's model specification, so that an agent treats it as any other model.
 */
export function scriptedModel<Version extends ModelVersion = 'v3'>(
  script: Script,
  options: ScriptedModelOptions<Version> = {},
): ScriptedModel<Version> {
  const { version = 'v3', provider = 'scripted', modelId = 'scripted-model' } = options;
  const calls: ModelCall[] = [];
  let toolCallCount = 0;

  async function answer(
    mode: ModelCall['mode'],
    received: LanguageModelV4CallOptions,
  ): Promise<LanguageModelV4Content[]> {
    const call: ModelCall = {
      mode,
      prompt: received.prompt,
      tools: received.tools ?? [],
      toolChoice: received.toolChoice,
      providerOptions: received.providerOptions,
      step: stepOf(received.prompt),
    };
    calls.push(call);
    const reply = await script(call);
    const content: LanguageModelV4Content[] = [...(reply.content ?? [])];
    if (reply.text !== undefined) content.push({ type: 'text', text: reply.text });
    for (const { toolName, input } of reply.toolCalls ?? []) {
      toolCallCount += 1;
      // A string is sent as it is: this is how a script answers malformed JSON.
      const json = typeof input === 'string' ? input : JSON.stringify(input);
      content.push({ type: 'tool-call', toolCallId: `call-${toolCallCount}`, toolName, input: json });
    }
    return content;
  }

  const model = {
    specificationVersion: version,
    provider,
    modelId,
    supportedUrls: {},
    calls,
    sent: (call = -1) => toolNames(calls.at(call) as ModelCall),
    result: (call = -1, toolName?: string) => lastToolResult((calls.at(call) as ModelCall).prompt, toolName)?.value,
    async doGenerate(received: LanguageModelV4CallOptions) {
      const content = await answer('generate', received);
      return { content, ...ending(content, version), warnings: [] };
    },
    async doStream(received: LanguageModelV4CallOptions) {
      const content = await answer('stream', received);
      const parts = [
        { type: 'stream-start', warnings: [] },
        ...content.flatMap(streamParts),
        { type: 'finish', ...ending(content, version) },
      ];
      return { stream: ReadableStream.from(parts) };
    },
  };
  // One object serves the three versions; what differs between them is in `ending`.
  return model as unknown as ScriptedModel<Version>;
}

/** Usage and reason of the end, in the shape of the version: v2 has a flat usage and a plain reason. */
function ending(content: readonly LanguageModelV4Content[], version: ModelVersion): object {
  const callsTools = content.some((part) => part.type === 'tool-call' && part.providerExecuted !== true);
  const reason = callsTools ? 'tool-calls' : 'stop';
  if (version === 'v2') return { finishReason: reason, usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } };
  return {
    finishReason: { unified: reason, raw: reason },
    usage: {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 1, text: 1, reasoning: 0 },
    },
  };
}

function streamParts(part: LanguageModelV4Content, index: number): LanguageModelV4StreamPart[] {
  const id = `part-${index}`;
  if (part.type === 'text') {
    return [
      { type: 'text-start', id },
      { type: 'text-delta', id, delta: part.text },
      { type: 'text-end', id },
    ];
  }
  if (part.type === 'reasoning') throw new TypeError('The scripted model does not stream reasoning.');
  if (part.type !== 'tool-call') return [part];
  return [
    { type: 'tool-input-start', id: part.toolCallId, toolName: part.toolName },
    { type: 'tool-input-delta', id: part.toolCallId, delta: part.input },
    { type: 'tool-input-end', id: part.toolCallId },
    part,
  ];
}

function stepOf(prompt: Prompt): number {
  const lastUser = prompt.findLastIndex((message) => message.role === 'user');
  return prompt.slice(lastUser + 1).filter((message) => message.role === 'assistant').length;
}

/** A tool's result as the model reads it in the prompt. */
export interface ToolResult {
  readonly toolCallId: string;
  readonly toolName: string;
  /** The JSON value or the text, unwrapped. */
  readonly value: unknown;
  readonly isError: boolean;
}

/** The results of all tool calls in a prompt, oldest first. */
export function toolResults(prompt: Prompt): ToolResult[] {
  return prompt.flatMap((message) => {
    if (message.role !== 'tool' && message.role !== 'assistant') return [];
    return message.content.flatMap((part) => {
      if (part.type !== 'tool-result') return [];
      const { toolCallId, toolName, output } = part;
      const value = output.type === 'execution-denied' ? output.reason : output.value;
      return [{ toolCallId, toolName, value, isError: output.type.startsWith('error') }];
    });
  });
}

/** The newest result of a tool, or of any tool when no name is given. */
export function lastToolResult(prompt: Prompt, toolName?: string): ToolResult | undefined {
  return toolResults(prompt).findLast((result) => toolName === undefined || result.toolName === toolName);
}

/** The names of the tools the model received, in order. */
export function toolNames(call: ModelCall): string[] {
  return call.tools.map((tool) => tool.name);
}

/** Whether a tool is sent for Anthropic's tool search alone: the model reads it once a result refers to it. */
export function isDeferred(tool: ModelTool): boolean {
  return tool.type === 'function' && tool.providerOptions?.['anthropic']?.['deferLoading'] === true;
}

/** The names of the tools that results refer to, as those of searches do in native mode. */
export function referredTools(messages: Prompt): ReadonlySet<string> {
  const results = JSON.stringify(messages.filter(({ role }) => role === 'tool'));
  return new Set([...results.matchAll(/"toolName":"([^"]+)"/g)].map(([, name = '']) => name));
}

/** The tools whose definitions the model reads. */
export function shownTools({ tools, prompt }: Pick<ModelCall, 'tools' | 'prompt'>): readonly ModelTool[] {
  if (!tools.some(isDeferred)) return tools;
  const referred = referredTools(prompt);
  return tools.filter((tool) => !isDeferred(tool) || referred.has(tool.name));
}

/** All system text of a prompt, joined by blank lines. */
export function systemText(prompt: Prompt): string {
  return prompt
    .filter((message) => message.role === 'system')
    .map((message) => message.content)
    .join('\n\n');
}

/** A tool that the system text of call mode suggests. */
export interface SuggestedTool {
  readonly name: string;
  /** The JSON schema of its parameters, where it is told. */
  readonly parameters?: unknown;
}

/** The tools that the system text suggests, for a script that reads as a model does. */
export function suggestedTools(prompt: Prompt): readonly SuggestedTool[] {
  const [, list = ''] = /<suggested-tools>\n([^<]*)\n<\/suggested-tools>/.exec(systemText(prompt)) ?? [];
  return list === '' ? [] : list.split('\n').map((line) => JSON.parse(line) as SuggestedTool);
}

/** The text of the user's last message. */
export function userText(prompt: Prompt): string {
  const message = prompt.findLast((candidate) => candidate.role === 'user');
  if (message?.role !== 'user') return '';
  return message.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
