import { RequestContext } from '@mastra/core/request-context';
import type { ToolSearchEvent, ToolSearchProcessorOptions } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { skilledAgent } from '../../examples/skills/agent.ts';
import { call, calls, inMastra, inThread, newMemory, search } from '../support/agent.ts';
import { scriptedModel } from '../support/scripted-model.ts';

const activate = (name: string) => call('skill', { name });
const noDisk = () => Promise.reject(new Error('no disk'));
const REFUND = ['shop_get_order', 'shop_refund_payment', 'mail_send_email'];

function shop(script: ReturnType<typeof calls>, options: Partial<ToolSearchProcessorOptions> = {}) {
  const events: ToolSearchEvent[] = [];
  const model = scriptedModel(script);
  const agent = skilledAgent(model as never, { ...options, onEvent: (event) => void events.push(event) });
  const sent = (at: number) => model.sent(at).filter((name) => /^(?:shop|mail|docs|crm|calendar|weather)_/.test(name));
  return { agent, model, events, sent, loads: () => events.filter(({ type }) => type === 'load') };
}

describe('a workspace of three skills', () => {
  it.each([
    ['refund-order', REFUND, 'a line of allowed-tools'],
    ['weekly-report', ['shop_list_orders', 'docs_create_document'], 'metadata'],
    ['onboard-customer', ['crm_create_account', 'calendar_schedule_meeting'], 'a list, and a tool that is not there'],
  ])('%s loads %j when it is activated, named by bare names in %s', async (skill, names) => {
    const { agent, model, sent, loads } = shop(calls(activate(skill), call(names[0] as string, { id: '7' })));
    await agent.generate('go');
    expect(sent(0)).toEqual([]);
    expect([...sent(1)].sort()).toEqual([...names].sort());
    expect(loads()).toMatchObject([{ by: 'skill', loaded: names }]);
    expect(JSON.stringify(model.calls[1]?.prompt)).toContain(`has loaded its tools`);
    expect(model.result()).toMatchObject({ done: names[0], of: '7' });
  });

  it('loads nothing that the filter denies, and says nothing of it', async () => {
    const filter: ToolSearchProcessorOptions['filter'] = ({ toolName, requestContext }) =>
      toolName !== 'shop_refund_payment' || requestContext?.get('role') === 'boss';
    for (const [role, names] of [
      ['clerk', REFUND.filter((name) => name !== 'shop_refund_payment')],
      ['boss', REFUND],
    ] as const) {
      const { agent, model, sent } = shop(calls(search('refund my money'), activate('refund-order')), { filter });
      await agent.generate('go', { requestContext: new RequestContext<unknown>([['role', role]]) as never });
      expect(sent(2)).toEqual(names);
      const read = JSON.stringify(model.calls.at(-1)?.prompt);
      expect(read.includes('shop_refund_payment')).toBe(role === 'boss');
    }
  });

  it('keeps what a skill loaded for the thread, and loads once', async () => {
    const memory = newMemory();
    const { agent, sent, loads, model } = shop(calls(activate('refund-order')));
    (agent as unknown as { __setMemory(memory: unknown): void }).__setMemory(memory);
    await agent.generate('go', inThread);
    await agent.generate('and now?', inThread);
    expect(sent(2)).toEqual(REFUND);
    expect(model.calls).toHaveLength(4);
    expect(loads()).toHaveLength(2);
  });

  it('is found beside tools, whose own stand together', async () => {
    const { agent, model, events } = shop(calls(search('refund the order of a customer, send an email')));
    await agent.generate('go');
    const { results, skills, message } = model.result() as {
      results: { name: string }[];
      skills: { name: string; tools: string[] }[];
      message: string;
    };
    expect(skills[0]).toEqual({ name: 'refund-order', description: expect.stringContaining('Refund'), tools: REFUND });
    const places = results.map(({ name }, at) => (REFUND.includes(name) ? at : -1)).filter((at) => at >= 0);
    expect(places.length).toBeGreaterThan(1);
    expect((places.at(-1) ?? 0) - (places[0] ?? 0)).toBe(places.length - 1);
    expect(message).toContain('skill({ "name": "refund-order" }) activates it, which brings');
    expect(events.filter(({ type }) => type === 'skills-failed')).toEqual([]);
  });

  it('is of no concern without the option, and for a skill that there is not', async () => {
    const off = shop(calls(search('refund'), activate('refund-order')), { skills: false });
    await off.agent.generate('go');
    expect(off.sent(2)).toEqual([]);
    expect(off.model.result(1)).not.toHaveProperty('skills');
    const unknown = shop(calls(activate('rob-bank')));
    await unknown.agent.generate('go');
    expect([unknown.sent(1), unknown.loads()]).toEqual([[], []]);
  });

  it('that cannot be read is an event, and the run goes on', async () => {
    const { agent, model, events } = shop(calls(search('refund'), activate('refund-order')));
    inMastra(agent);
    Object.assign(agent, { listSkills: noDisk, getSkill: noDisk });
    expect((await agent.generate('go')).text).toBe('done');
    expect(model.result(1)).toHaveProperty('results');
    expect(events.filter(({ type }) => type === 'skills-failed')).toHaveLength(2);
  });
});
