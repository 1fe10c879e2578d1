import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
import type { MastraTool, SearchToolsResult, ToolSearchProcessorOptions } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { part } from '../support/breadth.ts';
import {
  approve,
  call,
  calls,
  fillerTools,
  inMastra,
  load,
  type Rig,
  rig,
  runDurable,
  SIZES,
  tool,
  toolRecord,
} from '../support/harness.ts';
import { lastToolResult, type Script, systemText, toolResults } from '../support/scripted-model.ts';

const LONG =
  'enterprise_repository_pull_requests_review_comments_create_or_update_for_the_whole_organisation_with_umbrella';
const ALIAS = 'enterprise_repository_pull_requests_review_comments_cre_db5f8852';

const names = [
  { why: 'a name of 109 characters', id: LONG, alias: ALIAS },
  { why: 'a name with a dot', id: 'mail.send', alias: 'mail_send' },
  { why: 'a name in another script', id: '天気', alias: '__' },
  { why: 'a name of 64 characters', id: 'x'.repeat(64), alias: 'x'.repeat(64) },
  { why: 'a name that begins with a digit', id: '1password_read', alias: '1password_read' },
];

const sources = SIZES.flatMap((size) => (['a record', 'a function'] as const).map((from) => ({ ...size, from })));

function optionsOf(from: string, fillers: Record<string, MastraTool>, made: MastraTool): ToolSearchProcessorOptions {
  const tools = (): Record<string, MastraTool> => ({ ...toolRecord(made), ...fillers });
  return { tools: from === 'a function' ? tools : tools() };
}

describe.each(
  part(
    sources.flatMap((source) => names.map((name) => ({ ...source, ...name }))),
    'pairs',
  ),
)('in a $size catalog of $from, a tool with $why', ({ fillers, from, id, alias }) => {
  it('is shown, loaded and called under one name that providers accept', async () => {
    // Also by the name that its author gave it.
    const script = calls(call('search_tools', { query: 'subject' }), load(id), load(alias), call(alias));
    const { agent, model } = rig(optionsOf(from, fillers, tool(id, 'The subject.')), { script });
    await agent.generate('go');
    const [search, loaded, again, ran] = toolResults(model.calls.at(-1)!.prompt);
    expect((search!.value as SearchToolsResult).results.map(({ name }) => name)).toEqual([alias]);
    for (const { value } of [loaded!, again!]) expect(value).toMatchObject({ success: true, toolName: alias });
    expect(ran).toMatchObject({ toolName: alias, isError: false, value: { ran: id } });
    expect(model.sent()).toEqual(['search_tools', 'load_tool', alias]);
  });

  it('waits for an approval under the accepted name, which another process can give', async () => {
    const storage = new InMemoryStore();
    const start = (): Rig => {
      const made = rig(optionsOf(from, fillers, tool(id, 'The subject.', { requireApproval: true })), {
        script: calls(load(alias), call(alias)),
        agent: { memory: new Memory({ storage }) },
      });
      inMastra(made.agent, storage);
      return made;
    };
    const waiting = await start().agent.generate('go', { memory: { thread: 't', resource: 'r' } });
    expect(waiting.suspendPayload).toMatchObject({ toolName: alias });
    const { agent, model } = start();
    await approve(agent, waiting);
    expect(lastToolResult(model.calls.at(-1)!.prompt)).toMatchObject({ toolName: alias, value: { ran: id } });
  });
});

it.each(sources)(
  'in a $size catalog of $from, a tool is found by the words of its long name that its alias has lost, also by the last',
  async ({ from, fillers }) => {
    const { processor } = rig(optionsOf(from, fillers, tool(LONG, 'Does it.')));
    for (const query of ['organisation', 'umbrella', 'review comments']) {
      expect((await processor.search(query)).map(({ name }) => name)).toEqual([ALIAS]);
    }
    expect(await processor.search(`select:${LONG}`)).toMatchObject([{ name: ALIAS }]);
  },
);

it('a DurableAgent runs a tool of a long name', async () => {
  const { agent, model } = rig({ tools: toolRecord(tool(LONG)) }, { script: calls(load(LONG), call(ALIAS)) });
  await runDurable(agent, 'go');
  expect(model.result()).toMatchObject({ ran: LONG });
});

it('the injected catalog lists the alias of a long name', async () => {
  const { agent, model } = rig({ tools: toolRecord(tool(LONG), tool('mail.send')), injectCatalog: 'names' });
  await agent.generate('go');
  expect(systemText(model.calls[0]!.prompt)).toContain(ALIAS);
  expect(systemText(model.calls[0]!.prompt)).toContain('mail_send');
  expect(systemText(model.calls[0]!.prompt)).not.toMatch(/umbrella|mail\.send/);
});

// Mastra makes keys of 63 characters that begin with a letter, and ends a run in which two of them are one.
describe.each([
  { why: 'a digit in front', ids: ['1password', '_1password'] },
  { why: 'a digit behind', ids: ['_1password', '1password'] },
  { why: 'names of 64 characters', ids: [`${'x'.repeat(63)}a`, `${'x'.repeat(63)}b`, 'x'.repeat(63)] },
])('tools whose names Mastra would make one ($why)', ({ ids }) => {
  it.each([{ fillers: {} }, { fillers: fillerTools(501) }])('all run', async ({ fillers }) => {
    const script = calls(call('load_tool', { toolNames: ids }), ...ids.map((id) => call(id)));
    const { agent, model } = rig({ tools: { ...toolRecord(...ids.map((id) => tool(id))), ...fillers } }, { script });
    await agent.generate('go');
    const results = toolResults(model.calls.at(-1)!.prompt).slice(1);
    expect(results.map(({ value }) => value)).toMatchObject(ids.map((id) => ({ ran: id })));
  });

  it('do not run when the right to them is withdrawn after they were sent', async () => {
    const execute = vi.fn(async () => 'ran');
    let isAllowed = true;
    const script: Script = ({ step }) => {
      if (step === 0) return { toolCalls: [call('load_tool', { toolNames: ids })] };
      isAllowed = false;
      return step === 1 ? { toolCalls: ids.map((id) => call(id)) } : { text: 'done' };
    };
    const { agent, model } = rig(
      {
        tools: toolRecord(...ids.map((id) => tool(id, undefined, { execute }))),
        filter: ({ phase }) => phase !== 'active' || isAllowed,
      },
      { script },
    );
    await agent.generate('go');
    expect(model.sent(1).slice(2)).toEqual(ids);
    const results = toolResults(model.calls.at(-1)!.prompt).slice(1);
    for (const { value } of results) expect(value).toContain('is not available to this request');
    expect(results).toHaveLength(ids.length);
    expect(execute).not.toHaveBeenCalled();
  });
});
