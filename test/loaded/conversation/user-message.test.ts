import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lastUserText, searchedTexts } from '../../../src/loaded/conversation/conversation.ts';
import { anyText } from '../../support/any-text.ts';

const user = (content: unknown): object => ({ role: 'user', content });
const text = (...texts: string[]): object => ({ format: 2, parts: texts.map((one) => ({ type: 'text', text: one })) });

describe('the text of the last user message', () => {
  it.each([
    { why: 'the parts of a stored message', messages: [user(text('one', 'two'))], expected: 'one\ntwo' },
    { why: 'a plain text', messages: [user('plain')], expected: 'plain' },
    {
      why: 'the text beside the parts',
      messages: [user({ format: 2, content: 'beside', parts: [] })],
      expected: 'beside',
    },
    { why: 'the last one', messages: [user('old'), user('new')], expected: 'new' },
    {
      why: 'not that of the assistant',
      messages: [user('asked'), { role: 'assistant', content: 'said' }],
      expected: 'asked',
    },
    { why: 'nothing of an image', messages: [user({ parts: [{ type: 'file', data: 'x' }] })], expected: '' },
    {
      why: 'nothing of what is no message',
      messages: [null, 7, user(7), user({ parts: [null, { type: 'text', text: 7 }] })],
      expected: '',
    },
    { why: 'nothing of no conversation', messages: [], expected: '' },
  ])('is $why', ({ messages, expected }) => {
    expect(lastUserText(messages as never)).toBe(expected);
  });
});

describe('what is searched of a message', () => {
  it('is the message as it is, where it is short', () => {
    expect(searchedTexts(' Get the weather. Then send an email. ')).toEqual(['Get the weather. Then send an email.']);
  });

  it('is its clauses too, where it is long', () => {
    const long = `I have a lot to do for the office today, as always at the end of a month, and would be glad of help with it.
      First, translate the report of last year into German; then create an invoice for our customer, and also send an email to Ada.`;
    const [whole, ...clauses] = searchedTexts(long);
    expect(whole).toBe(long);
    expect(clauses.map((clause) => clause.split(/\s+/).slice(0, 3).join(' '))).toEqual([
      'I have a',
      'and would be',
      'First, translate the',
      'then create an',
      'and also send',
    ]);
  });

  it.each([
    '',
    '   ',
    '?!',
    'ok',
    'Hello!',
    'yes please',
    'Thank you so much',
    'what do you mean?',
    'go on',
    'Danke!',
    'merci',
  ])('is nothing for "%s"', (message) => {
    expect(searchedTexts(message)).toEqual([]);
  });

  it.each(['weather', 'send it', 'Write a thank you note', '天气', 'help me with my invoice'])(
    'is something for "%s"',
    (message) => {
      expect(searchedTexts(message)).toEqual([message]);
    },
  );

  it('is a text within bounds, whatever a user writes', () => {
    fc.assert(
      fc.property(fc.array(anyText()), (parts) => {
        const texts = searchedTexts(lastUserText([user(text(...parts))] as never));
        expect(texts.length).toBeLessThanOrEqual(9);
        for (const one of texts) expect(one.length).toBeLessThanOrEqual(2_000);
      }),
    );
  });

  it('is no more than 2,000 characters and eight clauses', () => {
    const texts = searchedTexts('Send the next email to them now. '.repeat(1_000));
    expect(texts[0]).toHaveLength(2_000);
    expect(texts).toHaveLength(9);
  });
});
