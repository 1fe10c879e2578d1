import { expect } from 'vitest';
import { KEEP, MINUTE, type Suite } from './store-contract-suite.ts';

/** The part of the contract about time. */
export function testClock({ itWithClock, newScope, get, add }: Suite): void {
  itWithClock('forgets a scope that was idle for longer than its ttl', async (advance) => {
    const scope = newScope();
    await add(scope, ['a'], { ttl: MINUTE });
    await advance(2 * MINUTE);
    expect(await get(scope)).toEqual([]);
    await add(scope, ['b'], { ttl: MINUTE });
    expect(await get(scope)).toEqual(['b']);
  });

  itWithClock('starts anew when names are added to an expired scope', async (advance) => {
    const scope = newScope();
    await add(scope, ['a'], { ttl: MINUTE });
    await advance(2 * MINUTE);
    await add(scope, ['b'], { ttl: MINUTE });
    expect(await get(scope)).toEqual(['b']);
  });

  itWithClock('restarts the clock of a scope that is read', async (advance) => {
    const [read, idle] = [newScope(), newScope()];
    for (const scope of [read, idle]) await add(scope, ['a'], { ttl: MINUTE });
    for (let n = 0; n < 4; n++) {
      await advance(0.75 * MINUTE);
      expect(await get(read)).toEqual(['a']);
    }
    expect(await get(idle)).toEqual([]);
    await advance(2 * MINUTE);
    expect(await get(read)).toEqual([]);
  });

  itWithClock('restarts the clock of a scope that is added to', async (advance) => {
    const scope = newScope();
    for (const name of ['a', 'b', 'b', 'c']) {
      await add(scope, [name], { ttl: MINUTE });
      await advance(0.75 * MINUTE);
    }
    expect(await get(scope)).toEqual(['a', 'b', 'c']);
  });

  itWithClock('keeps a scope with ttl 0', async (advance) => {
    const scope = newScope();
    await add(scope, ['a'], KEEP);
    await advance(100 * 365 * 24 * 60 * MINUTE);
    expect(await get(scope)).toEqual(['a']);
  });

  itWithClock('goes by the ttl of the last add', async (advance) => {
    const [shortened, lengthened] = [newScope(), newScope()];
    await add(shortened, ['a'], KEEP);
    await add(shortened, ['b'], { ttl: MINUTE });
    await add(lengthened, ['a'], { ttl: MINUTE });
    await add(lengthened, ['b'], { ttl: 10 * MINUTE });
    await advance(2 * MINUTE);
    expect(await get(shortened)).toEqual([]);
    expect(await get(lengthened)).toEqual(['a', 'b']);
  });
}
