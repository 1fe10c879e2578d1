// What is sent: the bytes of requests through the real packages, and how much of a request the next one begins with.
import * as anthropic4 from '@ai-sdk/anthropic';
import * as openai4 from '@ai-sdk/openai';
import { ToolSearchProcessor as CoreProcessor, type InputProcessor } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import {
  type MastraTool,
  type NativeOptions,
  ToolSearchProcessor,
  type ToolSearchProcessorOptions,
} from '../../../src/index.ts';
import { type AnthropicBody, changesIn, type OpenAIBody } from '../../native/fakes/fake-provider.ts';
import { nextAction, type Sent } from '../../native/rig/goals.ts';
import { goalRig, say } from '../../native/rig/rig.ts';
import { anthropicService, openaiService } from '../../native/rig/services.ts';

/** A way to send the tools of a catalog. */
export interface Variant {
  readonly name: 'core' | 'client' | 'server' | 'append';
  /** Whether the model can unload tools. */
  readonly unloads: boolean;
  make(options: Pick<ToolSearchProcessorOptions, 'tools' | 'filter'>): InputProcessor;
}

export const variants: readonly Variant[] = [
  { name: 'core', unloads: false, make: (options) => new CoreProcessor(options as never) },
  native('client', { execution: 'client', append: false }),
  native('server', { execution: 'server', append: false }),
  native('append', { execution: 'client', append: true }),
];

function native(name: Variant['name'], options: NativeOptions): Variant {
  const unloads = name !== 'server';
  return {
    name,
    unloads,
    make: (given) =>
      new ToolSearchProcessor({
        ...given,
        mode: 'native',
        native: options,
        ...(unloads && { metaTools: { unload: true } }),
      }),
  };
}

/** Tools that differ in their names and numbers alone. */
export function catalog(size: number, options: object = {}): Record<string, MastraTool> {
  const tool = (n: number): MastraTool =>
    createTool({
      id: `tool_${n}`,
      description: `Does task number ${n}, which no other tool does.`,
      inputSchema: z.object({ query: z.string().describe('What to look for.'), limit: z.number().optional() }),
      execute: async () => n,
      ...options,
    }) as unknown as MastraTool;
  return Object.fromEntries(Array.from({ length: size }, (_, n) => [`tool_${n}`, tool(n)]));
}

export type Dialect = 'anthropic' | 'openai';

/** Bytes of one conversation that loads a tool, loads another, unloads one and is denied one. */
export interface Requests {
  /** The longest request. */
  readonly bytes: number;
  /** Of that, what is neither a message nor a tool that is always sent: with the tools that messages add. */
  readonly beyond: number;
  /** What stood in a request, and did not stand at the beginning of the next one any more. */
  readonly lost: { readonly load: number; readonly unload: number | undefined; readonly revocation: number };
}

/** Tools that are loaded in turn. */
const [FIRST, SECOND] = ['tool_7', 'tool_42'];

export async function measureRequests(dialect: Dialect, variant: Variant, size: number): Promise<Requests> {
  const service = dialect === 'anthropic' ? anthropicService(undefined, decide) : openaiService(undefined, decide);
  const { fetch } = service.fake;
  const model =
    dialect === 'anthropic'
      ? anthropic4.createAnthropic({ apiKey: 'x', fetch })('claude-opus-5')
      : openai4.createOpenAI({ apiKey: 'x', fetch }).responses('gpt-5.6-sol');
  let denied: string | undefined;
  const processor = variant.make({ tools: catalog(size), filter: ({ toolName }) => toolName !== denied });
  const { agent } = goalRig({ dialect, execution: 'client' }, { service, model, around: () => [processor] });
  const marks: number[] = [];
  const turn = async (said: string): Promise<void> => {
    const { text } = await say(agent, 'generate', said, { maxSteps: 10 });
    if (text !== 'done') throw new Error(`${dialect}, ${variant.name}: "${said}" was answered "${text}"`);
    marks.push(service.bodies().length);
  };
  await turn(`use ${FIRST}`);
  await turn(`use ${SECOND}`);
  if (variant.unloads) await turn(`unload ${FIRST}`);
  denied = SECOND;
  await turn('thanks');
  if (service.fake.refused.length > 0) throw new Error(JSON.stringify(service.fake.refused));
  const bodies = service.bodies();
  const lost = bodies.slice(1).map((body, at) => lostBytes(itemsOf(bodies[at]!), itemsOf(body)));
  // The first request of a turn is compared with the last one before it.
  const loads = marks[1]! - 1;
  const unloads = marks.at(-2)! - 1;
  const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
  const longest = bodies.toSorted((a, b) => JSON.stringify(a).length - JSON.stringify(b).length).at(-1)!;
  return {
    bytes: bytesOf(longest),
    beyond: beyond(longest),
    lost: {
      load: sum(lost.slice(0, loads)),
      unload: variant.unloads ? sum(lost.slice(loads, unloads)) : undefined,
      revocation: sum(lost.slice(unloads)),
    },
  };
}

function decide(sent: Sent): ReturnType<typeof nextAction> {
  const [goal] = sent.goals;
  if (goal === undefined || !sent.asked.startsWith('unload')) return nextAction(sent);
  if (sent.done.includes('unload_tool')) return { type: 'say', text: 'done' };
  return { type: 'call', name: 'unload_tool', input: { toolNames: [goal] } };
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');

const isDeferred = (tool: { readonly type?: string; readonly defer_loading?: boolean }): boolean =>
  tool.defer_loading === true || tool.type === 'namespace';

/** What the model reads, in its order and in pieces that it reads whole. Deferred tools do not stand there. */
function itemsOf(body: AnthropicBody | OpenAIBody): readonly string[] {
  const tools = (body.tools ?? []).filter((tool) => !isDeferred(tool));
  const conversation =
    'input' in body
      ? [body.instructions, ...body.input]
      : [
          body.system,
          ...body.messages.flatMap(({ role, content }) =>
            (typeof content === 'string' ? [content] : content).map((block) => ({ role, block })),
          ),
        ];
  return [...tools, ...conversation].map((item) => JSON.stringify(item) ?? '');
}

function lostBytes(before: readonly string[], after: readonly string[]): number {
  const at = before.findIndex((item, index) => after[index] !== item);
  return at === -1 ? 0 : before.slice(at).reduce((sum, item) => sum + Buffer.byteLength(item), 0);
}

function beyond(body: AnthropicBody | OpenAIBody): number {
  const resident = (body.tools ?? []).filter((tool) => !isDeferred(tool) && !/^tool_\d+$/.test(tool.name ?? ''));
  const messages =
    'input' in body
      ? body.input.filter(({ type }) => type !== 'additional_tools' && type !== 'tool_search_output')
      : body.messages.filter((message) => changesIn({ ...body, messages: [message] }).length === 0);
  return bytesOf(body) - [...resident, ...messages].reduce((sum, item) => sum + bytesOf(item), 0);
}
