import { describe, expect, it } from 'vitest';
import { applyChanges, type CatalogChanges, changesIn, keywordsCode } from '../../src/workbench/changes.ts';

const mail = { name: 'send_email', description: 'Send an email.', inputSchema: { type: 'object' } };
const clock = { name: 'get_time', description: 'Tell the time.', inputSchema: { type: 'object' } };
const changes: CatalogChanges = {
  changes: {
    send_email: {
      description: { before: 'Send an email.', after: 'Write an email to somebody.' },
      keywords: { before: [], after: ['mail', 'letter'] },
    },
  },
};
const changed = { ...mail, description: 'Write an email to somebody.', metadata: { keywords: ['mail', 'letter'] } };

describe('the changes of a catalog', () => {
  it.each([
    ['a list', [mail, clock], [changed, clock]],
    ['the answer of a server', { tools: [mail, clock] }, { tools: [changed, clock] }],
    ['a whole response', { result: { tools: [mail, clock] } }, { result: { tools: [changed, clock] } }],
    ['tools by their names', { send_email: { description: mail.description } }, undefined],
    ['functions of OpenAI', [{ type: 'function', function: mail }], [{ type: 'function', function: changed }]],
    ['declarations of Google', [{ functionDeclarations: [clock, mail] }], [{ functionDeclarations: [clock, changed] }]],
  ])('are written into %s', (_, before, after) => {
    const { text, applied, problems } = applyChanges(JSON.stringify(before), changes);
    expect({ applied, problems }).toEqual({ applied: ['send_email'], problems: [] });
    const { description, metadata } = changed;
    expect(JSON.parse(text)).toEqual(after ?? { send_email: { description, metadata } });
  });

  it('keep the form of the file, and change nothing a second time', () => {
    for (const indent of [2, 4, '\t', undefined]) {
      const before = `${JSON.stringify({ tools: [mail, clock] }, null, indent)}\n`;
      const { text } = applyChanges(before, changes);
      expect(text).toBe(`${JSON.stringify({ tools: [changed, clock] }, null, indent)}\n`);
      expect(applyChanges(text, changes)).toEqual({ text, applied: ['send_email'], problems: [] });
    }
    const lines = `${JSON.stringify(clock)}\n${JSON.stringify(mail)}\n`;
    expect(applyChanges(lines, changes).text).toBe(`${JSON.stringify(clock)}\n${JSON.stringify(changed)}\n`);
    expect(() => applyChanges('{ no', changes)).toThrow('it is no JSON');
  });

  it('go to the keywords beside the tools where the file has some, and take from where the words stand', () => {
    const own = { ...mail, metadata: { keywords: ['old', 'own'], team: 'a' } };
    const before = { tools: [own], keywords: { send_email: ['post'] } };
    const keywords = { before: ['post', 'old', 'own'], after: ['own', 'letter'] };
    const { text } = applyChanges(JSON.stringify(before), { changes: { send_email: { keywords } } });
    expect(JSON.parse(text)).toEqual({
      tools: [{ ...mail, metadata: { keywords: ['own'], team: 'a' } }],
      keywords: { send_email: ['letter'] },
    });
  });

  it('leave alone what is not as it was, and say so', () => {
    const before = JSON.stringify([{ ...mail, description: 'Another.' }]);
    const { text, problems } = applyChanges(before, {
      changes: { ...changes.changes, gone: { keywords: { before: [], after: ['x'] } } },
    });
    expect(text).toBe(before);
    expect(problems).toEqual([
      'send_email: its description is another than before the change',
      'gone: the file has no such tool',
    ]);
    const taken = { changes: { get_time: { keywords: { before: ['hour'], after: [] } } } };
    expect(applyChanges(JSON.stringify([clock]), taken).problems).toEqual([
      'get_time: its keyword "hour" stands elsewhere',
    ]);
  });

  it('are read from JSON, and nothing else is', () => {
    expect(changesIn(JSON.parse(JSON.stringify(changes)))).toEqual(changes);
    for (const wrong of [null, [], {}, { changes: [] }, { changes: { a: 1 } }, { changes: { a: { keywords: ['x'] } } }])
      expect(changesIn(wrong)).toBe(undefined);
  });

  it('are code for search.keywords, where keywords were changed', () => {
    const code = keywordsCode(changes) ?? '';
    expect(new Function(`return { ${code} }`)()).toEqual({ search: { keywords: { send_email: ['mail', 'letter'] } } });
    expect(keywordsCode({ changes: {} })).toBe(undefined);
  });
});
