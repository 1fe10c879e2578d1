import type { ToolSearchFilter, ToolSearchProcessorOptions } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { HeldFilter } from '../filter/permissions-setup.ts';
import { Session } from '../meta-tools/session.ts';
import { calls, email, fillerTools, load, rig, tool, toolRecord, weather } from '../support/harness.ts';
import { systemText } from '../support/scripted-model.ts';

/** The text that a new step of the session has, without what is always there. */
async function catalogIn(session: Session): Promise<string> {
  await session.step();
  const texts = session.messageList.getAllSystemMessages().map(({ content }) => String(content));
  return texts.filter((text) => !text.startsWith('To discover available tools')).join('\n\n');
}

const listing = (options: Partial<ToolSearchProcessorOptions>, injectCatalog: true | 'names' = 'names') =>
  new Session({ tools: toolRecord(weather(), email()), injectCatalog, ...options });
const namesIn = (text: string) => [...text.matchAll(/^(?:- `)?(\w+)`?(?:: .*)?$/gm)].map(([, name]) => name);

describe("injectCatalog: 'names'", () => {
  it('puts the names into each system text that a real model reads', async () => {
    const { agent, model } = rig(
      { tools: toolRecord(weather(), email()), injectCatalog: 'names' },
      { script: calls(load('get_weather')) },
    );
    await agent.generate('weather');
    for (const { prompt } of model.calls) {
      expect(systemText(prompt).split('<available-deferred-tools>\nget_weather\nsend_email\n</')).toHaveLength(2);
    }
  });

  it('lists what the request may see, in catalog order, without what is sent anyway', async () => {
    const session = listing({
      tools: toolRecord(tool('z'), weather(), email(), tool('a')),
      filter: ({ toolName }) => toolName !== 'get_weather',
      alwaysLoaded: ['send_email'],
    });
    expect(await catalogIn(session)).toContain('<available-deferred-tools>\nz\na\n</available-deferred-tools>');
  });

  it('lists with autoLoad only what the request may load as well', async () => {
    const filter: ToolSearchFilter = ({ phase, toolName }) => phase !== 'load' || toolName === 'send_email';
    const withAutoLoad = await catalogIn(listing({ filter, search: { autoLoad: true } }));
    expect(withAutoLoad).toContain('call search_tools with "select:" and their names');
    expect(withAutoLoad).toContain('<available-deferred-tools>\nsend_email\n</available-deferred-tools>');
    expect(await catalogIn(listing({ filter }))).toContain('get_weather\nsend_email');
  });
});

describe.each([true, 'names'] as const)('a long catalog with injectCatalog: %j', (injectCatalog) => {
  const long = (filter?: ToolSearchFilter) =>
    listing({ tools: fillerTools(1_003), ...(filter ? { filter } : {}) }, injectCatalog);

  it('is cut after 1,000 tools, with the number of the others', async () => {
    const text = await catalogIn(long());
    expect(namesIn(text)).toEqual(Object.keys(fillerTools(1_000)));
    expect(text).toMatch(/There are 3 more tool\(s\): call search_tools to find them.$/);
  });

  it('is cut without a number where the filter would have to be asked for it', async () => {
    const asked = new Set<string>();
    const text = await catalogIn(long(({ toolName }) => Boolean(asked.add(toolName))));
    expect(namesIn(text)).toHaveLength(1_000);
    expect(text).toMatch(/There may be more tools: call search_tools to find them.$/);
    // One more than is listed, to know whether there are more.
    expect(asked.size).toBe(1_001);
  });

  it('is not cut where the request may see no more than 1,000 tools', async () => {
    const hidden = ['filler_0', 'filler_500', 'filler_1001'];
    const text = await catalogIn(long(async ({ toolName }) => !hidden.includes(toolName)));
    expect(namesIn(text)).toHaveLength(1_000);
    expect(text).not.toContain('The list ends here');
  });
});

describe.each([true, 'names'] as const)('the injected catalog, with injectCatalog: %j,', (injectCatalog) => {
  it('stays the same over the steps of a request, and the filter is asked once', async () => {
    const asked: string[] = [];
    let allowed = true;
    const filter: ToolSearchFilter = async ({ toolName, phase }) => {
      asked.push(`${phase} ${toolName}`);
      return allowed;
    };
    const session = listing({ filter }, injectCatalog);
    const first = await catalogIn(session);
    allowed = false;
    expect(await catalogIn(session)).toBe(first);
    expect(await catalogIn(session)).toBe(first);
    expect(asked).toEqual(['search get_weather', 'search send_email']);
    const { processor, requestContext } = session;
    const next = new Session({ tools: {} }, { processor });
    expect(next.requestContext).not.toBe(requestContext);
    expect(await catalogIn(next)).toBe('');
  });

  it('stays the same over the steps also where a fault has shortened it', async () => {
    let isDown = true;
    const filter: ToolSearchFilter = ({ toolName }) => {
      if (isDown && toolName === 'get_weather') throw new Error('down');
      return true;
    };
    const session = listing({ filter }, injectCatalog);
    const first = await catalogIn(session);
    expect(namesIn(first)).toEqual(['send_email']);
    isDown = false;
    expect(await catalogIn(session)).toBe(first);
  });

  it('shares its answers of the filter with a search', async () => {
    const held = new HeldFilter();
    const session = listing({ filter: held.filter }, injectCatalog);
    const step = session.step();
    await held.whenAsked(2);
    held.answerAll(true);
    await step;
    expect((await session.search({ query: 'weather' })).results.map(({ name }) => name)).toEqual(['get_weather']);
    expect(held.asked).toEqual(['search get_weather', 'search send_email']);
  });
});
