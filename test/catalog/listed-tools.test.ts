import { tool as aiTool, jsonSchema } from 'ai';
import { describe, expect, it } from 'vitest';
import { listedTools } from '../../src/catalog/build-catalog.ts';
import { tool } from '../support/harness.ts';
import { catalogOf, nameless, namesOf, refusal } from './build.ts';

const named = (key: string, value: unknown): object => Object.fromEntries([[key, value]]);
const keysOf = (tools: unknown): string[] => listedTools(tools).map(({ key }) => key);
const a = tool('a');
const b = tool('b');
const webSearch = { type: 'provider-defined', id: 'openai.web_search', name: 'web_search', args: {} };
const ofAiSdk = aiTool({ inputSchema: jsonSchema({ type: 'object' }) });

describe('the list of tools', () => {
  it.each([
    { why: 'a record', tools: { x: a, y: b }, keys: ['x', 'y'] },
    { why: 'an empty record', tools: {}, keys: [] },
    { why: 'a record without prototype', tools: Object.assign(Object.create(null), { x: a }), keys: ['x'] },
    {
      why: 'toolsets',
      tools: { mail: { send: a, read: b }, files: { read: b } },
      keys: ['mail_send', 'mail_read', 'files_read'],
    },
    { why: 'one toolset', tools: { mail: { send: a } }, keys: ['mail_send'] },
    { why: 'toolsets, all of them empty', tools: { mail: {}, files: {} }, keys: [] },
    { why: 'toolsets, one of them empty', tools: { mail: {}, files: { read: b } }, keys: ['files_read'] },
    { why: 'toolsets after tools', tools: { x: a, files: { read: b }, y: b }, keys: ['x', 'y', 'files_read'] },
    {
      why: 'toolsets of all kinds of tools',
      tools: { mixed: { web: webSearch, mail: ofAiSdk, bare: nameless() } },
      keys: ['mixed_web', 'mixed_mail', 'mixed_bare'],
    },
    {
      why: 'a toolset with names of fields',
      tools: { x: { parameters: a, inputSchema: b } },
      keys: ['x_parameters', 'x_inputSchema'],
    },
    { why: 'keys out of JavaScript', tools: { constructor: { toString: a } }, keys: ['constructor_toString'] },
  ])('has the keys of $why', ({ tools, keys }) => {
    expect(keysOf(tools)).toEqual(keys);
  });

  it.each([
    { what: 'an AI SDK tool', value: ofAiSdk },
    { what: "a provider's tool", value: webSearch },
  ])('takes for no toolset: $what', ({ value }) => {
    expect(listedTools({ x: value })).toEqual([{ key: 'x', tool: value, isTool: true }]);
  });

  it.each([
    { why: 'an object of something else', value: { y: 5 } },
    { why: 'an object of which only a part are tools', value: { y: a, z: 5 } },
    { why: 'an empty object beside tools', value: {} },
    { why: 'a list', value: [a] },
    { why: 'a Map', value: new Map([['a', a]]) },
    { why: 'what is still a promise', value: Promise.resolve(a) },
    { why: 'toolsets within toolsets', value: { y: { z: a } } },
  ])('marks as no tool: $why', ({ value }) => {
    expect(listedTools({ x: value, good: b })).toEqual([
      { key: 'good', tool: b, isTool: true },
      { key: 'x', tool: value, isTool: false },
    ]);
  });

  it.each([
    { why: 'null', tools: null },
    { why: 'nothing', tools: undefined },
    { why: 'a list', tools: [a] },
    { why: 'a Map', tools: new Map([['a', a]]) },
    { why: 'a promise', tools: Promise.resolve({ a }) },
    { why: 'anything with then', tools: named('then', () => {}) },
    { why: 'a text', tools: 'tools' },
    { why: 'a function', tools: () => ({ a }) },
  ])('cannot be made from $why', ({ tools }) => {
    expect(() => listedTools(tools)).toThrow(expect.objectContaining({ code: 'invalid-option' }));
  });

  it('may have a tool that is called "then"', () => {
    expect(keysOf(named('then', a))).toEqual(['then']);
  });
});

describe('a catalog made from toolsets', () => {
  it('calls tools by their ids', () => {
    expect(namesOf({ mail: { send: tool('mail_send') }, files: { read: tool('read_file') } })).toEqual([
      'mail_send',
      'read_file',
    ]);
  });

  it('calls a tool without an id by the name of its toolset and its key', () => {
    expect(namesOf({ mail: { send: nameless() }, files: { send: nameless() } })).toEqual(['mail_send', 'files_send']);
  });

  it('finds every tool by that name too', () => {
    const { catalog } = catalogOf({ files: { read: tool('read_file') } });
    expect(catalog.get('files_read')?.name).toBe('read_file');
    expect(catalog.get('read')).toBeUndefined();
  });

  it('names the whole key of what it refuses', () => {
    expect(refusal({ mail: { send: a }, files: { send: tool('a') } })).toMatchObject({
      code: 'duplicate-tool',
      message: expect.stringContaining('keys "mail_send" and "files_send"'),
    });
    expect(refusal({ mail: { send: a }, files: { send: 5 } })).toMatchObject({
      code: 'invalid-tool',
      message: expect.stringContaining('tools["files"]'),
    });
  });
});
