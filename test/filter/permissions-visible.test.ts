import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { catalogOf, counting, setup } from './permissions-setup.ts';

describe('the visible catalog of a request', () => {
  it('is the whole catalog without a filter, and with one that hides nothing', async () => {
    const catalog = catalogOf(3);
    for (const filter of [undefined, () => true, async () => true]) {
      const visible = await setup(filter).permissions.visible(catalog, () => []);
      expect(visible).toEqual({ catalog, left: 0, isFinal: true });
      expect(visible.catalog).toBe(catalog);
    }
  });

  it('has the tools that the filter allows in catalog order, asked about once each, best match first', async () => {
    const { filter, asked } = counting((name) => name !== 'tool_1');
    const { permissions } = setup(filter);
    const catalog = catalogOf(4);
    const visible = await permissions.visible(catalog, () => ['tool_3', 'unknown', 'tool_1']);
    expect([...visible.catalog.names]).toEqual(['tool_0', 'tool_2', 'tool_3']);
    expect(asked).toEqual(['tool_3', 'tool_1', 'tool_0', 'tool_2'].map((name) => `search ${name}`));
    expect(await permissions.visible(catalog, () => Promise.reject(new Error('not asked')))).toBe(visible);
  });

  it('is asked for again after a fault by the next search, and by nothing else', async () => {
    let isDown = true;
    const filter = ({ toolName }: { toolName: string }): boolean => {
      if (isDown && toolName === 'tool_0') throw new Error('down');
      return true;
    };
    const { permissions } = setup(filter);
    const catalog = catalogOf(2);
    expect([...(await permissions.visible(catalog, () => [])).catalog.names]).toEqual(['tool_1']);
    isDown = false;
    expect([...(await permissions.visible(catalog)).catalog.names]).toEqual(['tool_1']);
    expect((await permissions.visible(catalog, () => [])).catalog).toBe(catalog);
  });

  it('is empty when the run is aborted, which the next request does not inherit', async () => {
    const run = new AbortController();
    const { permissions } = setup(() => true);
    run.abort();
    const catalog = catalogOf(2);
    expect([...(await permissions.until(run.signal).visible(catalog, () => [])).catalog.names]).toEqual([]);
    expect((await permissions.visible(catalog)).catalog.size).toBe(2);
  });

  it('lets other work have its turn while the filter is asked about very many tools', async () => {
    const filter = (): boolean => {
      const end = performance.now() + 0.1;
      while (performance.now() < end);
      return true;
    };
    let turns = 0;
    const count = (): void => {
      turns += 1;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    await setup(filter).permissions.visible(catalogOf(1_000), () => []);
    clearImmediate(timer);
    expect(turns).toBeGreaterThan(1);
  });

  it('is found by two searches at once with the same questions, none of which fails', async () => {
    const asked = vi.fn();
    // Long to ask, so that the searches take turns, and later to answer: by a clock that no busy machine hurries.
    let now = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
    const filter = ({ toolName }: { toolName: string }): Promise<boolean> => {
      asked(toolName);
      now += 0.2;
      return new Promise((resolve) => setTimeout(resolve, 1, true));
    };
    const { permissions, events } = setup(filter, {}, 60_000);
    const catalog = catalogOf(200);
    const searches = [permissions.visible(catalog, () => []), permissions.visible(catalog, () => [])];
    const found = await Promise.all(searches).finally(() => clock.mockRestore());
    expect(found.map(({ catalog: visible }) => visible)).toEqual([catalog, catalog]);
    expect(asked).toHaveBeenCalledTimes(200);
    expect(events).toEqual([]);
  });

  describe('with a slow filter', () => {
    beforeEach(() => {
      vi.useFakeTimers();
    });
    afterEach(() => {
      vi.useRealTimers();
    });

    it('has the tools that were answered within a second, and the next search asks about the rest', async () => {
      const slow = () => new Promise((resolve) => setTimeout(resolve, 400, true));
      const { permissions, events } = setup(slow);
      const catalog = catalogOf(600);
      const search = async () => {
        const visible = permissions.inSearch().visible(catalog, () => ['tool_599']);
        await vi.advanceTimersByTimeAsync(2_000);
        return visible;
      };
      const first = await search();
      expect([first.catalog.size, first.left, first.isFinal]).toEqual([512, 88, false]);
      expect(first.catalog.get('tool_599')).toBeDefined();
      expect(events).toEqual([{ type: 'filter-budget', phase: 'search', asked: 512, left: 88 }]);
      const second = await search();
      expect([second.catalog, second.isFinal]).toEqual([catalog, true]);
    });
  });
});
