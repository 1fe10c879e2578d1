import type { ToolSearchEvent } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { createCatalog } from '../../src/catalog/catalog.ts';
import { Reporter } from '../../src/events.ts';
import { tool } from '../support/harness.ts';
import { catalogOf, nameless, RESERVED } from './build.ts';

describe('documents', () => {
  it('hold data only, never the tool', () => {
    const { catalog } = catalogOf({ a: tool('a'), b: nameless() });
    expect(JSON.parse(JSON.stringify(catalog.documents))).toEqual(catalog.documents);
  });

  it('cost a tool with a broken schema its parameters, and this is said once', () => {
    const broken = {
      description: 'Odd.',
      get inputSchema(): unknown {
        throw new Error('no schema today');
      },
      execute: async () => 'ran',
    };
    const events: ToolSearchEvent[] = [];
    const reporter = new Reporter((event) => events.push(event));
    const catalog = createCatalog({ a: tool('a') }, RESERVED, reporter).withResolved({ broken });
    expect(catalog.documents.map(({ name, parameters }) => [name, parameters.length])).toEqual([
      ['a', 1],
      ['broken', 0],
    ]);
    void catalog.documents;
    expect(events).toMatchObject([{ toolName: 'broken', problem: 'unreadable-schema' }]);
    expect(events[0]).toHaveProperty('message', expect.stringContaining('no schema today'));
  });
});

describe('the tools of a request', () => {
  const base = () => catalogOf({ a: tool('a'), key: tool('b') });

  it('come after those of the constructor, under their record key', () => {
    const view = base().catalog.withResolved({ sendEmail: tool('other_id') });
    expect([...view.names]).toEqual(['a', 'b', 'sendEmail']);
    expect(view.get('sendEmail')).toMatchObject({ name: 'sendEmail', isResolved: true });
    expect(view.get('other_id')).toBeUndefined();
  });

  it('win over tools of the constructor, and over their record keys', () => {
    const { catalog } = base();
    const view = catalog.withResolved({ a: tool('mine'), key: tool('mine_too') });
    expect(view.get('a')?.tool.id).toBe('mine');
    expect(view.get('key')?.tool.id).toBe('mine_too');
    expect(catalog.get('a')?.tool.id).toBe('a');
    expect(catalog.get('key')?.tool.id).toBe('b');
  });

  it('report a missing description once over all requests', () => {
    const { catalog, events } = base();
    for (let request = 0; request < 3; request++) catalog.withResolved({ mine: tool('mine', '') });
    expect(events).toMatchObject([{ toolName: 'mine', problem: 'missing-description' }]);
  });

  it('skip what is no tool', () => {
    expect([...base().catalog.withResolved({ x: null, y: 'text', z: {} }).names]).toEqual(['a', 'b']);
  });

  it('under an empty key is not what every unknown name finds', () => {
    const view = base().catalog.withResolved({ '': tool('empty') });
    expect(view.get('unknown')).toBeUndefined();
  });
});
