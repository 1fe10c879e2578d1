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
import { sum } from '../statistics.ts';

export type VariantName = 'core' | 'client' | 'server' | 'append';
type Variant = (options: Pick<ToolSearchProcessorOptions, 'tools' | 'filter'>) => InputProcessor;

/** The ways to send the tools of a catalog. */
export const variants: Readonly<Record<VariantName, Variant>> = {
  core: (options) => new CoreProcessor(options as never),
  client: native({ execution: 'client', append: false }),
  server: native({ execution: 'server', append: false }),
  append: native({ execution: 'client', append: true }),
};

function native(options: NativeOptions): Variant {
  const metaTools = options.execution === 'server' ? {} : { metaTools: { unload: true } };
  return (given) => new ToolSearchProcessor({ ...given, ...metaTools, mode: 'native', native: options });
}

/** Tools that differ in their names and numbers alone. */
export function catalog(size: number, options: object = {}): Record<string, MastraTool> {
  const tools = Array.from({ length: size }, (_, n) => {
    const id = `tool_${n}`;
    const description = `Does task number ${n}, which no other tool does.`;
    const inputSchema = z.object({ query: z.string().describe('What to look for.'), limit: z.number().optional() });
    return [id, createTool({ id, description, inputSchema, execute: async () => n, ...options })];
  });
  return Object.fromEntries(tools);
}

export type Dialect = 'anthropic' | 'openai';
type Body = AnthropicBody | OpenAIBody;

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

export async function measureRequests(dialect: Dialect, name: VariantName, size: number): Promise<Requests> {
  const service = dialect === 'anthropic' ? anthropicService(undefined, decide) : openaiService(undefined, decide);
  const { fetch, refused } = service.fake;
  const model =
    dialect === 'anthropic'
      ? anthropic4.createAnthropic({ apiKey: 'x', fetch })('claude-opus-5')
      : openai4.createOpenAI({ apiKey: 'x', fetch }).responses('gpt-5.6-sol');
  let denied: string | undefined;
  const processor = variants[name]({ tools: catalog(size), filter: ({ toolName }) => toolName !== denied });
  const { agent } = goalRig({ dialect, execution: 'client' }, { service, model, around: () => [processor] });
  /** The number of requests after a turn, without those that are compared with the last one of it. */
  const turn = async (said: string): Promise<number> => {
    const { text } = await say(agent, 'generate', said, { maxSteps: 10 });
    if (text !== 'done') throw new Error(`${dialect}, ${name}: "${said}" was answered "${text}"`);
    return service.bodies().length - 1;
  };
  await turn(`use ${FIRST}`);
  const loads = await turn(`use ${SECOND}`);
  const unloads = name === 'client' || name === 'append' ? await turn(`unload ${FIRST}`) : undefined;
  denied = SECOND;
  await turn('thanks');
  if (refused.length > 0) throw new Error(JSON.stringify(refused));
  const bodies = service.bodies();
  const lost = bodies.slice(1).map((body, at) => lostBytes(itemsOf(bodies[at]!), itemsOf(body)));
  const longest = bodies.toSorted((a, b) => bytesOf(b) - bytesOf(a))[0]!;
  return {
    bytes: bytesOf(longest),
    beyond: beyond(longest),
    lost: {
      load: sum(lost.slice(0, loads)),
      unload: unloads === undefined ? undefined : sum(lost.slice(loads, unloads)),
      revocation: sum(lost.slice(unloads ?? loads)),
    },
  };
}

function decide(sent: Sent): ReturnType<typeof nextAction> {
  const [goal] = sent.goals;
  if (goal === undefined || !sent.asked.startsWith('unload')) return nextAction(sent);
  if (sent.done.includes('unload_tool')) return { type: 'say', text: 'done' };
  return { type: 'call', name: 'unload_tool', input: { toolNames: [goal] } };
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '');
}

/** The tools that the model reads at once: deferred ones do not stand there. */
function readTools({ tools = [] }: Body) {
  return tools.filter((tool) => !('defer_loading' in tool && tool.defer_loading) && tool.type !== 'namespace');
}

/** What the model reads, in its order and in pieces that it reads whole. */
function itemsOf(body: Body): readonly string[] {
  const blocksOf = ({ role, content }: AnthropicBody['messages'][number]) =>
    (typeof content === 'string' ? [content] : content).map((block) => ({ role, block }));
  const conversation =
    'input' in body ? [body.instructions, ...body.input] : [body.system, ...body.messages.flatMap(blocksOf)];
  return [...readTools(body), ...conversation].map((item) => JSON.stringify(item) ?? '');
}

function lostBytes(before: readonly string[], after: readonly string[]): number {
  const at = before.findIndex((item, index) => after[index] !== item);
  return at === -1 ? 0 : sum(before.slice(at).map((item) => Buffer.byteLength(item)));
}

function beyond(body: Body): number {
  const resident = readTools(body).filter(({ name = '' }) => !/^tool_\d+$/.test(name));
  const messages =
    'input' in body
      ? body.input.filter(({ type }) => type !== 'additional_tools' && type !== 'tool_search_output')
      : body.messages.filter((message) => changesIn({ ...body, messages: [message] }).length === 0);
  return bytesOf(body) - sum([...resident, ...messages].map(bytesOf));
}
