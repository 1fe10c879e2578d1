// Prompts of any kind, as the hook for them rewrites them.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Session } from '../../meta-tools/session.ts';
import { tool, toolRecord } from '../../support/agent.ts';

interface Message {
  readonly role: string;
  readonly content: unknown;
}

const MODELS = {
  anthropic: { specificationVersion: 'v4', provider: 'anthropic.messages', modelId: 'claude-sonnet-4-5' },
  openai: { specificationVersion: 'v4', provider: 'openai.responses', modelId: 'gpt-5.4' },
  none: { specificationVersion: 'v4', provider: 'other', modelId: 'other' },
} as const;

/** Steps of both dialects, also with a model that changed after they were prepared; and a step in load mode. */
const STEPS = [
  { execution: 'client', prepared: 'anthropic', sent: 'anthropic' },
  { execution: 'server', prepared: 'anthropic', sent: 'anthropic' },
  { execution: 'server', prepared: 'anthropic', sent: 'none' },
  { execution: 'client', prepared: 'openai', sent: 'openai' },
  { execution: 'server', prepared: 'openai', sent: 'openai' },
  { execution: 'client', prepared: 'openai', sent: 'none' },
  { execution: 'server', prepared: 'none', sent: 'anthropic' },
] as const;

/** A step of a new request, after which prompts are rewritten. */
async function rewriting({ execution, prepared, sent }: (typeof STEPS)[number]) {
  const tools = toolRecord(tool('get_weather'), tool('send_email'));
  const session = new Session({ tools, mode: 'native', native: { execution } });
  const state = {};
  await session.step({ model: MODELS[prepared], tools: {}, state });
  const { processor, messageList, requestContext } = session;
  return {
    rewrite(prompt: unknown, model: unknown = MODELS[sent]): readonly Message[] | undefined {
      const args = { prompt, model, messageList, requestContext, state };
      return processor.processLLMRequest?.(args as never)?.prompt;
    },
    /** How often it was turned off by a fault. */
    failures: () => session.eventsOf('native-off').filter(({ reason }) => reason === 'failed').length,
  };
}

const NAMES = ['search_tools', 'load_tool', 'tool_search', 'tool_search_tool_bm25', 'get_weather', 'gone'];
const anyOf = <Item>(...items: readonly Item[]) => fc.constantFrom(...items);

/** Data alone, however odd: what a provider, another processor or a caller may put into messages. */
const data = fc.oneof(fc.jsonValue(), anyOf(...NAMES), fc.constant(undefined));
const value = fc.oneof(data, fc.array(data), fc.record({ loaded: data }), fc.record({ tools: fc.array(data) }));
const type = fc.oneof(anyOf('json', 'text', 'content', 'error-text', 'execution-denied'), data);
const dataPart = fc.oneof(
  data,
  fc.record(
    {
      type: anyOf('tool-call', 'tool-result', 'text', 'reasoning'),
      toolCallId: fc.oneof(anyOf('1', '2', '3'), data),
      toolName: fc.oneof(anyOf(...NAMES), data),
      input: fc.oneof(data, fc.record({ arguments: data, call_id: data })),
      output: fc.oneof(data, fc.record({ type, value })),
      providerExecuted: fc.oneof(fc.boolean(), data),
      providerOptions: fc.oneof(data, fc.dictionary(anyOf('openai', 'azure', 'anthropic'), data)),
    },
    { requiredKeys: ['type'] },
  ),
);
const role = anyOf('system', 'user', 'assistant', 'tool');
const content = fc.oneof(fc.array(dataPart), fc.string(), anyOf(null, undefined));
const dataPrompt = fc.array(fc.record({ role, content }));

/** The same with whatever else, also what throws when it is read. */
const throwing = (key: string): object =>
  Object.defineProperty({}, key, { enumerable: true, get: () => JSON.parse('{') });
const cyclic: Record<string, unknown> = { type: 'tool-result', toolCallId: '1', toolName: 'search_tools' };
cyclic['output'] = { type: 'json', value: cyclic };
const anything = fc.oneof(fc.anything(), anyOf(cyclic, throwing('type'), throwing('toolName'), throwing('output')));
const oddMessage = fc.record({
  role: fc.oneof(role, anything),
  content: fc.oneof(fc.array(fc.oneof(anything, dataPart)), anything),
});
const oddPrompt = fc.oneof(fc.array(fc.oneof(oddMessage, anything)), anything);

function isSearch(part: unknown): boolean {
  const { type, toolName } = (part ?? {}) as { type?: unknown; toolName?: unknown };
  return /^tool-(call|result)$/.test(String(type)) && toolName !== 'get_weather' && toolName !== 'other_tool';
}
describe.each(STEPS)('a prompt, execution $execution, prepared for $prepared, sent to $sent,', (step) => {
  it('may be whatever it is', async () => {
    const property = fc.asyncProperty(oddPrompt, async (prompt) => {
      const { rewrite } = await rewriting(step);
      // Twice, as native mode is switched off if it failed.
      for (let time = 0; time < 2; time++) expect(() => rewrite(prompt)).not.toThrow();
    });
    await fc.assert(property, { numRuns: 40 });
  });

  it('of any data leaves native mode on, and stays as it is where no search stands in it', async () => {
    const property = fc.asyncProperty(dataPrompt, async (prompt) => {
      const { rewrite, failures } = await rewriting(step);
      const after = rewrite(prompt);
      expect(failures()).toBe(0);
      // Reasoning alone goes, as no provider takes it.
      const isPlain = (part: unknown) => !isSearch(part) && !JSON.stringify(part)?.includes('"reasoning"');
      if (!prompt.every((message) => !Array.isArray(message.content) || message.content.every(isPlain))) return;
      // The texts of the step may be another's, where the model changed.
      if (step.prepared === step.sent) expect(after).toBeUndefined();
      expect((after ?? prompt).map((message) => message.content)).toEqual(prompt.map((message) => message.content));
    });
    await fc.assert(property, { numRuns: 50 });
  });
});

it.each([undefined, 'anthropic/claude', throwing('provider'), throwing('modelId')])(
  'an odd model changes no prompt, and ends nothing (%#)',
  async (model) => {
    const { rewrite } = await rewriting(STEPS[0]);
    expect(() => rewrite([{ role: 'user', content: [{ type: 'text', text: 'hi' }] }], model)).not.toThrow();
  },
);
