import { afterEach, describe, expect, it } from 'vitest';
import { call, load } from '../support/harness.ts';
import { found, search, type Thread, textOf, threadOver } from './changing-mcp.ts';

let thread: Thread | undefined;
afterEach(() => thread?.servers.close());
const over = (...args: Parameters<typeof threadOver>): Thread => {
  thread = threadOver(...args);
  return thread;
};

const META = ['search_tools', 'load_tool'];
const weather = { get_weather: 'Get the current weather of a city.' };

describe('a tool of a real MCP server, over the runs of one thread,', () => {
  it('is found and run by the next run when it appears', async () => {
    const { servers, run } = over('appears', { one: {} });
    expect(found((await run(search('weather'))).results[0])).toEqual([]);
    await servers.change('one', { set: weather });
    const { results } = await run(search('weather'), load('one_get_weather'), call('one_get_weather'));
    expect(found(results[0])).toEqual(['one_get_weather']);
    expect(textOf(results[2])).toContain('get_weather ran');
  });

  it('is neither sent nor found when it vanishes, has its calls answered, and is loaded again when it comes back', async () => {
    const { servers, run, events } = over('vanishes', { one: { ...weather, send_email: 'Send an email.' } });
    await run(load('one_get_weather'));
    expect((await run()).sent).toEqual([...META, 'one_get_weather']);

    await servers.change('one', { remove: ['get_weather'] });
    const gone = await run(search('weather'), call('one_get_weather'), load('one_get_weather'));
    expect(gone.sent).toEqual(META);
    expect(found(gone.results[0])).toEqual([]);
    expect(gone.results[1]).toMatchObject({
      isError: true,
      value: expect.stringContaining('"one_get_weather" not found'),
    });
    expect(gone.results[2]).toMatchObject({
      value: { success: false, message: expect.stringContaining('"one_get_weather" not found') },
    });

    await servers.change('one', { set: weather });
    const back = await run(call('one_get_weather'));
    expect(back.sent).toEqual([...META, 'one_get_weather']);
    expect(textOf(back.results[0])).toContain('get_weather ran');
    expect(events.filter(({ type }) => type.endsWith('failed') || type === 'tool-problem')).toEqual([]);
  });

  it('is found by the words of its new description, and no more by the old ones', async () => {
    const { servers, run } = over('redescribed', {
      one: { lookup: 'Get the current weather of a city.', other: 'Else.' },
    });
    expect(found((await run(search('weather'))).results[0])).toEqual(['one_lookup']);
    await servers.change('one', { set: { lookup: 'Translate a sentence.' } });
    const { results } = await run(search('translate'), search('weather'));
    expect(results.map(found)).toEqual([['one_lookup'], []]);
  });

  it('has its calls answered by the server when it vanishes in the middle of a run', async () => {
    const { servers, run } = over('in mid-run', { one: { ...weather, change_of_plan: 'Plans.' } });
    const input = { remove: ['get_weather'], set: { get_forecast: 'Get the weather of tomorrow.' } };
    const { results } = await run(
      load('one_get_weather'),
      load('one_change'),
      call('one_change', input),
      call('one_get_weather'),
      search('forecast of tomorrow'),
    );
    expect(textOf(results[3])).toMatch(/get_weather.*(not found|disabled)|Unknown tool/i);
    expect(found(results[4])).not.toContain('one_get_forecast');
    expect(found((await run(search('forecast of tomorrow'))).results[0])).toEqual(['one_get_forecast']);
    expect(Object.keys(await servers.client.listTools())).not.toContain('one_get_weather');
  });
});
