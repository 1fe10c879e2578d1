import type { SearchToolsResult, ToolSearchProcessorOptions } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { email, tool, toolRecord, weather } from '../support/agent.ts';
import { callIn, namesOf, Session } from './session.ts';

const office = () => toolRecord(weather(), email(), tool('get_forecast', 'Get the weather forecast.'));
const clock = tool('clock', 'Tells the weather time.');

/** The answer to a search in a step of an agent that has `own` itself. */
async function searchBeside(
  own: object,
  query: unknown,
  options: Partial<ToolSearchProcessorOptions> = {},
  args: object = {},
): Promise<SearchToolsResult> {
  const session = new Session({ tools: office(), ...options });
  const { tools } = await session.step({ tools: own, ...args });
  return callIn(tools, 'search_tools', query);
}
const marks = ({ results }: SearchToolsResult) => results.map(({ name, available = false }) => `${name} ${available}`);

describe('a search', () => {
  it("finds the agent's own tools, says that they can be called, and shows them to no other request", async () => {
    const session = new Session({ tools: office() });
    const { tools } = await session.step({ tools: { clock } });
    const found = await callIn<SearchToolsResult>(tools, 'search_tools', { query: 'weather' });
    expect(marks(found).sort()).toEqual(['clock true', 'get_forecast false', 'get_weather false']);
    expect(found.message).toMatch(/needs no loading|^Found 2/);
    const other = new Session({ tools: {} }, { processor: session.processor });
    expect(marks(await other.search({ query: 'weather' })).sort()).toEqual(['get_forecast false', 'get_weather false']);
  });

  it('that loads what it finds leaves them alone, and none finds what the caller hides', async () => {
    const found = await searchBeside({ clock }, { query: 'weather' }, { search: { autoLoad: true } });
    expect(marks(found).sort()).toEqual(['clock true', 'get_forecast false', 'get_weather false']);
    expect([...(found.loaded ?? [])].sort()).toEqual(['get_forecast', 'get_weather']);
    expect(found.message).toContain('clock needs no loading');
    const hiding = await searchBeside({ clock }, { query: 'weather' }, {}, { activeTools: ['other'] });
    expect(marks(hiding).sort()).toEqual(['get_forecast false', 'get_weather false']);
  });

  it('asks the filter about no tool that it does not rule', async () => {
    const asked = new Set<string>();
    const filter = ({ toolName }: { toolName: string }) => {
      asked.add(toolName);
      return toolName !== 'get_weather';
    };
    const found = await searchBeside({ clock }, { query: 'weather' }, { filter });
    expect(marks(found).sort()).toEqual(['clock true', 'get_forecast false']);
    expect([...asked].sort()).toEqual(['get_forecast', 'get_weather', 'send_email']);
  });

  it('marks tools that are loaded or always loaded, which take no place from others', async () => {
    const tools = toolRecord(...['a', 'b', 'c', 'd', 'e'].map((name) => tool(`report_${name}`, 'Write a report.')));
    // By words alone, they are equally good, and ranked by name.
    const session = new Session({ tools, alwaysLoaded: ['report_b'], search: { topK: 2, embedder: false } });
    await session.load({ toolName: 'report_a' });
    const found = await session.search({ query: 'report' });
    const available = marks(found).filter((mark) => mark.endsWith('true'));
    expect(available.sort()).toEqual(['report_a true', 'report_b true']);
    expect(found.results).toHaveLength(4);
    expect(found.message).toMatch(/^report_[ab], report_[ab] need no loading/);
  });

  it('does not call a loaded tool available that the filter hides', async () => {
    let isAllowed = true;
    const filter = ({ toolName, phase }: { toolName: string; phase: string }) =>
      phase !== 'active' || toolName !== 'get_weather' || isAllowed;
    const session = new Session({ tools: office(), filter });
    await session.load({ toolName: 'get_weather' });
    isAllowed = false;
    expect(marks(await session.search({ query: 'current weather city' }))[0]).toBe('get_weather false');
  });
});

describe('a select:', () => {
  it.each([{}, { search: { autoLoad: true } }])('marks what was there before: %j', async (options) => {
    const session = new Session({ tools: office(), alwaysLoaded: ['get_forecast'], ...options });
    await session.search({ query: 'select:send_email' });
    const found = await session.search({ query: 'select:get_forecast,send_email,get_weather' });
    expect(marks(found)).toEqual(['get_forecast true', 'send_email true', 'get_weather false']);
    expect(marks(await session.search({ query: 'select:get_weather' }))).toEqual(['get_weather true']);
  });

  it('marks in call mode what is sent anyway, and says how to call the others', async () => {
    const session = new Session({ tools: office(), alwaysLoaded: ['get_forecast'], mode: 'call' });
    const both = await session.search({ query: 'select:get_forecast,send_email' });
    expect(marks(both)).toEqual(['get_forecast true', 'send_email false']);
    expect(both.message).toMatch(/^Call it now: .* Tool "get_forecast" is in your list: call it directly\.$/);
    const pinned = await session.search({ query: 'select:get_forecast' });
    expect(pinned.message).toBe('Tool "get_forecast" is in your list: call it directly.');
    expect(pinned.results[0]).not.toHaveProperty('parameters');
  });
});

it('exact names in a query are all shown, beyond topK, up to twenty, also for each of several queries', async () => {
  const names = (count: number) => Array.from({ length: count }, (_, n) => `make_report_${n}`);
  const makers = names(30).map((name) => tool(name, 'Makes a report.'));
  const session = new Session({ tools: toolRecord(...makers, tool('report')) });
  const found = async (query: string | string[]) => namesOf(await session.search({ query })).sort();
  for (const query of [names(8).join(' '), [names(4).join(' '), names(8).slice(4).join(' ')]])
    expect(await found(query)).toEqual(names(8).sort());
  expect(await found('report')).toHaveLength(5);
  const among = await found(`Please use "make_report_3", and ${names(2).join(', ')}`);
  expect(among).toEqual(expect.arrayContaining(['make_report_3', ...names(2)]));
  const many = await found(names(25).join(' '));
  expect(many).toHaveLength(20);
  expect(names(25)).toEqual(expect.arrayContaining(many));
});

describe('the signature of a result', () => {
  it('is that of the best, and of others as far as the answer stays short', async () => {
    const texts = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`parameter_${n}`, { type: 'string' }]));
    const inputSchema = { type: 'object', properties: texts };
    const long = ['a', 'b', 'c', 'd'].map((name) =>
      tool(name, `Writes a report. ${'It has many words in it. '.repeat(10)}`, { inputSchema }),
    );
    const { results } = await new Session({ tools: toolRecord(...long) }).search({ query: 'report' });
    expect(results[0]?.signature).toMatch(/^\(parameter_0\?, .*, …\)$/);
    expect(results[0]?.description).toMatch(/^Writes a report\. .* words in it\.$/);
    expect(results[3]?.signature).toBeUndefined();
    expect(results[3]?.description).toMatch(/\.\.\.$/);
  });

  it('never leaves a name alone, and is left out where the definition is sent', async () => {
    const bare = ['make_one', 'make_two', 'make_three', 'make_four'].map((name) => tool(name, ''));
    const { results } = await new Session({ tools: toolRecord(...bare) }).search({ query: 'make' });
    expect(results.map(({ signature }) => signature)).toEqual(bare.map(() => '(text?)'));
    const session = new Session({ tools: office(), search: { autoLoad: true } });
    for (const query of ['weather', 'select:send_email'])
      expect((await session.search({ query })).results[0]).not.toHaveProperty('signature');
  });
});
