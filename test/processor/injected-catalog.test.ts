import type { ToolSearchFilter } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { namesOf, Session } from '../meta-tools/session.ts';
import { calls, email, fillerTools, load, rig, tool, toolRecord, weather } from '../support/agent.ts';
import { systemText } from '../support/scripted-model.ts';

const tools = () => toolRecord(weather(), email());

/** The text that a new step of the session has, without what is always there. */
async function catalogIn(session: Session): Promise<string> {
  await session.step();
  const texts = session.messageList.getAllSystemMessages().map(({ content }) => String(content));
  return texts.filter((text) => !text.startsWith('To discover available tools')).join('\n\n');
}
const listed = (text: string) => [...text.matchAll(/^(?:- `)?(\w+)`?(?:: .*)?$/gm)].map(([, name]) => name);

describe("injectCatalog: 'names'", () => {
  it('puts the names into each system text that a real model reads', async () => {
    const script = calls(load('get_weather'));
    const { agent, model } = rig({ tools: tools(), injectCatalog: 'names' }, { script });
    await agent.generate('weather');
    for (const { prompt } of model.calls)
      expect(systemText(prompt).split('<available-deferred-tools>\nget_weather\nsend_email\n</')).toHaveLength(2);
  });

  const sorted = { tools: toolRecord(tool('z'), weather(), email(), tool('a')) };
  const load1: ToolSearchFilter = ({ phase, toolName }) => phase !== 'load' || toolName === 'send_email';
  const search1: ToolSearchFilter = ({ toolName }) => toolName !== 'get_weather';
  it.each<[what: string, options: object, names: string[]]>([
    [
      'what may be seen, without what is sent',
      { ...sorted, filter: search1, alwaysLoaded: ['send_email'] },
      ['z', 'a'],
    ],
    ['with autoLoad what may be loaded', { filter: load1, search: { autoLoad: true } }, ['send_email']],
    ['else what may not be loaded as well', { filter: load1 }, ['get_weather', 'send_email']],
  ])('lists in catalog order %s', async (_, options, names) => {
    const text = await catalogIn(new Session({ tools: tools(), injectCatalog: 'names', ...options }));
    expect(text).toContain(`<available-deferred-tools>\n${names.join('\n')}\n</available-deferred-tools>`);
    expect(text.includes('call search_tools with "select:" and their names')).toBe('search' in options);
  });
});

describe.each([true, 'names'] as const)('the injected catalog, with injectCatalog: %j,', (injectCatalog) => {
  const with1003 = (filter?: ToolSearchFilter) =>
    new Session({ tools: fillerTools(1_003), injectCatalog, ...(filter ? { filter } : {}) });

  it('is cut after 1,000 tools, with the number of the others where no filter has to be asked for it', async () => {
    const text = await catalogIn(with1003());
    expect(listed(text)).toEqual(Object.keys(fillerTools(1_000)));
    expect(text).toMatch(/There are 3 more tool\(s\): call search_tools to find them.$/);

    const asked = new Set<string>();
    const filtered = await catalogIn(with1003(({ toolName }) => Boolean(asked.add(toolName))));
    expect(listed(filtered)).toHaveLength(1_000);
    expect(filtered).toMatch(/There may be more tools: call search_tools to find them.$/);
    // One more than is listed, to know whether there are more.
    expect(asked.size).toBe(1_001);

    const hidden = ['filler_0', 'filler_500', 'filler_1001'];
    const whole = await catalogIn(with1003(async ({ toolName }) => !hidden.includes(toolName)));
    expect(listed(whole)).toHaveLength(1_000);
    expect(whole).not.toContain('The list ends here');
  });

  it('stays the same over the steps of a request, and the filter is asked once', async () => {
    const asked: string[] = [];
    let allowed = true;
    const filter: ToolSearchFilter = async ({ toolName, phase }) => {
      asked.push(`${phase} ${toolName}`);
      return allowed;
    };
    const session = new Session({ tools: tools(), filter, injectCatalog });
    const first = await catalogIn(session);
    allowed = false;
    for (let step = 0; step < 2; step++) expect(await catalogIn(session)).toBe(first);
    // A search shares the answers.
    expect(namesOf(await session.search({ query: 'weather' }))).toEqual(['get_weather']);
    expect(asked).toEqual(['search get_weather', 'search send_email']);
    expect(await catalogIn(new Session({ tools: {} }, { processor: session.processor }))).toBe('');
  });

  it('stays the same over the steps also where a fault has shortened it', async () => {
    const filter = vi.fn<ToolSearchFilter>(() => true);
    filter.mockImplementationOnce(() => JSON.parse('down'));
    const session = new Session({ tools: tools(), filter, injectCatalog });
    const first = await catalogIn(session);
    expect(listed(first)).toEqual(['send_email']);
    expect(await catalogIn(session)).toBe(first);
  });
});
