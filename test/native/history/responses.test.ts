import { describe, expect, it } from 'vitest';
import { mapToolParts, type Prompt } from '../../../src/loaded/conversation/prompt.ts';
import { takeApart, withoutLostCalls } from '../../../src/native/history.ts';

const noted = (itemId: string, provider = 'openai', more: object = {}) => ({
  providerOptions: { [provider]: { itemId, ...more } },
});
const reasoning = (id: string) => ({ type: 'reasoning', text: '', ...noted(`rs_${id}`) });
const text = (id: string) => ({ type: 'text', text: id, ...noted(`msg_${id}`) });
const call = (id: string, more: object = {}) => ({
  type: 'tool-call',
  toolCallId: id,
  toolName: 'a',
  input: {},
  ...noted(`fc_${id}`),
  ...more,
});
const hosted = (id: string) => call(id, { toolName: 'web_search', providerExecuted: true });
const result = (id: string) => ({
  type: 'tool-result',
  toolCallId: id,
  toolName: 'a',
  output: { type: 'text', value: '' },
});
const says = (...content: object[]) => ({ role: 'assistant', content });
const gives = (...content: object[]) => ({ role: 'tool', content });
const user = { role: 'user', content: [{ type: 'text', text: 'Hello.' }] };

const bare = (part: object, provider = 'openai', rest: object = {}) => ({
  ...part,
  providerOptions: { [provider]: rest },
});
const all = () => true;

describe('a response that is taken apart', () => {
  it('loses its reasoning and its ids, and nothing else', () => {
    const prompt = [user, says(reasoning('1'), text('t'), call('c')), gives(result('c'))];
    expect(takeApart(prompt, all)).toEqual([user, says(bare(text('t')), bare(call('c'))), gives(result('c'))]);
  });

  it('loses what ran at the provider, with its results', () => {
    const prompt = [says(reasoning('1'), reasoning('1'), hosted('h'), result('h'), hosted('i'), call('c'))];
    expect(takeApart([...prompt, gives(result('c'), result('i'))], all)).toEqual([
      says(bare(call('c'))),
      gives(result('c')),
    ]);
  });

  it('leaves no message behind where nothing is left', () => {
    expect(takeApart([user, says(reasoning('1')), user], all)).toEqual([user, user]);
  });

  it('may have its reasoning in a message of its own', () => {
    const prompt = [user, says(reasoning('1')), says(text('t'))];
    expect(takeApart(prompt, () => false)).toBe(prompt);
    expect(takeApart(prompt, all)).toEqual([user, says(bare(text('t')))]);
    expect(mapToolParts(prompt, (part) => part)).toBe(prompt);
    expect(mapToolParts(prompt.slice(0, 2), (part) => part)).toEqual([user]);
  });

  it('ends where the next one begins to reason', () => {
    const isFirst = (response: readonly unknown[]) => JSON.stringify(response).includes('rs_1');
    const second = [reasoning('2'), call('d'), text('e')];
    expect(takeApart([says(reasoning('1'), call('c'), ...second)], isFirst)).toEqual([
      says(bare(call('c')), ...second),
    ]);
  });

  it('is asked of once for all that was reasoned in a row', () => {
    const holds = (id: string) => (response: readonly unknown[]) => JSON.stringify(response).includes(`"fc_${id}"`);
    const [first, second] = [says(reasoning('1'), reasoning('2'), call('c')), says(reasoning('3'), call('d'))];
    expect(takeApart([first, second], holds('c'))).toEqual([says(bare(call('c'))), second]);
    expect(takeApart([first, second], holds('d'))).toEqual([first, says(bare(call('d')))]);
  });

  it('may be nothing but reasoning, at the end', () => {
    const asked: unknown[] = [];
    const prompt = [user, says(text('t')), user, says(reasoning('1'), reasoning('2'))];
    expect(takeApart(prompt, (response) => asked.push(response) > 1)).toBe(prompt);
    expect(asked).toEqual([prompt[3]!.content]);
    expect(takeApart(prompt, all)).toEqual(prompt.slice(0, 3));
  });

  it('goes on in further messages, up to what the user says', () => {
    const spread = [says(reasoning('1'), hosted('h')), gives(result('x')), says(text('t'), hosted('i'), result('i'))];
    const after = [user, says(text('u'))];
    expect(takeApart([user, ...spread, ...after], all)).toEqual([
      user,
      gives(result('x')),
      says(bare(text('t'))),
      ...after,
    ]);
  });

  it('keeps what else Azure or OpenAI noted', () => {
    const given = { type: 'text', text: 'x', ...noted('msg_1', 'azure', { phase: 'final' }) };
    const first = { type: 'reasoning', text: '', ...noted('rs_1', 'azure') };
    expect(takeApart([says(first, given)], all)).toEqual([says(bare(given, 'azure', { phase: 'final' }))]);
  });

  it.each([
    { why: 'without reasoning', parts: [text('t'), hosted('h'), call('c')] },
    {
      why: 'of another provider',
      parts: [{ type: 'reasoning', text: 'Hm.', providerOptions: { anthropic: { signature: 's' } } }, call('c')],
    },
  ])('is no response of OpenAI $why', ({ parts }) => {
    const prompt = [user, says(...parts), gives(result('c'))];
    expect(takeApart(prompt, all)).toBe(prompt);
  });
});

describe('reasoning without its first call', () => {
  const stored = (...parts: object[]) => ({ role: 'assistant', content: { format: 2, parts } });
  const invocation = (toolCallId: string) => ({
    type: 'tool-invocation',
    toolInvocation: { toolCallId, toolName: 'a' },
  });
  const thought = (id: string) => ({ type: 'reasoning', providerMetadata: { openai: { itemId: `rs_${id}` } } });
  const step = { type: 'step-start' };
  const without = (prompt: Prompt, ...messages: unknown[]) => withoutLostCalls(prompt, () => messages as never);

  it('goes, and the ids of the rest with it', () => {
    const both = stored(thought('1'), invocation('c'), invocation('d'), step, thought('2'), invocation('e'));
    const second = says(reasoning('2'), call('e'));
    const whole = [says(reasoning('1'), call('c'), call('d')), second];
    expect(without(whole, both)).toBe(whole);
    expect(without([says(reasoning('1'), call('d')), second], both)).toEqual([says(bare(call('d'))), second]);
    expect(without([whole[0]!], both)).toEqual([whole[0]]);
  });

  it('stays where another action came first', () => {
    const prompt = [says(reasoning('1'), text('x')), says(reasoning('2'), call('c'))];
    const said = stored(thought('1'), { type: 'text', text: 'x' }, invocation('gone'));
    expect(without(prompt, said, stored(thought('2'), invocation('c'), step, invocation('gone')))).toBe(prompt);
  });

  it('goes where the reasoning of the next response follows', () => {
    const message = stored(thought('1'), invocation('gone'), step, thought('2'), invocation('c'));
    const second = [reasoning('2'), call('c')];
    expect(without([says(reasoning('1'), ...second)], message)).toEqual([says(...second)]);
    expect(without([says(reasoning('1')), says(...second)], message)).toEqual([says(...second)]);
  });

  it('goes with all the reasoning before the call', () => {
    const message = stored(thought('1'), thought('2'), invocation('gone'), invocation('c'));
    expect(without([says(reasoning('1'), reasoning('2'), call('c'))], message)).toEqual([says(bare(call('c')))]);
  });

  it('goes with all the reasoning where nothing else is left of the response', () => {
    const lost = [thought('1'), thought('2'), invocation('gone')];
    const message = stored(...lost, step, thought('3'), invocation('d'));
    const second = [reasoning('3'), call('d')];
    const reasoned = [reasoning('1'), reasoning('2')];
    expect(without([user, says(...reasoned), says(...second)], message)).toEqual([user, says(...second)]);
    expect(without([user, says(...reasoned, ...second)], message)).toEqual([user, says(...second)]);
    expect(without([user, says(...reasoned)], stored(...lost))).toEqual([user]);
  });

  it('stays at the end of a conversation, where its call may still come', () => {
    const prompt = [user, says(call('c'), reasoning('1'), reasoning('2')), gives(result('c'))];
    expect(without(prompt, stored(invocation('c'), thought('1'), thought('2')))).toBe(prompt);
    // Of another message is known no more than of this one.
    const apart = [user, says(reasoning('1')), says(reasoning('2'), call('c')), gives(result('c'))];
    expect(without(apart, stored(thought('1')), stored(thought('2'), invocation('c')))).toBe(apart);
    expect(without(apart, stored(thought('1')), stored(invocation('gone')))).toBe(apart);
  });

  it.each([
    { why: 'no messages', messages: [] },
    { why: 'no message', messages: [null, undefined, 1] },
    { why: 'no parts', messages: [{ content: 'text' }, { content: { parts: [null, 'x', { toolInvocation: null }] } }] },
  ])('stays where there are $why', ({ messages }) => {
    const prompt = [says(reasoning('1'), call('c'))];
    expect(without(prompt, ...messages)).toBe(prompt);
  });
});
