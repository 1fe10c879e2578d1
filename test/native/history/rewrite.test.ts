import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Session } from '../../meta-tools/session.ts';
import { tool, toolRecord } from '../../support/harness.ts';
import { FORMS, type Form } from '../rig/rig.ts';
import { conversation, type Message, type Part, reasoned } from '../rig/search-exchanges.ts';

interface Rewrite {
  (prompt: unknown, ...model: unknown[]): readonly Message[] | undefined;
  /** How often it was turned off by a fault. */
  readonly failures: () => number;
}

const MODELS = {
  anthropic: { specificationVersion: 'v4', provider: 'anthropic.messages', modelId: 'claude-sonnet-4-5' },
  openai: { specificationVersion: 'v4', provider: 'openai.responses', modelId: 'gpt-5.4' },
  none: { specificationVersion: 'v4', provider: 'other', modelId: 'other' },
} as const;

/** The four forms, each also with a model that changed after the step was prepared; and a step in load mode. */
const steps: readonly (Omit<Form, 'dialect'> & { prepared: keyof typeof MODELS; sent: keyof typeof MODELS })[] = [
  ...FORMS.map(({ dialect, execution }) => ({ execution, prepared: dialect, sent: dialect })),
  ...FORMS.map(({ dialect, execution }) => ({ execution, prepared: dialect, sent: 'none' as const })),
  { execution: 'client', prepared: 'none', sent: 'none' },
  { execution: 'server', prepared: 'none', sent: 'anthropic' },
];

/** A step of a new request, after which prompts are rewritten. */
async function rewriting({ execution, prepared, sent }: (typeof steps)[number]): Promise<Rewrite> {
  const tools = toolRecord(tool('get_weather'), tool('send_email'));
  const session = new Session({
    tools,
    mode: 'native',
    native: { execution: execution === 'append' ? 'client' : execution },
  });
  const state = {};
  await session.step({ model: MODELS[prepared], tools: {}, state });
  const { processor, messageList, requestContext } = session;
  const rewrite = (prompt: unknown, ...given: unknown[]): readonly Message[] | undefined => {
    const model = given.length > 0 ? given[0] : MODELS[sent];
    const args = { prompt, model, messageList, requestContext, state };
    return processor.processLLMRequest?.(args as never)?.prompt;
  };
  const failures = (): number => session.eventsOf('native-off').filter(({ reason }) => reason === 'failed').length;
  return Object.assign(rewrite, { failures });
}

const NAMES = ['search_tools', 'load_tool', 'tool_search', 'tool_search_tool_bm25', 'get_weather', 'gone'];

function throwing(keys: readonly string[]): object {
  const get = () => {
    throw new Error('no');
  };
  return Object.defineProperties({}, Object.fromEntries(keys.map((key) => [key, { enumerable: true, get }])));
}

const cyclic = (): object => {
  const thing: Record<string, unknown> = { type: 'tool-result', toolCallId: '1', toolName: 'search_tools' };
  thing['output'] = { type: 'json', value: thing };
  return thing;
};

/** Data alone, however odd: what a provider, another processor or a caller may put into messages. */
const data = fc.oneof(fc.jsonValue(), fc.constantFrom(...NAMES), fc.constant(undefined));
const dataPart = fc.oneof(
  data,
  fc.record(
    {
      type: fc.constantFrom('tool-call', 'tool-result', 'text', 'reasoning'),
      toolCallId: fc.oneof(fc.constantFrom('1', '2', '3'), data),
      toolName: fc.oneof(fc.constantFrom(...NAMES), data),
      input: fc.oneof(data, fc.record({ arguments: data, call_id: data })),
      output: fc.oneof(
        data,
        fc.record({
          type: fc.oneof(fc.constantFrom('json', 'text', 'content', 'error-text', 'execution-denied'), data),
          value: fc.oneof(data, fc.array(data), fc.record({ loaded: data }), fc.record({ tools: fc.array(data) })),
        }),
      ),
      providerExecuted: fc.oneof(fc.boolean(), data),
      providerOptions: fc.oneof(data, fc.dictionary(fc.constantFrom('openai', 'azure', 'anthropic'), data)),
    },
    { requiredKeys: ['type'] },
  ),
);
const dataPrompt = fc.array(
  fc.record({
    role: fc.constantFrom('system', 'user', 'assistant', 'tool'),
    content: fc.oneof(fc.array(dataPart), fc.string(), fc.constant(null), fc.constant(undefined)),
  }),
);

/** The same with whatever else, also what throws when it is read. */
const anything = fc.oneof(
  fc.anything(),
  fc.constant(cyclic()),
  fc.constantFrom(...['type', 'toolCallId', 'toolName', 'input', 'output'].map((key) => throwing([key]))),
);
const oddPart = fc.oneof(anything, dataPart);
const oddMessage = fc.record({
  role: fc.oneof(fc.constantFrom('system', 'user', 'assistant', 'tool'), anything),
  content: fc.oneof(fc.array(oddPart), anything),
});
const oddPrompt = fc.oneof(fc.array(fc.oneof(oddMessage, anything)), anything);

describe.each(steps)('rewriting a prompt, execution $execution, prepared for $prepared, sent to $sent,', (step) => {
  it('never throws, whatever the prompt is', async () => {
    await fc.assert(
      fc.asyncProperty(oddPrompt, async (prompt) => {
        const rewrite = await rewriting(step);
        expect(() => rewrite(prompt)).not.toThrow();
        // Again, as it has been switched off if it failed.
        expect(() => rewrite(prompt)).not.toThrow();
      }),
      { numRuns: 300 },
    );
  });

  it('keeps native mode on, whatever data stands in messages', async () => {
    await fc.assert(
      fc.asyncProperty(dataPrompt, async (prompt) => {
        const rewrite = await rewriting(step);
        rewrite(prompt);
        expect(rewrite.failures()).toBe(0);
      }),
      { numRuns: 300 },
    );
  });

  it('leaves a prompt without searches as it is', async () => {
    // Reasoning alone goes, as no provider takes it.
    const plain = oddPart.filter((part) => !isSearch(part) && textOf(part)?.includes('"reasoning"') === false);
    const message = fc.record({
      role: fc.constantFrom('system', 'user', 'assistant', 'tool'),
      content: fc.oneof(fc.array(plain), fc.string(), fc.constant(null)),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(message), async (prompt) => {
        const rewrite = await rewriting(step);
        const after = rewrite(prompt);
        expect(rewrite.failures()).toBe(0);
        // The texts of the step may be, where the model changed.
        if (step.prepared === step.sent) expect(after).toBeUndefined();
        for (const [at, { content }] of (after ?? prompt).entries()) expect(content).toBe(prompt[at]?.content);
        expect(after ?? prompt).toHaveLength(prompt.length);
      }),
      { numRuns: 100 },
    );
  });

  it('keeps calls with their results, and every part that is not a search’s', async () => {
    await fc.assert(
      fc.asyncProperty(conversation, async (prompt) => {
        const rewrite = await rewriting(step);
        const before = structuredClone(prompt);
        const after = rewrite(prompt) ?? prompt;
        expect(rewrite.failures()).toBe(0);
        expect(prompt).toEqual(before);
        const others = partsOf(prompt).filter((part) => !isSearch(part));
        // OpenAI's models read in which namespace a tool was called.
        const kept = partsOf(after)
          .filter((part) => !isSearch(part))
          .map(withoutNamespace);
        expect(kept).toEqual(others);
        const ids = (type: string): readonly (string | undefined)[] =>
          partsOf(after).flatMap((part) => (part.type === type ? [part.toolCallId] : []));
        expect(ids('tool-result').toSorted()).toEqual(ids('tool-call').toSorted());
        expect(new Set(ids('tool-call')).size).toBe(ids('tool-call').length);
        for (const { content } of after) if (Array.isArray(content)) expect(content.length).toBeGreaterThan(0);
      }),
      { numRuns: 200 },
    );
  });

  it('leaves reasoning with the action behind it, or neither, and no ids', async () => {
    await fc.assert(
      fc.asyncProperty(reasoned, async (prompt) => {
        const rewrite = await rewriting(step);
        const after = rewrite(prompt) ?? prompt;
        expect(rewrite.failures()).toBe(0);
        const answers = after.filter(({ role }) => role === 'assistant').map((message) => partsOf([message]));
        for (const [reasoning, follower, ...others] of answers) {
          const before = prompt.find(({ content }) => partsOf([{ role: '', content }])[0] === reasoning);
          if (before) expect(withoutNamespace(follower!)).toEqual(partsOf([before])[1]);
          else
            expect([reasoning, follower, ...others].filter((part) => part?.providerOptions?.openai.itemId)).toEqual([]);
        }
      }),
      { numRuns: 200 },
    );
  });
});

it.each([undefined, null, 'anthropic/claude', 5, {}, throwing(['provider']), throwing(['modelId'])])(
  'never throws for an odd model (%#)',
  async (model) => {
    const rewrite = await rewriting({ execution: 'client', prepared: 'anthropic', sent: 'anthropic' });
    expect(() => rewrite([{ role: 'user', content: [{ type: 'text', text: 'hi' }] }], model)).not.toThrow();
  },
);

const isToolPart = (part: unknown): part is Part =>
  typeof part === 'object' && part !== null && /^tool-(call|result)$/.test(String((part as Part).type));

function isSearch(part: unknown): boolean {
  try {
    return isToolPart(part) && part.toolName !== 'get_weather' && part.toolName !== 'other_tool';
  } catch {
    return false;
  }
}

/** The text of what can be read at all: of what cannot, nobody knows whether it is a search. */
function textOf(part: unknown): string | undefined {
  try {
    return JSON.stringify(part) ?? '';
  } catch {
    return undefined;
  }
}

function withoutNamespace(part: Part): Part {
  const { namespace, ...openai } = (part.providerOptions?.openai ?? {}) as { namespace?: string };
  if (namespace === undefined) return part;
  const { providerOptions: _, ...others } = part;
  return (Object.keys(openai).length > 0 ? { ...others, providerOptions: { openai } } : others) as Part;
}

const partsOf = (prompt: readonly Message[]): readonly Part[] =>
  prompt.flatMap(({ content }) => (Array.isArray(content) ? (content as Part[]) : []));
