import { expect } from 'vitest';
import { MINUTE, type Suite } from './store-contract-suite.ts';
import { oddNames } from './store-odd-input.ts';

/** The part of the contract about `remove`, for stores that have it. */
export function testRemoval({ it, itWithClock, newScope, store, get, add }: Suite): void {
  const remove = async (scope: string, names: readonly string[]): Promise<void> => store().remove?.(scope, names);
  it('removes names and leaves the others in order', async () => {
    const scope = newScope();
    await add(scope, ['a', 'b', 'c', 'd']);
    await remove(scope, ['c', 'a']);
    expect(await get(scope)).toEqual(['b', 'd']);
    await add(scope, ['a', 'e']);
    expect(await get(scope)).toEqual(['b', 'd', 'a', 'e']);
  });

  it('puts the newest name behind the others when it was removed and comes again', async () => {
    const scope = newScope();
    await add(scope, ['a', 'b', 'c']);
    await remove(scope, ['b', 'c']);
    await add(scope, ['d', 'c']);
    expect(await get(scope)).toEqual(['a', 'd', 'c']);
  });

  it('ignores the removal of unknown names, of no names and in unknown scopes', async () => {
    const [scope, unknown] = [newScope(), newScope()];
    await add(scope, ['a']);
    await remove(scope, ['b', 'A', '"a"', 'ttl']);
    await remove(scope, []);
    await remove(unknown, ['a']);
    expect([await get(scope), await get(unknown)]).toEqual([['a'], []]);
  });

  it('takes a scope whose last name was removed as unknown, and takes it up again', async () => {
    const scope = newScope();
    await add(scope, ['a', 'b']);
    await remove(scope, ['a', 'b']);
    expect(await get(scope)).toEqual([]);
    await add(scope, ['b', 'a']);
    expect(await get(scope)).toEqual(['b', 'a']);
  });

  it('removes odd names', async () => {
    const scope = newScope();
    for (const name of oddNames) {
      await add(scope, [name, 'kept']);
      await remove(scope, [name]);
      expect(await get(scope)).toEqual(['kept']);
    }
  });

  it('removes in one scope only', async () => {
    const [one, other] = [newScope(), newScope()];
    for (const scope of [one, other]) await add(scope, ['a', 'b']);
    await remove(one, ['a']);
    expect([await get(one), await get(other)]).toEqual([['b'], ['a', 'b']]);
  });

  it('loses nothing when some add and others remove at once', async () => {
    const scope = newScope();
    const old = Array.from({ length: 20 }, (_, n) => `old${n}`);
    await add(scope, ['kept', ...old]);
    await Promise.all(old.flatMap((name, n) => [remove(scope, [name]), add(scope, [`new${n}`])]));
    expect([...(await get(scope))].sort()).toEqual(['kept', ...old.map((_, n) => `new${n}`)].sort());
  });

  itWithClock('does not restart the clock when it removes', async (advance) => {
    const scope = newScope();
    await add(scope, ['a', 'b'], { ttl: MINUTE });
    await advance(0.75 * MINUTE);
    await remove(scope, ['b']);
    await advance(0.75 * MINUTE);
    expect(await get(scope)).toEqual([]);
  });
}
