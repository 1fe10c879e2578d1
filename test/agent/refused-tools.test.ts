// A provider refuses the definition of one tool. Without a remedy every later request of the thread ends so.
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { ToolSearchProcessor as CoreProcessor } from '@mastra/core/processors';
import { RequestContext } from '@mastra/core/request-context';
import { describe, expect, it, vi } from 'vitest';
import { Session } from '../meta-tools/session.ts';
import type { Sent } from '../native/rig/goals.ts';
import { type Execution, type GoalRig, goalRig, type RigOptions, say } from '../native/rig/rig.ts';
import { type Interruption, serviceOf } from '../native/rig/services.ts';
import { differences, titleOf } from '../parity/differences.ts';
import { email, tool, toolRecord, weather } from '../support/agent.ts';
import { inTurn } from '../support/breadth.ts';
import { memorySource } from '../support/memory-source.ts';
import {
  type Provider,
  REFUSED_KINDS,
  type RefusedKind,
  refusedTool,
  refuseSchemas,
} from '../support/strict-schemas.ts';

interface Way {
  readonly way: string;
  readonly provider: Provider;
  readonly mode: 'load' | 'call' | 'native';
  readonly execution?: Execution;
  readonly autoLoad?: boolean;
  readonly isChat?: boolean;
}

const FORMS = [
  { way: 'load', mode: 'load' },
  { way: 'autoLoad', mode: 'load', autoLoad: true },
  { way: 'call', mode: 'call' },
  { way: 'native, client', mode: 'native', execution: 'client' },
  { way: 'native, server', mode: 'native', execution: 'server' },
  { way: 'native, append', mode: 'native', execution: 'append' },
] as const;
const WAYS: readonly Way[] = [
  ...(['anthropic', 'openai'] as const).flatMap((provider) => FORMS.map((form): Way => ({ provider, ...form }))),
  ...FORMS.slice(0, 3).map((form): Way => ({ provider: 'openai', ...form, way: `chat, ${form.way}`, isChat: true })),
];
const STORAGES = ['in-memory', 'context'] as const;
const UNKNOWN = REFUSED_KINDS.filter(({ isKnown }) => !isKnown);
/** Every kind with both providers, and every way. */
const CASES = (['anthropic', 'openai'] as const).flatMap((provider) =>
  inTurn({ kind: REFUSED_KINDS, way: WAYS.filter((way) => way.provider === provider), storage: STORAGES }),
);

interface StrictOptions extends RigOptions {
  /** Whether the service takes a request, whatever it holds. */
  readonly isTaken?: (sent: Sent) => boolean;
}

interface StrictRig extends GoalRig {
  /** The tools of the catalog that ran. */
  readonly ran: readonly string[];
  /** The names of the tools that requests were refused for, in order. */
  readonly refusals: string[];
  /** Whether the service refuses anything. */
  isStrict: boolean;
  problems(): readonly string[];
}

/** An agent over a strict service, with tools that it refuses as `bad_tool`, or under these names. */
function strictRig(
  { provider, mode, execution = 'client', autoLoad, isChat }: Way,
  kinds: Readonly<Record<string, RefusedKind>>,
  { processor, isTaken = () => false, ...options }: StrictOptions = {},
): StrictRig {
  const ran: string[] = [];
  const refusals: string[] = [];
  const interrupt = (sent: Sent) => {
    const error = rig.isStrict && !isTaken(sent) ? (options.interrupt?.(sent) ?? refuseSchemas(sent.body!)) : undefined;
    if (error) refusals.push(error.error.message);
    return error;
  };
  const service = serviceOf(provider, interrupt);
  const bad = Object.entries(kinds).map(([name, kind]) => refusedTool(name, kind, ran));
  const plain = goalRig(
    { dialect: provider, execution },
    {
      ...{ mode, service, hearsErrors: true, ...options },
      ...(isChat && { model: createOpenAI({ apiKey: 'x', fetch: service.fake.fetch }).chat('gpt-5.4') }),
      tools: toolRecord(weather(), email(), ...bad),
      processor: { ...(autoLoad && { search: { autoLoad: true } }), ...processor } as never,
    },
  );
  const problems = () =>
    plain.events.flatMap((event) => (event.type === 'tool-problem' ? [`${event.problem} ${event.toolName}`] : []));
  const rig: StrictRig = { ...plain, ran, refusals, isStrict: true, problems };
  return rig;
}

const text = async ({ agent }: GoalRig, said: string, options: object = {}): Promise<string> =>
  (await say(agent, 'generate', said, { maxSteps: 12, ...options })).text;
const BAD = 'use bad_tool';

describe('a tool whose definition the provider refuses ends neither the turn nor the thread', () => {
  it.each(CASES)('$way.provider, $way.way, storage $storage: $kind.kind', async ({ storage, kind, way }) => {
    const rig = strictRig(way, { bad_tool: kind }, { processor: { storage } });
    const answer = await text(rig, BAD);
    // What is known to be refused is sent in another form.
    const isRefused = !kind.isKnown && kind.refusedBy.includes(way.provider) && way.mode !== 'call';
    expect([answer, rig.ran]).toEqual(isRefused ? ['not found', []] : ['done', ['bad_tool']]);
    // One request for it, and no more; its thread goes on, with other tools too.
    const before = isRefused ? 1 : 0;
    expect([rig.refusals.length, rig.faults()]).toEqual([before, []]);
    await rig.done('stream', 'use get_weather');
    expect([await text(rig, BAD), rig.refusals.length]).toEqual([answer, before]);
    expect(rig.problems()).toEqual(expect.arrayContaining(isRefused ? ['refused-schema bad_tool'] : []));
  });
});

/** Ways to a tool in which its definition is sent. */
const SENDING = WAYS.filter(({ mode }) => mode !== 'call');
const LOAD: Way = { way: 'load', provider: 'anthropic', mode: 'load' };
const [STRANGE] = UNKNOWN as [RefusedKind];

describe('a refused tool', () => {
  it.each(SENDING.map((way, at) => ({ ...way, storage: STORAGES[at % 2]! })))(
    'is left out of a thread that had loaded it before: $provider, $way, storage $storage',
    async ({ storage, ...way }) => {
      const kind = UNKNOWN.find(({ refusedBy }) => refusedBy.includes(way.provider))!;
      const rig = strictRig(way, { bad_tool: kind }, { processor: { storage } });
      rig.isStrict = false;
      await rig.done('generate', BAD);
      rig.isStrict = true;
      await rig.done('stream', 'use get_weather', 'use send_email');
      expect([rig.refusals.length, rig.problems(), rig.faults()]).toEqual([1, ['refused-schema bad_tool'], []]);
      expect(rig.service.views().at(-1)?.eager).not.toContain('bad_tool');
    },
  );

  it.each(['Agent', 'DurableAgent'] as const)('is told to the model, and not sent again: %s', async (kind) => {
    const rig = strictRig(LOAD, { bad_tool: STRANGE }, { kind });
    expect(await text(rig, BAD)).toBe('not found');
    const [, , refused, repeated] = rig.service.views() as [Sent, Sent, Sent, Sent];
    expect(refused.eager).toContain('bad_tool');
    expect(repeated.eager).not.toContain('bad_tool');
    expect(repeated.system).toMatch(/bad_tool.{1,3} cannot be used now, for a technical reason\. Go on without it/);
    expect(rig.refusals).toHaveLength(1);
    // A search passes it over.
    await text(rig, 'find bad_tool', { memory: { thread: 'other', resource: 'ben' } });
    expect(rig.service.views().at(-1)?.results.join('')).not.toContain('"bad_tool"');
  });

  it('is refused a load, by name and by select:, with a sentence that says so', async () => {
    const actions = [
      { type: 'load', name: 'bad_tool' },
      { type: 'search', query: 'select:bad_tool', wanted: [], tool: 'search_tools' },
    ] as const;
    for (const action of actions) {
      const rig = strictRig(LOAD, { bad_tool: STRANGE });
      await text(rig, BAD);
      const decided = [action];
      const service = serviceOf('anthropic', undefined, () => decided.pop());
      const { fetch } = service.fake;
      const model = createAnthropic({ apiKey: 'x', fetch })('claude-sonnet-4-5');
      await text(rig, 'thanks', { model, memory: { thread: 'other', resource: 'ben' } });
      expect(service.views().at(-1)?.results.join('')).toMatch(/bad_tool.*technical reason|technical reason.*bad_tool/);
    }
  });

  it('is withheld from one model, and sent to others', async () => {
    const rig = strictRig(LOAD, { bad_tool: STRANGE }, { isTaken: ({ body }) => body?.model === 'claude-opus-4-1' });
    expect(await text(rig, BAD)).toBe('not found');
    const model = createAnthropic({ apiKey: 'x', fetch: rig.service.fake.fetch })('claude-opus-4-1');
    expect([await text(rig, BAD, { model }), rig.ran]).toEqual(['done', ['bad_tool']]);
    expect([await text(rig, BAD), rig.refusals.length]).toEqual(['not found', 1]);
  });

  it('is tried again after an hour', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const rig = strictRig(LOAD, { bad_tool: STRANGE });
    const inThread = (thread: string) => text(rig, BAD, { memory: { thread, resource: 'ben' } });
    expect(await inThread('first')).toBe('not found');
    rig.isStrict = false;
    expect(await inThread('second')).toBe('not found');
    vi.advanceTimersByTime(60 * 60 * 1000);
    expect(await inThread('third')).toBe('done');
  });

  it('is another one than a tool of that name with a definition that is taken: tenants do not share refusals', async () => {
    const tenants: Readonly<Record<string, RefusedKind>> = {
      strange: STRANGE,
      plain: { ...STRANGE, inputSchema: { type: 'object', properties: { text: { type: 'string' } } } },
    };
    const ran: string[] = [];
    const tools = ({ requestContext }: { requestContext?: RequestContext }) =>
      toolRecord(weather(), refusedTool('bad_tool', tenants[String(requestContext?.get('tenant'))]!, ran));
    const rig = strictRig(LOAD, {}, { processor: { tools } as never });
    const as = (tenant: string) => ({
      requestContext: new RequestContext([['tenant', tenant]]),
      memory: { thread: tenant, resource: tenant },
    });
    expect(await text(rig, BAD, as('strange'))).toBe('not found');
    expect(await text(rig, BAD, as('plain'))).toBe('done');
    // The same definition is the same tool, in a new object for each request and in another thread.
    const again = { ...as('strange'), memory: { thread: 'new', resource: 'new' } };
    expect(await text(rig, BAD, again)).toBe('not found');
    expect([rig.refusals.length, ran]).toEqual([1, ['bad_tool']]);
  });

  it('that is pinned, or one of a catalog that is sent whole, goes too', async () => {
    for (const processor of [{ alwaysLoaded: ['bad_tool'] }, { passthroughBelow: 50 }]) {
      for (const mode of ['load', 'call'] as const) {
        const rig = strictRig({ ...LOAD, mode }, { bad_tool: STRANGE }, { processor });
        await rig.done('generate', 'use get_weather', 'use send_email');
        expect([mode, rig.refusals.length, rig.problems()]).toEqual([mode, 1, ['refused-schema bad_tool']]);
        // Through call_tool no provider reads it.
        if (mode === 'call' && 'alwaysLoaded' in processor) await rig.done('generate', BAD);
      }
    }
  });

  it('may be a lazy one, or one of a source', async () => {
    const ran: string[] = [];
    const refused = refusedTool('bad_tool', STRANGE, ran);
    const stub = { id: 'bad_tool', description: refused.description, resolve: () => refused };
    for (const tools of [
      { ...toolRecord(weather(), email()), bad_tool: stub },
      await memorySource(toolRecord(weather(), email(), refused)),
    ]) {
      const rig = strictRig(LOAD, {}, { processor: { tools } as never });
      expect(await text(rig, BAD)).toBe('not found');
      await rig.done('stream', 'use get_weather');
      expect([await text(rig, BAD), rig.refusals.length, ran]).toEqual(['not found', 1, []]);
    }
  });

  it('that toolChoice names is not forced', async () => {
    const rig = strictRig(LOAD, { bad_tool: STRANGE });
    const toolChoice = { type: 'tool', toolName: 'bad_tool' };
    expect(await text(rig, 'use get_weather', { toolChoice })).toBe('done');
    expect(rig.refusals).toHaveLength(1);
  });

  it("of the agent's own is an event, and the request is not repeated", async () => {
    const own = { bad_tool: refusedTool('bad_tool', STRANGE) };
    const rig = strictRig(LOAD, {}, { agent: { tools: own } });
    for (const _ of [1, 2]) await expect(text(rig, 'use get_weather')).rejects.toThrow('JSON schema is invalid');
    expect([rig.service.views().length, rig.problems()]).toEqual([2, ['refused-schema bad_tool']]);
  });
});

describe('as the processor stands where Mastra hears errors', () => {
  /** Two turns, the second one with another tool: their answers, or the beginning of their errors. */
  async function turns(options: StrictOptions, storage: string): Promise<readonly string[]> {
    const rig = strictRig(LOAD, { bad_tool: STRANGE }, { processor: { storage } as never, ...options });
    const answers: string[] = [];
    for (const said of [BAD, 'use get_weather'])
      answers.push(await text(rig, said).catch(({ message }: Error) => message.slice(0, 6)));
    return answers;
  }

  it(titleOf(differences.refused), async () => {
    for (const storage of STORAGES) {
      const tools = toolRecord(weather(), email(), refusedTool('bad_tool', STRANGE));
      const core = new CoreProcessor({ tools, storage } as never);
      const ofCore = { around: () => [core], agent: { errorProcessors: [core] } } as never;
      expect([storage, await turns(ofCore, storage)]).toEqual([storage, ['tools.', 'tools.']]);
      expect([storage, await turns({}, storage)]).toEqual([storage, ['not found', 'done']]);
    }
  });

  it('and not where it stands among the input processors alone: Mastra does not ask it', async () => {
    expect(await turns({ hearsErrors: false }, 'in-memory')).toEqual(['tools.', 'tools.']);
  });
});

describe('a request is repeated', () => {
  const names = ['bad_one', 'bad_two', 'bad_three', 'bad_four', 'bad_five', 'bad_six', 'bad_seven'];
  const kinds = Object.fromEntries(names.map((name) => [name, STRANGE]));
  const pinned = { processor: { alwaysLoaded: names }, agent: { maxProcessorRetries: 20 } };

  it('once for each refused tool, five times in a run; the rest goes with the turns after it', async () => {
    const rig = strictRig(LOAD, kinds, pinned as never);
    const options = { maxProcessorRetries: 20 };
    await expect(text(rig, 'use get_weather', options)).rejects.toThrow('JSON schema is invalid');
    expect(rig.refusals).toHaveLength(6);
    expect(await text(rig, 'use get_weather', options)).toBe('done');
    expect([rig.refusals.length, rig.problems().length]).toEqual([7, 7]);
  });

  it("as often as Mastra's maxProcessorRetries lets it", async () => {
    const rig = strictRig(LOAD, kinds, pinned as never);
    await expect(text(rig, 'use get_weather', { maxProcessorRetries: 2 })).rejects.toThrow('JSON schema is invalid');
    expect(rig.refusals).toHaveLength(3);
  });

  it('not where another processor sends the tool all the same', async () => {
    const tool = refusedTool('bad_tool', STRANGE);
    const adding = {
      id: 'adding',
      processInputStep: ({ tools }: { tools?: object }) => ({ tools: { ...tools, bad_tool: tool } }),
    };
    const rig = strictRig(LOAD, { bad_tool: STRANGE }, { around: (processor) => [processor, adding] });
    await expect(text(rig, 'use get_weather')).rejects.toThrow('JSON schema is invalid');
    expect(rig.refusals).toHaveLength(2);
  });

  it.each([
    ['names no tool', 400, 'Request contains an invalid argument.'],
    ['names a call of a tool', 400, 'messages.2.content.0.tool_use.input: Input should be a valid dictionary'],
    ['speaks of a tool, and not of its definition', 400, "tool_choice: tool 'get_weather' is not allowed here"],
    ['is no refusal', 404, "Invalid schema for function 'get_weather'"],
    ['names two tools', 400, "Bad schema: 'get_weather' or 'send_email'"],
    ['has a number of no tool', 400, 'tools.77.custom.input_schema: JSON schema is invalid'],
  ])('not after an error that %s', async (_, status, message) => {
    const interrupt: Interruption = () => ({ status, error: { message } });
    const rig = strictRig(LOAD, {}, { interrupt, processor: { alwaysLoaded: ['get_weather', 'send_email'] } });
    await expect(text(rig, 'use get_weather')).rejects.toThrow();
    expect([rig.service.views().length, rig.problems()]).toEqual([1, []]);
  });
});

describe('a refusal names a tool', () => {
  /** Where each provider's package puts the tools of a request; `read_clock` is the fourth. */
  const schema = { type: 'object', properties: {} };
  const names = ['search_tools', 'load_tool', 'own_tool', 'read_clock'];
  const anthropic = { tools: names.map((name) => ({ name, input_schema: schema })) };
  const responses = { tools: names.map((name) => ({ type: 'function', name, parameters: schema })) };
  const chat = { tools: names.map((name) => ({ type: 'function', function: { name, parameters: schema } })) };
  const gemini = { tools: [{ functionDeclarations: names.map((name) => ({ name, parameters: schema })) }] };
  const bedrock = {
    toolConfig: { tools: names.map((name) => ({ toolSpec: { name, inputSchema: { json: schema } } })) },
  };
  const gateway = { tools: names.map((name) => ({ type: 'function', name, inputSchema: schema })) };
  const error = (message: string, more: object = {}) => ({ error: { message, ...more } });
  /** By the request; a text is the message of an error. */
  const refusals: readonly (readonly [request: object | undefined, ...said: (string | object)[]])[] = [
    [
      anthropic,
      "tools.3.custom.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'",
      'tools.3.input_schema.type: Field required',
    ],
    [responses, error("Invalid schema for function 'read_clock': schema must …", { param: 'tools[3].parameters' })],
    [
      chat,
      error("Invalid schema for function 'read_clock': array …", { param: 'tools[3].function.parameters' }),
      "Invalid schema for function 'read_clock': None is not of type 'array'.",
      // Groq, a FastAPI server, a router that quotes a service, another server.
      'invalid JSON schema for tool read_clock, `tools[3].function.parameters`: `/properties/x` is invalid',
      { detail: [{ loc: ['body', 'tools', 3, 'function', 'parameters'], msg: 'Input should be a valid dictionary' }] },
      error('Provider returned error', {
        metadata: { raw: JSON.stringify(error("Invalid schema for function 'read_clock': bad")) },
      }),
      'The JSON schema of `read_clock` cannot be compiled',
    ],
    [
      gemini,
      '* GenerateContentRequest.tools[0].function_declarations[3].parameters.properties[x].items: missing field.\n',
      `Invalid JSON payload received. Unknown name "tools[0].function_declarations[0].parameters" at 'tools[0].function_declarations[3].parameters.properties[1].value': Cannot find field.`,
      "Invalid value at 'tools.function_declarations[3].parameters.properties[1].value.enum[0]' (TYPE_STRING), true",
      '* GenerateContentRequest.tools[0].function_declarations[3].name: [FIELD_INVALID] Invalid function name.',
    ],
    [
      bedrock,
      ...[
        'The value at toolConfig.tools.3.toolSpec.inputSchema.json.type must be one of the following: object.',
        "1 validation error detected: Value at 'toolConfig.tools.3.member.toolSpec.description' failed to satisfy constraint",
      ].map((message) => ({ message })),
    ],
    [gateway, 'tools.3.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level'],
    [undefined, 'tools.3.custom.input_schema: JSON schema is invalid'],
  ];

  it.each(
    refusals.flatMap(([requestBodyValues, ...said]) =>
      said.map((one) => ({ requestBodyValues, data: typeof one === 'string' ? error(one) : one })),
    ),
  )('$data', async ({ requestBodyValues, data }) => {
    for (const isParsed of [true, false]) {
      const session = new Session({ tools: toolRecord(tool('read_clock')), alwaysLoaded: ['read_clock'] });
      const state = {};
      const { tools } = await session.step({ tools: toolRecord(tool('own_tool')), state });
      expect(Object.keys(tools)).toEqual(names);
      const answer = isParsed ? { data } : { responseBody: JSON.stringify(data) };
      const fault = { statusCode: 400, message: 'Bad Request', requestBodyValues, ...answer };
      const { processor, requestContext, messageList } = session;
      const args = { error: new Error('failed', { cause: fault }), state, requestContext, messageList, retryCount: 0 };
      expect(processor.processAPIError(args as never)).toEqual({ retry: true });
      expect(Object.keys((await session.step({ tools: toolRecord(tool('own_tool')), state })).tools)).toEqual(
        names.slice(0, 3),
      );
    }
  });
});
