import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RunSearches } from '../../../src/workbench/grading/grade.ts';
import { gradeOf } from '../../../src/workbench/grading/grade.ts';
import { isLinear } from '../../support/growth.ts';

const search = (query: string, ...found: readonly string[]) => ({ queries: [query], found });
const run = (
  searches: RunSearches['searches'],
  called: Readonly<Record<string, number>> = {},
  missed: readonly string[] = [],
): RunSearches => ({ searches, called: new Map(Object.entries(called)), missed });

describe('the grade of a run', () => {
  it.each([
    ['one search that leads to a call', run([search('a', 'x', 'y')], { x: 1 }), undefined, 1],
    ['two tools of one search', run([search('a', 'x', 'y')], { x: 1, y: 1 }), undefined, 1],
    ['a search in vain before', run([search('a'), search('b', 'x')], { x: 2 }), undefined, 0.5],
    ['two searches side by side', run([search('a', 'x'), search('b', 'y')], { x: 2, y: 2 }), undefined, 1],
    ['the same search again', run([search('a', 'x'), search('b', 'x')], { x: 2 }), undefined, 0.5],
    ['only searches in vain', run([search('a'), search('b', 'x')]), undefined, 0],
    ['a miss', run([search('a', 'x')], { x: 1 }, ['y']), undefined, 0.5],
    ['a miss alone', run([], {}, ['y']), undefined, 0],
    ['tools that no search showed', run([], { x: 0 }), undefined, undefined],
    ['what was wanted, in the first search', run([search('a', 'x')]), { relevant: ['x'] }, 1],
    ['what was wanted, in the second', run([search('a'), search('b', 'x')]), { relevant: ['x'] }, 0.5],
    ['half of what was wanted', run([search('a', 'x')]), { relevant: ['x', 'y'] }, 0.5],
    ['one tool of a group', run([search('a', 'y')]), { relevant: ['x', 'y'], groups: [['x', 'y']] }, 1],
    ['what was there before a search', run([], { x: 0 }), { relevant: ['x'] }, 1],
    ['what was called though no search showed it', run([search('a')], { x: 1 }), { relevant: ['x'] }, 0.5],
    ['a tool that is wanted twice', run([search('a', 'x')]), { relevant: ['x', 'x', 'y'] }, 0.5],
    ['a need without tools', run([search('a', 'x')]), { relevant: ['x'], groups: [['x', 'x'], []] }, 1],
    ['nothing of what was wanted', run([]), { relevant: ['x'] }, 0],
    ['nothing, where nothing fits', run([search('a', 'x')]), { relevant: [] }, 1],
    ['a call, where nothing fits', run([search('a', 'x')], { x: 1 }), { relevant: [] }, 0],
  ] as const)('for %s', (_, of, truth, score) => {
    expect(gradeOf(of, truth).score).toBe(score);
  });

  it('says why', () => {
    const grade = gradeOf(run([search('tickets'), search('issue', 'x')], { x: 2 }, ['z']), { relevant: ['x', 'y'] });
    expect(grade).toEqual({
      score: 0.25,
      reason: '2 searches found x. not found: y. in vain: "tickets". called without being there: z.',
      ...{ searches: 2, found: ['x'], missing: ['y'], inVain: ['"tickets"'], missed: ['z'] },
    });
    expect(gradeOf(run([search('a')]), undefined).reason).toBe('1 search found no tool that was wanted. in vain: "a".');
    expect(gradeOf(run([search('a', 'x')], { x: 1 }), { relevant: [] }).reason).toBe(
      'Nothing fits, and the run called x.',
    );
  });

  it('repeats no long or hidden text', () => {
    const { reason } = gradeOf(run([search(`a\u202e${'b'.repeat(500)}`)], {}, ['c\n'.repeat(500)]), {
      relevant: ['x'],
    });
    expect(reason).not.toMatch(/[\u202e\n]/);
    expect(reason.length).toBeLessThan(400);
  });

  it('cleans the names that it gives', () => {
    const grade = gradeOf(run([search('a', 'x\u202e')], {}, ['z\u001b[2J']), {
      relevant: [],
      groups: [],
    });
    expect(grade.missed).toEqual(['z [2J']);
    const wanted = gradeOf(run([search('a', 'x\u202e')]), { relevant: ['x\u202e', 'y\u001b[2J'] });
    expect([wanted.found, wanted.missing]).toEqual([['x'], ['y [2J']]);
  });

  it.each([
    ['a ground truth', (length: number) => ({ relevant: Array.from({ length }, (_, n) => `t${n}`) })],
    ['no ground truth', () => undefined],
  ])('takes little time for many searches, with %s', async (_, truthOf) => {
    const grade = (length: number): void => {
      const searches = Array.from({ length }, (_, n) => search('q', `a${n}`, `b${n}`, `t${n}`));
      const called = Object.fromEntries(searches.map((_, n) => [`t${n}`, n + 1]));
      expect(gradeOf(run(searches, called), truthOf(length)).score).toBe(1);
    };
    expect(await isLinear(grade, { length: 2_500 })).toBe(true);
  });

  const name = fc.constantFrom('a', 'b', 'c', 'd');
  const anyRun = fc
    .record({
      found: fc.array(fc.array(name, { maxLength: 3 }), { maxLength: 5 }),
      called: fc.dictionary(name, fc.nat(5)),
      missed: fc.array(name, { maxLength: 3 }),
    })
    .map(({ found, called, missed }) =>
      run(
        found.map((names) => search('q', ...names)),
        called,
        missed,
      ),
    );

  it('is from 0 to 1, and 1 only where nothing went amiss', () => {
    fc.assert(
      fc.property(anyRun, fc.option(fc.record({ relevant: fc.uniqueArray(name) }), { nil: undefined }), (of, truth) => {
        const { score, missing, inVain, missed } = gradeOf(of, truth);
        if (score === undefined) return;
        expect(score).toBeGreaterThanOrEqual(0);
        expect(score).toBeLessThanOrEqual(1);
        if (truth?.relevant.length !== 0) expect(score === 1).toBe([...missing, ...inVain, ...missed].length === 0);
      }),
    );
  });

  it('never rises by another search in vain', () => {
    fc.assert(
      fc.property(anyRun, fc.record({ relevant: fc.uniqueArray(name, { minLength: 1 }) }), (of, truth) => {
        const more = { ...of, searches: [...of.searches, search('again')] };
        expect(gradeOf(more, truth).score ?? 0).toBeLessThanOrEqual(gradeOf(of, truth).score ?? 1);
      }),
    );
  });
});
