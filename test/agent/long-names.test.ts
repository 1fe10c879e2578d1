import type { MastraTool, SearchToolsResult } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { call, calls, load, META, rig, runDurable, SIZES, tool, toolRecord } from '../support/agent.ts';
import { inTurn } from '../support/breadth.ts';
import { systemText, toolResults } from '../support/scripted-model.ts';

const LONG =
  'enterprise_repository_pull_requests_review_comments_create_or_update_for_the_whole_organisation_with_umbrella';
const ALIAS = 'enterprise_repository_db5f8852_organisation_with_umbrella';

const names = [
  { why: 'a name of 109 characters', id: LONG, alias: ALIAS },
  { why: 'a name with a dot', id: 'mail.send', alias: 'mail_send' },
  { why: 'a name in another script', id: '天気', alias: 'tool_bc79d84d' },
  { why: 'a name of 64 characters', id: 'x'.repeat(64), alias: 'x'.repeat(64) },
  { why: 'a name that begins with a digit', id: '1password_read', alias: '1password_read' },
];
const cases = inTurn({ name: [...names, ...names], size: SIZES, from: ['a record', 'a function'] }).map(
  ({ name, size, from }) => ({ ...name, ...size, from }),
);

describe.each(cases)('in a $size catalog of $from, a tool with $why', ({ fillers, from, id, alias }) => {
  const optionsOf = (made: MastraTool) => {
    const tools = () => ({ ...toolRecord(made), ...fillers });
    return { tools: from === 'a function' ? tools : tools() };
  };

  it('is found, loaded and called under one name that providers accept, loaded also by the one of its author', async () => {
    const options = optionsOf(tool(id, 'The subject.'));
    const script = calls(call('search_tools', { query: 'subject' }), load(id), load(alias), call(alias));
    const { agent, model, processor } = rig(options, { script });
    await agent.generate('go');
    const [search, loaded, again, ran] = toolResults(model.calls.at(-1)!.prompt);
    expect((search!.value as SearchToolsResult).results.map(({ name }) => name)).toEqual([alias]);
    for (const { value } of [loaded!, again!]) expect(value).toMatchObject({ success: true, toolName: alias });
    expect(ran).toMatchObject({ toolName: alias, isError: false, value: { ran: id } });
    expect(model.sent()).toEqual([...META, alias]);
    // Also by the words that the alias has lost.
    for (const query of [`select:${id}`, ...(id === LONG ? ['organisation', 'umbrella', 'review comments'] : [])])
      expect((await processor.search(query)).map(({ name }) => name)).toEqual([alias]);
  });
});

it('a DurableAgent runs a tool of a long name, and the injected catalog lists its alias', async () => {
  const tools = toolRecord(tool(LONG), tool('mail.send'));
  const { agent, model } = rig({ tools, injectCatalog: 'names' }, { script: calls(load(LONG), call(ALIAS)) });
  await runDurable(agent, 'go');
  expect(model.result()).toMatchObject({ ran: LONG });
  const text = systemText(model.calls[0]!.prompt);
  for (const name of [ALIAS, 'mail_send']) expect(text).toContain(name);
  expect(text).not.toMatch(/whole|mail\.send/);
});

// Mastra makes keys of 63 characters that begin with a letter, and ends a run in which two of them are one.
describe.each([
  { why: 'a digit in front', ids: ['1password', '_1password'] },
  { why: 'a digit behind', ids: ['_1password', '1password'] },
  { why: 'names of 64 characters', ids: [`${'x'.repeat(63)}a`, `${'x'.repeat(63)}b`, 'x'.repeat(63)] },
])('tools whose names Mastra would make one ($why)', ({ ids }) => {
  it.each(SIZES)('all run in a $size catalog, and none whose right was withdrawn', async ({ fillers }) => {
    const execute = vi.fn(async () => 'ran');
    let isAllowed = true;
    const { agent, model } = rig(
      {
        tools: { ...toolRecord(...ids.map((id) => tool(id, undefined, { execute }))), ...fillers },
        filter: ({ phase }) => phase !== 'active' || isAllowed,
      },
      {
        script: ({ step }) => {
          if (step === 0) return { toolCalls: [call('load_tool', { toolNames: ids })] };
          isAllowed = step === 1;
          return step < 3 ? { toolCalls: ids.map((id) => call(id)) } : { text: 'done' };
        },
      },
    );
    await agent.generate('go');
    expect(model.sent(1).slice(2)).toEqual(ids);
    const [, ...results] = toolResults(model.calls.at(-1)!.prompt);
    const denied = expect.stringContaining('is not available to this request');
    expect(results.map(({ value }) => value)).toEqual([...ids.map(() => 'ran'), ...ids.map(() => denied)]);
    expect(execute).toHaveBeenCalledTimes(ids.length);
  });
});
