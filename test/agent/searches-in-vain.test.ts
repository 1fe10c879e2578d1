import { Agent } from '@mastra/core/agent';
import { ToolSearchProcessor as CoreProcessor } from '@mastra/core/processors';
import { type ToolSearchFilter, ToolSearchProcessor, type ToolSearchProcessorOptions } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { differences, titleOf } from '../parity/differences.ts';
import { call, calls, email, fillerTools, load, type Rig, rig, tool, toolRecord, weather } from '../support/harness.ts';
import {
  lastToolResult,
  type ModelCall,
  type ModelReply,
  type Script,
  scriptedModel,
  toolNames,
  toolResults,
} from '../support/scripted-model.ts';
import { threadOver } from './changing-mcp.ts';

type Call = { toolName: string; input: unknown };
const search = (query: unknown): Call => call('search_tools', { query });
const told = (count: number) =>
  `You have searched ${count} times without loading or calling a tool. If nothing that was found fits, search no more: answer without a tool, or ask the user.`;

/** What the searches of a run answered, in order. */
async function messagesOf(steps: readonly Call[], options: Partial<ToolSearchProcessorOptions> = {}) {
  const { agent, model } = rig(
    { tools: { ...toolRecord(weather(), email()), ...fillerTools(5) }, ...options },
    { script: calls(...steps), agent: { defaultOptions: { maxSteps: 20 } } },
  );
  await agent.generate('go');
  const results = toolResults(model.calls.at(-1)!.prompt).map(({ value }) => value as { message?: string });
  return results.flatMap(({ message }, position) =>
    steps[position]?.toolName === 'search_tools' ? (message ?? '') : [],
  );
}

// A search that is made twice with the same words is not sent a third time.
const vain = (n: number): Call => search(`weather ${n}`);
const nothing = (n: number): Call => search(`qqqq${n}`);
const STOP = 'You have searched';

describe('the third search of a run without a load or a call tells the model to stop', () => {
  it.each<[why: string, steps: readonly Call[], says: readonly boolean[], options?: object]>([
    ['with what it found', [1, 2, 3, 4].map(vain), [false, false, true, true]],
    ['also after loads that failed', [vain(1), load('qqqq'), vain(2), load('xxxx'), vain(3)], [false, false, true]],
    [
      'with autoLoad, unless it loads',
      [nothing(1), nothing(2), search('weather'), ...[3, 4, 5].map(nothing)],
      [false, false, false, false, false, true],
      { search: { autoLoad: true } },
    ],
    ['not after a load', [vain(1), vain(2), load('get_weather'), vain(3), vain(4)], Array(4).fill(false)],
    [
      'not after a load of what is loaded',
      [load('get_weather'), vain(1), vain(2), load('get_weather'), vain(3), vain(4)],
      Array(4).fill(false),
    ],
    ['not after a select:', [vain(1), vain(2), search('select:get_weather'), vain(3), vain(4)], Array(5).fill(false)],
    [
      'not after a call',
      [load('get_weather'), vain(1), vain(2), call('get_weather'), vain(3), vain(4)],
      Array(4).fill(false),
    ],
  ])('%s', async (_, steps, says, options) => {
    const messages = await messagesOf(steps, options);
    expect(messages.map((message) => message.includes(STOP))).toEqual(says);
  });

  it('and not to try other words, where it found nothing', async () => {
    const messages = await messagesOf([nothing(1), search(['xxxx', 'zzzz']), nothing(2), search(['xxxx', 'yyyy'])]);
    expect(messages).toEqual([
      'No tools found matching "qqqq1". Try different keywords.',
      'No tools found matching "xxxx", "zzzz". Try different keywords.',
      `No tools found matching "qqqq2". ${told(3)}`,
      `No tools found matching "xxxx", "yyyy". ${told(4)}`,
    ]);
  });
});

it('counting searches begins anew with the next run, and several of one step count as one', async () => {
  const { agent, model } = rig(
    { tools: toolRecord(weather()) },
    { script: ({ step }) => (step === 0 ? { toolCalls: [1, 2, 3].map(vain) } : { text: 'done' }) },
  );
  const { response } = await agent.generate('go');
  const user = (content: string) => ({ role: 'user', content });
  await agent.generate([user('go'), ...(response.messages as never[]), user('go on')] as never);
  const results = toolResults(model.calls.at(-1)!.prompt);
  expect(results).toHaveLength(6);
  for (const { value } of results) expect(JSON.stringify(value)).not.toContain(STOP);
});

describe('in circles', () => {
  type Options = Partial<ToolSearchProcessorOptions>;

  interface Answer {
    readonly toolName?: string;
    readonly message: string;
    readonly results?: readonly { readonly name: string }[];
  }

  /** Runs a model that makes these calls, one a step, as far as it is sent the tool. */
  async function making(
    replies: readonly ReturnType<typeof call>[],
    options: Options = {},
    text = 'How is the weather in Bern?',
  ): Promise<Rig & { readonly answers: readonly Answer[] }> {
    const tools = toolRecord(weather(), email());
    const made = rig({ tools, ...options } as ToolSearchProcessorOptions, { script: calls(...replies) });
    await made.agent.generate(text, { maxSteps: 12 });
    const answers = made.model.calls.slice(1).map(({ prompt }) => lastToolResult(prompt)?.value as Answer);
    return { ...made, answers };
  }

  const load = (toolName = 'get_weather') => call('load_tool', { toolName });
  const search = (query = 'weather') => call('search_tools', { query });
  const META = ['search_tools', 'load_tool'];

  describe('a model that loads a tool again', () => {
    it('is told so more firmly each time, in the end with how to call it', async () => {
      const { answers } = await making([load(), load(), search(), load('get_weather ')]);
      expect(answers.filter((answer) => answer?.toolName).map(({ message }) => message)).toEqual([
        'Tool "get_weather" loaded successfully. Call it now.',
        expect.stringMatching(/^Tool "get_weather" is in your list, and was when you loaded it before\./),
      ]);
    });

    it('is not sent load_tool after two such calls, until it has called another tool', async () => {
      const weatherCall = call('get_weather', { text: 'Bern' });
      const { model, answers } = await making([load(), load(), weatherCall, load(), load()]);
      const sent = model.calls.map((each) => toolNames(each).includes('load_tool'));
      expect(sent).toEqual([true, true, false, true, true, false]);
      expect(answers[4]?.message).toMatch(/Its parameters: get_weather\(text\?\)\. An input of the right shape: \{\}/);
    });
  });

  it(titleOf(differences.circles), async () => {
    const script = ({ step }: ModelCall): ModelReply => (step < 3 ? { toolCalls: [load()] } : { text: 'done' });
    const sent = async (processor: unknown): Promise<readonly boolean[]> => {
      const model = scriptedModel(script);
      const inputProcessors = [processor];
      const agent = new Agent({ id: 'a', name: 'A', instructions: 'Help.', model, inputProcessors } as never);
      await agent.generate('How is the weather in Bern?', { maxSteps: 3 });
      return model.calls.map((each) => toolNames(each).includes('load_tool'));
    };
    const tools = toolRecord(weather(), email());
    expect(await sent(new CoreProcessor({ tools } as never))).toEqual([true, true, true]);
    expect(await sent(new ToolSearchProcessor({ tools }))).toEqual([true, true, false]);
  });

  describe('a model that searches for the same again', () => {
    it('is not sent search_tools after two searches, and may load', async () => {
      const { model } = await making([search(), search(), load()]);
      expect(model.calls.map(toolNames)).toEqual([META, META, ['load_tool'], ['load_tool', 'get_weather']]);
      const other = await making([search(), search('send an email')]);
      expect(other.model.sent(2)).toEqual(META);
    });

    it('is told why it is not there, where it calls it all the same', async () => {
      const { model } = await making([search(), search(), search()]);
      expect(toolResults(model.calls[3]!.prompt).at(-1)?.value).toMatch(/You have called search_tools twice with/);
    });

    it('may call a tool in call mode, however often call_tool failed', async () => {
      const failing = call('call_tool', { toolName: 'weather_report', arguments: {} });
      const { model } = await making([failing, failing, search(), search()], { mode: 'call' });
      expect(model.sent(4)).toEqual(['call_tool']);
    });

    it.each([{ search: { autoLoad: true } }, { mode: 'call' }] as Options[])(
      'is sent another tool at least: %o',
      async (options) => {
        const { model } = await making([search('qqqq'), search('qqqq')], options);
        expect(model.sent(2).length).toBeGreaterThan(0);
      },
    );
  });

  describe('a name that no tool has', () => {
    it('is searched in a list of names as well', async () => {
      const { answers } = await making([call('load_tool', { toolNames: ['weatherReport', 'send_email'] })]);
      expect(answers[0]).toMatchObject({ success: false, loaded: ['send_email'], notFound: ['weatherReport'] });
      expect(answers[0]?.results?.map(({ name }) => name)).toContain('get_weather');
    });

    it('is searched by call_tool, with what is needed to call what is found', async () => {
      const calling = call('call_tool', { toolName: 'weather_report', arguments: { city: 'Bern' } });
      const { answers } = await making([calling], { mode: 'call' });
      expect(answers[0]?.results?.[0]).toMatchObject({ name: 'get_weather', parameters: { type: 'object' } });
    });
  });
});

const EMPTY =
  'No other tools are available at the moment. Searching again does not help now: go on without, or say what is missing.';
const UNKNOWN = EMPTY.replace('moment.', 'moment: the list of them could not be fetched.');

/** Searches until it is told that this does not help, as a model does. */
const persistent: Script = ({ prompt, step }) => {
  const told = JSON.stringify(toolResults(prompt).at(-1)?.value ?? '');
  if (told.includes('does not help') || told.includes('search no more')) return { text: 'I cannot do that.' };
  return { toolCalls: [{ toolName: 'search_tools', input: { query: `weather ${step}` } }] };
};

const hidden = (): ToolSearchFilter => () => false;

const down = () => Promise.reject(new Error('down'));
const cases = (
  [
    ['is empty', { tools: {} }, EMPTY],
    ['has servers without tools', { tools: { mail: {}, files: {} } }, EMPTY],
    ['is the empty one of a function', { tools: () => ({}) }, EMPTY],
    ['is all forbidden', { tools: fillerTools(300), filter: hidden() }, EMPTY],
    ['is all forbidden by a filter that fails', { tools: toolRecord(weather()), filter: down }, EMPTY],
    ['could not be fetched', { tools: down }, UNKNOWN],
    ['came too late', { tools: () => new Promise(() => {}), timeouts: { tools: 1 } }, UNKNOWN],
    [
      'could not be fetched, and the rest is forbidden',
      { tools: down, includeResolvedTools: true, filter: hidden() },
      UNKNOWN,
    ],
  ] as const
).map(([what, options, says]) => ({ what, options: options as ToolSearchProcessorOptions, says }));

const agentOf = ({ includeResolvedTools }: ToolSearchProcessorOptions) => ({
  defaultOptions: { maxSteps: 20 },
  ...(includeResolvedTools ? { tools: { own: tool('own') } } : {}),
});

/** What a model is answered that makes these calls, one a step. */
async function answersTo(options: ToolSearchProcessorOptions, script: Script): Promise<readonly unknown[]> {
  const { agent, model } = rig(options, { script, agent: agentOf(options) });
  const { text } = await agent.generate('go');
  expect(text).toBe(script === persistent ? 'I cannot do that.' : 'done');
  return toolResults(model.calls.at(-1)!.prompt).map(({ value }) => value);
}

it.each(cases)('a catalog that $what makes a model search once and no more', async ({ options, says }) => {
  expect(await answersTo(options, persistent)).toEqual([{ results: [], message: says }]);
});

/** One case for each of the two answers: why there is nothing changes no more than that. */
const both = cases.filter(({ what }) => what === 'is all forbidden' || what === 'could not be fetched');

it.each(both)('a catalog that $what is told of in the answer to any search or load', async ({ options, says }) => {
  const none = { results: [], message: says };
  expect(await answersTo({ ...options, search: { autoLoad: true } }, persistent)).toMatchObject([none]);
  const asked = [
    ...[search(['weather', 'mail']), search('select:get_weather,filler_7'), load('get_wetter')],
    call('load_tool', { toolNames: ['a_tool', 'b_tool'] }),
  ];
  expect(await answersTo(options, calls(...asked))).toMatchObject([
    ...[none, none, { success: false, message: `Tool "get_wetter" not found. ${says}` }],
    { success: false, message: `Not found: a_tool, b_tool. ${says}` },
  ]);
});

it('servers that are all down leave an empty catalog', async () => {
  const made = threadOver('all-down', { one: { get_weather: 'Get the weather.' } });
  try {
    await made.run(load('one_get_weather'));
    await made.servers.kill('one');
    const { results } = await made.run(search('weather'));
    expect(results[0]?.value).toMatchObject({ results: [], message: EMPTY });
  } finally {
    await made.servers.close();
  }
});

it.each([
  { what: 'one tool of many', options: { filter: ({ toolName }: { toolName: string }) => toolName === 'filler_299' } },
  { what: 'no filter', options: {} },
  { what: 'a filter that is too slow', options: { filter: () => new Promise(() => {}) as never }, isSlow: true },
])('a search asks the model to try other words in a catalog with visible tools: $what', async ({ options, isSlow }) => {
  const [answer] = await answersTo({ tools: fillerTools(600), ...options }, calls(search('qqqq')));
  const more = isSlow ? ' Not all tools could be checked in time.' : '';
  const message = `No tools found matching "qqqq". Try different keywords.${more}`;
  expect(answer).toMatchObject({ results: [], message: expect.stringContaining(message) });
  if (!isSlow) expect(answer).toEqual({ results: [], message });
});
