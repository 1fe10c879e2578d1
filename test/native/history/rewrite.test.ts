// Prompts of any kind, as the hook for them rewrites them.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Session } from '../../meta-tools/session.ts';
import { tool, toolRecord } from '../../support/harness.ts';

interface Part {
  readonly type: string;
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly providerOptions?: { readonly openai: { readonly itemId?: string; readonly namespace?: string } };
  readonly [field: string]: unknown;
}
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

/** Calls of tools, by what their results hold for the tools that were found. */
const KINDS = {
  meta: [['search_tools', 'load_tool'], { query: 'x' }, (loaded: string[]) => ({ results: [], loaded })],
  anthropic: [
    ['tool_search_tool_bm25', 'tool_search_tool_regex'],
    { query: 'x' },
    (all: string[]) => all.map((toolName) => ({ type: 'tool_reference', toolName })),
  ],
  client: [
    ['tool_search'],
    { arguments: { query: 'x' }, call_id: 'c' },
    (loaded: string[]) => ({ tools: loaded.map(definition), results: [], loaded }),
  ],
  hosted: [['tool_search'], { arguments: {}, call_id: null }, (all: string[]) => ({ tools: all.map(definition) })],
  plain: [['get_weather', 'other_tool'], { text: 'x' }, () => 'ok'],
} as const;
const definition = (name: string): object => ({ type: 'function', name, parameters: {} });
const exchange = fc.oneof(
  ...Object.entries(KINDS).map(([kind, [names, input, holding]]) =>
    fc.record({
      ...{ toolName: anyOf<string>(...names), input: fc.constant(input), isAnswered: fc.boolean() },
      isHosted: fc.constant(kind === 'anthropic' || kind === 'hosted'),
      output: fc.oneof(
        fc
          .uniqueArray(anyOf('get_weather', 'send_email', 'gone'))
          .map((all) => ({ type: 'json', value: holding(all) })),
        anyOf({ type: 'error-text' }, { type: 'execution-denied' }, { type: 'json', value: null }),
      ),
    }),
  ),
);
type Exchange = typeof exchange extends fc.Arbitrary<infer One> ? One : never;

/** A turn of several exchanges, as Mastra puts it into a prompt; from a model of OpenAI's that reasons, with ids of items. */
function turnOf(all: readonly Exchange[], at: number, isReasoned: boolean): Message[] {
  const id = (n: number): string => `${at}-${n}`;
  const options = (itemId: string) => (isReasoned ? { providerOptions: { openai: { itemId } } } : {});
  const result = ({ toolName, output }: Exchange, n: number): Part => ({
    ...{ type: 'tool-result', toolCallId: id(n), toolName, output },
  });
  const called = all.flatMap((one, n): Part[] => {
    const { toolName, input } = one;
    // A provider's own search may have no result.
    const isWhole = one.isHosted && one.isAnswered;
    const executed = isReasoned && isWhole ? { providerExecuted: true } : {};
    const call = { type: 'tool-call', toolCallId: id(n), toolName, input, ...executed, ...options(`item_${id(n)}`) };
    return isWhole ? [call, { ...result(one, n), ...options(`item_${id(n)}_r`) }] : [call];
  });
  const answered = all.flatMap((one, n) => (one.isHosted ? [] : [result(one, n)]));
  const reasoning = isReasoned ? [{ type: 'reasoning', ...options(`rs_${at}`) }] : [];
  return [
    { role: 'user', content: [{ type: 'text', text: `${at}` }] },
    { role: 'assistant', content: [...reasoning, ...called] },
    ...(answered.length > 0 ? [{ role: 'tool', content: answered }] : []),
    { role: 'assistant', content: [{ type: 'text', text: 'ok' }] },
  ];
}
const turns = fc.array(fc.array(exchange, { minLength: 1, maxLength: 3 }), { maxLength: 4 });

const partsOf = (prompt: readonly Message[]): readonly Part[] =>
  prompt.flatMap(({ content }) => (Array.isArray(content) ? (content as Part[]) : []));
function isSearch(part: unknown): boolean {
  const { type, toolName } = (part ?? {}) as Part;
  return /^tool-(call|result)$/.test(String(type)) && toolName !== 'get_weather' && toolName !== 'other_tool';
}
/** OpenAI's models read in which namespace a tool was called. */
function withoutNamespace(part: Part): Part {
  const { namespace: _, ...openai } = part.providerOptions?.openai ?? {};
  const { providerOptions, ...others } = part;
  return Object.keys(openai).length > 0 ? { ...others, providerOptions: { openai } } : others;
}
const withoutNotes = ({ providerOptions: _, ...part }: Part): Part => part as Part;

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
    await fc.assert(property, { numRuns: 60 });
  });

  it('keeps calls with their results, all that is no search, and reasoning with what is behind it, or neither', async () => {
    const property = fc.asyncProperty(turns, fc.boolean(), async (all, isReasoned) => {
      const ofAnthropic = ({ toolName }: Exchange) => toolName.startsWith('tool_search_tool');
      const given = all.filter((one) => !(isReasoned && one.some(ofAnthropic)));
      const prompt = given.flatMap((one, at) => turnOf(one, at, isReasoned));
      const { rewrite, failures } = await rewriting(step);
      const before = structuredClone(prompt);
      const after = rewrite(prompt) ?? prompt;
      expect([failures(), prompt]).toEqual([0, before]);
      const ids = (type: string) => partsOf(after).flatMap((part) => (part.type === type ? [part.toolCallId] : []));
      expect(ids('tool-result').toSorted()).toEqual(ids('tool-call').toSorted());
      expect(new Set(ids('tool-call')).size).toBe(ids('tool-call').length);
      for (const message of after) if (Array.isArray(message.content)) expect(message.content).not.toEqual([]);
      const plain = isReasoned ? withoutNotes : withoutNamespace;
      const others = (messages: readonly Message[]) =>
        partsOf(messages).flatMap((part) => (isSearch(part) || part.type === 'reasoning' ? [] : [plain(part)]));
      expect(others(after)).toEqual(others(prompt));
      for (const { role: by, content } of isReasoned ? after : []) {
        if (by !== 'assistant') continue;
        const [first, follower, ...rest] = content as Part[];
        const whole = prompt.map((message) => message.content as Part[]).find(([part]) => part === first);
        if (first?.type === 'reasoning') expect(withoutNamespace(follower!)).toEqual(whole?.[1]);
        else expect([first, follower, ...rest].filter((part) => part?.providerOptions?.openai.itemId)).toEqual([]);
      }
    });
    await fc.assert(property, { numRuns: 80 });
  });
});

it.each([undefined, 'anthropic/claude', throwing('provider'), throwing('modelId')])(
  'an odd model changes no prompt, and ends nothing (%#)',
  async (model) => {
    const { rewrite } = await rewriting(STEPS[0]);
    expect(() => rewrite([{ role: 'user', content: [{ type: 'text', text: 'hi' }] }], model)).not.toThrow();
  },
);
