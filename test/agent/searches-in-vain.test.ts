import { Agent } from '@mastra/core/agent';
import { ToolSearchProcessor as CoreProcessor } from '@mastra/core/processors';
import { ToolSearchProcessor } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { differences, titleOf } from '../parity/differences.ts';
import { call, calls, email, fillerTools, load, META, rig, tool, toolRecord, weather } from '../support/agent.ts';
import { lastToolResult, type Script, scriptedModel, toolNames, toolResults } from '../support/scripted-model.ts';

const search = (query: unknown = 'weather') => call('search_tools', { query });
const catalog = () => toolRecord(weather(), email());

interface Answer {
  readonly message: string;
  readonly results?: readonly { readonly name: string }[];
}

/** A run of a model that makes these calls, one a step, with the answer of each. */
async function making(steps: readonly ReturnType<typeof call>[], options: object = {}) {
  const made = rig({ tools: { ...catalog(), ...fillerTools(5) }, ...options }, { script: calls(...steps) });
  await made.agent.generate('go', { maxSteps: 20 });
  const answers = made.model.calls.slice(1).map(({ prompt }) => lastToolResult(prompt)?.value as Answer);
  return { ...made, answers };
}

// A search that is made twice with the same words is not sent a third time.
const vain = (n: number) => search(`weather ${n}`);
const nothing = (n: number) => search(`qqqq${n}`);
const STOP = /You have searched (\d) times without loading or calling a tool\. .* search no more/;

describe('the third search of a run without a load or a call tells the model to stop', () => {
  const again = [vain(3), vain(4)];
  it.each<[why: string, steps: ReturnType<typeof call>[], counts: string[], options?: object]>([
    ['with what it found', [vain(1), vain(2), ...again], ['3', '4']],
    ['where it found nothing', [1, 2, 3].map(nothing), ['3']],
    ['also after loads that failed', [vain(1), load('qqqq'), vain(2), load('xxxx'), vain(3)], ['3']],
    [
      'with autoLoad, unless it loads',
      [nothing(1), nothing(2), search(), ...[3, 4, 5].map(nothing)],
      ['3'],
      { search: { autoLoad: true } },
    ],
    ['not after a load', [vain(1), vain(2), load('get_weather'), ...again], []],
    ['not after a load of what is loaded', [load('get_weather'), vain(1), vain(2), load('get_weather'), ...again], []],
    ['not after a select:', [vain(1), vain(2), search('select:get_weather'), ...again], []],
    ['not after a call', [load('get_weather'), vain(1), vain(2), call('get_weather'), ...again], []],
  ])('%s', async (_, steps, counts, options) => {
    const { answers } = await making(steps, options);
    const searched = answers.filter((_answer, at) => steps[at]?.toolName === 'search_tools');
    expect(searched.flatMap(({ message }) => STOP.exec(message)?.[1] ?? [])).toEqual(counts);
    if (counts.length > 0) expect(answers.at(-1)!.message).not.toContain('Try different keywords');
  });

  it('counting anew in the next run, and several of one step as one', async () => {
    const script: Script = ({ step }) => (step === 0 ? { toolCalls: [1, 2, 3].map(vain) } : { text: 'done' });
    const { agent, model } = rig({ tools: toolRecord(weather()) }, { script });
    const { response } = await agent.generate('go');
    const user = (content: string) => ({ role: 'user', content });
    await agent.generate([user('go'), ...(response.messages as never[]), user('go on')] as never);
    const results = toolResults(model.calls.at(-1)!.prompt);
    expect(results).toHaveLength(6);
    expect(JSON.stringify(results)).not.toMatch(STOP);
  });
});

describe('a model that loads a tool again', () => {
  it('is not sent load_tool after two such calls, until it has called another tool', async () => {
    const again = load('get_weather');
    const { model, answers } = await making([again, again, call('get_weather', { text: 'Bern' }), again, again]);
    const sent = model.calls.map((each) => toolNames(each).includes('load_tool'));
    expect(sent).toEqual([true, true, false, true, true, false]);
    expect(answers[1]!.message).toContain('is in your list, and was when you loaded it before.');
    expect(answers[4]!.message).toMatch(/Its parameters: get_weather\(text\?\)\. An input of the right shape: \{\}/);
  });

  it(titleOf(differences.circles), async () => {
    const sent = async (processor: unknown): Promise<readonly boolean[]> => {
      const again = load('get_weather');
      const model = scriptedModel(calls(again, again, again));
      const inputProcessors = [processor];
      const agent = new Agent({ id: 'a', name: 'A', instructions: 'Help.', model, inputProcessors } as never);
      await agent.generate('How is the weather in Bern?', { maxSteps: 3 });
      return model.calls.map((each) => toolNames(each).includes('load_tool'));
    };
    expect(await sent(new CoreProcessor({ tools: catalog() } as never))).toEqual([true, true, true]);
    expect(await sent(new ToolSearchProcessor({ tools: catalog() }))).toEqual([true, true, false]);
  });
});

describe('a model that searches for the same again', () => {
  it('is not sent search_tools after two searches, is told why if it calls it, and may load', async () => {
    const { model } = await making([search(), search(), search(), load('get_weather')]);
    expect(model.calls.slice(0, 3).map(toolNames)).toEqual([META, META, ['load_tool']]);
    expect(toolResults(model.calls[3]!.prompt).at(-1)?.value).toMatch(/You have called search_tools twice with/);
    expect(model.sent()).toContain('get_weather');
    const other = await making([search(), search('send an email')]);
    expect(other.model.sent(2)).toEqual(META);
  });

  it('is sent another tool at least, in call mode call_tool, however often it failed', async () => {
    const alone = await making([search('qqqq'), search('qqqq')], { search: { autoLoad: true } });
    expect(alone.model.sent(2).length).toBeGreaterThan(0);
    const failing = call('call_tool', { toolName: 'weather_report', arguments: {} });
    const { model } = await making([failing, failing, search(), search()], { mode: 'call' });
    expect(model.sent(4)).toEqual(['call_tool']);
  });
});

describe('a catalog that', () => {
  const EMPTY = /^No other tools are available at the moment\. Searching again does not help now/;
  const UNKNOWN = /^No other tools are available at the moment: the list of them could not be fetched\. Searching/;
  const hidden = () => false;
  const down = () => Promise.reject(new Error('down'));
  const late = { tools: () => new Promise(() => {}), timeouts: { tools: 1 } };
  const own = { tools: toolRecord(tool('own')) };
  /** Searches until it is told that this does not help, as a model does. */
  const persistent: Script = ({ prompt, step }) => {
    const told = JSON.stringify(toolResults(prompt).at(-1)?.value ?? '');
    return /does not help|search no more/.test(told) ? { text: 'no' } : { toolCalls: [search(`weather ${step}`)] };
  };

  it.each<[what: string, options: object, says: RegExp, agent?: object]>([
    ['is empty', { tools: {} }, EMPTY],
    ['has servers without tools', { tools: { mail: {}, files: {} } }, EMPTY],
    ['is the empty one of a function', { tools: () => ({}) }, EMPTY],
    ['is all forbidden', { tools: fillerTools(300), filter: hidden }, EMPTY],
    ['is all forbidden by a filter that fails', { tools: catalog(), filter: down }, EMPTY],
    ['could not be fetched', { tools: down }, UNKNOWN],
    ['came too late', late, UNKNOWN],
    ['is down, with the rest forbidden', { tools: down, includeResolvedTools: true, filter: hidden }, UNKNOWN, own],
  ])('%s makes a model search once and no more', async (_, options, says, agent = {}) => {
    const { agent: made, model } = rig(options, { script: persistent, agent });
    await made.generate('go', { maxSteps: 9 });
    const results = toolResults(model.calls.at(-1)!.prompt).map(({ value }) => value);
    expect(results).toEqual([{ results: [], message: expect.stringMatching(says) }]);
  });

  it.each<[what: string, options: object, says: RegExp]>([
    ['is all forbidden', { filter: hidden }, EMPTY],
    ['could not be fetched', { tools: down }, UNKNOWN],
  ])('%s is told of in the answer to any search or load', async (_, options, says) => {
    const steps = [search(['weather', 'mail']), search('select:send_email'), load('get_wetter')];
    const { answers } = await making([...steps, call('load_tool', { toolNames: ['a_tool', 'b_tool'] })], options);
    const none = { results: [], message: expect.stringMatching(says) };
    const notFound = (names: RegExp) => ({
      success: false,
      message: expect.stringMatching(new RegExp(`${names.source} ${says.source.slice(1)}`)),
    });
    expect(answers).toMatchObject([
      ...[none, none, notFound(/^Tool "get_wetter" not found\./), notFound(/^Not found: a_tool, b_tool\./)],
    ]);
    const [loading] = (await making([search()], { ...options, search: { autoLoad: true } })).answers;
    expect(loading).toMatchObject(none);
  });
});
