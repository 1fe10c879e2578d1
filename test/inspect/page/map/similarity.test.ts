import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alikePairs } from '../../../../src/inspect/page/map/similarity.ts';
import { runToEnd } from '../../../../src/util/time-slices.ts';

const tool = (name: string, description: string, group?: string) => ({ name, description, group });
const others = Array.from({ length: 30 }, (_, at) => tool(`other_${at}`, `Something else number${at} entirely`));
const pairsOf = (...args: Parameters<typeof alikePairs>) => runToEnd(alikePairs(...args));

describe('alikePairs', () => {
  it('finds tools of the same words, and says which', () => {
    const [pair] = pairsOf(
      [...others, tool('create_ticket', 'Create a ticket for support'), tool('new_ticket', 'Creates a support ticket')],
      0.5,
    );
    expect(pair).toMatchObject({ one: 'create_ticket', other: 'new_ticket' });
    expect(pair?.words.slice(0, 1)).toEqual(['ticket']);
  });

  it('passes over the name of the server, which all its tools have', () => {
    const ofServer = [
      tool('acme_payroll_send_letter', 'Send a letter', 'acme_payroll'),
      tool('acme_payroll_book_room', 'Book a room', 'acme_payroll'),
    ];
    expect(pairsOf([...others, ...ofServer], 0.2).filter(({ one }) => one.startsWith('acme'))).toEqual([]);
    const ofNone = ofServer.map(({ name, description }) => tool(name, description));
    expect(pairsOf([...others, ...ofNone], 0.2).filter(({ one }) => one.startsWith('acme'))).toHaveLength(1);
  });

  it('gives the same similarity in any order of the tools', () => {
    const word = fc.constantFrom('send', 'mail', 'read', 'file', 'open', 'issue', 'city', 'weather');
    const text = fc.array(word, { maxLength: 4 }).map((list) => list.join('_'));
    fc.assert(
      fc.property(fc.array(text, { maxLength: 6 }), (texts) => {
        const tools = texts.map((one, at) => tool(`${one}_t${at}`, ''));
        const pairs = pairsOf(tools, 0.3);
        for (const { one, other, similarity } of pairs) {
          const turned = pairsOf([...tools].reverse(), 0.3).find((pair) => pair.one === other && pair.other === one);
          expect(turned?.similarity).toBeCloseTo(similarity, 9);
          expect(similarity).toBeGreaterThanOrEqual(0.3);
          expect(similarity).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  it('lists the most alike first, and none below the least', () => {
    const pairs = pairsOf(
      [...others, tool('list_open_issues', ''), tool('list_open_issues_2', ''), tool('list_open_bugs', '')],
      0.3,
    );
    expect(pairs.map(({ similarity }) => similarity)).toEqual(
      pairs.map(({ similarity }) => similarity).sort((a, b) => b - a),
    );
    expect(pairs[0]).toMatchObject({ one: 'list_open_issues', other: 'list_open_issues_2' });
  });

  it('is nothing for tools without words', () => {
    expect(pairsOf([tool('', ''), tool('', ''), tool('!!!', '…')], 0.1)).toEqual([]);
  });

  it('lets others have their turn', () => {
    let turns = 0;
    for (const _ of alikePairs(others, 0.9)) turns++;
    expect(turns).toBeGreaterThan(others.length / 2);
  });
});
