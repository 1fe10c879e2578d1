import { Agent } from '@mastra/core/agent';
import { ToolSearchProcessor as CoreProcessor } from '@mastra/core/processors';
import { type ToolSearchEvent, ToolSearchProcessor, type ToolSearchProcessorOptions } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { differences, titleOf } from '../parity/differences.ts';
import { call, email, type Rig, rig, toolRecord, weather } from '../support/harness.ts';
import {
  lastToolResult,
  type ModelCall,
  type ModelReply,
  scriptedModel,
  toolNames,
  toolResults,
} from '../support/scripted-model.ts';

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
): Promise<Rig & { readonly events: ToolSearchEvent[]; readonly answers: readonly Answer[] }> {
  const events: ToolSearchEvent[] = [];
  const script = ({ step }: ModelCall): ModelReply => {
    const reply = replies[step];
    return reply ? { toolCalls: [reply] } : { text: 'done' };
  };
  const tools = toolRecord(weather(), email());
  const made = rig({ tools, onEvent: (event) => events.push(event), ...options } as ToolSearchProcessorOptions, {
    script,
  });
  await made.agent.generate(text, { maxSteps: 12 });
  const answers = made.model.calls.slice(1).map(({ prompt }) => lastToolResult(prompt)?.value as Answer);
  return { ...made, events, answers };
}

const load = (toolName = 'get_weather') => call('load_tool', { toolName });
const search = (query = 'weather') => call('search_tools', { query });

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
    expect(model.calls.map((each) => toolNames(each).includes('load_tool'))).toEqual([
      true,
      true,
      false,
      true,
      true,
      false,
    ]);
    expect(answers[4]?.message).toMatch(/Its parameters: get_weather\(text\?\)\. An input of the right shape: \{\}/);
  });

  it('is told that a preselected tool needs no load', async () => {
    const { answers } = await making([load()], { preselect: { minConfidence: 0.4 }, timeouts: { preselect: 10_000 } } as Options);
    expect(answers[0]).toMatchObject({
      success: true,
      message: expect.stringMatching(/needs no loading: it is in your list/),
    });
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
    expect(model.calls.map(toolNames)).toEqual([
      ['search_tools', 'load_tool'],
      ['search_tools', 'load_tool'],
      ['load_tool'],
      ['load_tool', 'get_weather'],
    ]);
  });

  it('is told why it is not there, where it calls it all the same', async () => {
    const { model } = await making([search(), search(), search()]);
    expect(toolResults(model.calls[3]!.prompt).at(-1)?.value).toMatch(
      /You have called search_tools twice with the same input, and it would answer the same\./,
    );
  });

  it('is sent it where the second search asked for something else', async () => {
    const { model } = await making([search(), search('send an email')]);
    expect(toolNames(model.calls[2]!)).toEqual(['search_tools', 'load_tool']);
  });

  it('may call a tool in call mode, however often call_tool failed', async () => {
    const failing = call('call_tool', { toolName: 'weather_report', arguments: {} });
    const { model } = await making([failing, failing, search(), search()], { mode: 'call' });
    expect(toolNames(model.calls[4]!)).toEqual(['call_tool']);
  });

  it.each([{ search: { autoLoad: true } }, { mode: 'call' }] as Options[])(
    'is sent another tool at least: %o',
    async (options) => {
      const { model } = await making([search('qqqq'), search('qqqq')], options);
      expect(toolNames(model.calls[2]!).length).toBeGreaterThan(0);
    },
  );
});

describe('a name that no tool has', () => {
  it('is searched by its words', async () => {
    const { answers, events } = await making([load('Weather Report Generator')]);
    expect(answers[0]).toMatchObject({ success: false, toolName: 'Weather Report Generator' });
    expect(answers[0]?.results?.map(({ name }) => name)).toEqual(['get_weather']);
    expect(answers[0]?.message).toMatch(
      /^Tool "Weather Report Generator" not found\. A search for its words: Found 1 tool/,
    );
    expect(events.filter(({ type }) => type === 'search')).toMatchObject([{ queries: ['weather report generator'] }]);
  });

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

  it.each(['search', 'load', 'active'] as const)(
    'shows nothing that the filter denies in phase %s by its own name',
    async (denied) => {
      const filter: Options['filter'] = ({ toolName, phase }) => toolName !== 'get_weather' || phase !== denied;
      const { answers } = await making([load()], { filter });
      expect(JSON.stringify(answers[0]?.results ?? [])).not.toContain('get_weather');
    },
  );
});
