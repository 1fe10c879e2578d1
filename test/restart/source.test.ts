import { RequestContext } from '@mastra/core/request-context';
import { InMemoryStore } from '@mastra/core/storage';
import { memoryStore, type ToolSearchEvent, type ToolSearchProcessorOptions } from 'mastra-tool-search';
import { threadStateStore } from 'mastra-tool-search/thread-state';
import { describe, expect, it, vi } from 'vitest';
import { decline, resume, say } from '../native/rig/rig.ts';
import { pairwise } from '../support/breadth.ts';
import { approve, askingTool, call, fillerTools, tool, toolRecord } from '../support/harness.ts';
import { type MemorySource, memorySource } from '../support/memory-source.ts';
import { toolNames } from '../support/scripted-model.ts';
import type { Kind } from './cases.ts';
import { answerOf, type OfficeOptions, officeOver, turn } from './office.ts';

type Options = Partial<ToolSearchProcessorOptions>;

/** Stores, as each process opens them anew over what is kept outside. */
const STORES: Readonly<Record<string, () => () => Options['storage']>> = {
  'in-memory': () => () => 'in-memory',
  context: () => () => 'context',
  threadStateStore: () => () => threadStateStore(),
  'a store of your own': () => {
    const shared = memoryStore();
    return () => shared;
  },
};

/** How the call came to be made. */
const WAYS: Readonly<Record<string, { options: Options; office: OfficeOptions }>> = {
  'of a loaded tool': { options: {}, office: {} },
  'of a tool that was not loaded': { options: { onMiss: 'run' }, office: { loads: false } },
  'through call_tool': {
    options: { mode: 'call' },
    office: { loads: false, together: [call('call_tool', { toolName: 'subject', arguments: {} })] },
  },
};

const KINDS: readonly Kind[] = ['Agent', 'DurableAgent'];
const rows = pairwise({ kind: KINDS, store: Object.keys(STORES), way: Object.keys(WAYS) });

interface Row {
  readonly kind: Kind;
  readonly store: string;
  readonly way: string;
}

/** An application over one storage and one source, which is opened once for each process. */
function application({ kind, store, way }: Row, source: MemorySource, storage = new InMemoryStore()) {
  const open = officeOver(storage);
  const { options, office } = WAYS[way]!;
  const storeOf = STORES[store]!();
  return (extra: Options = {}) =>
    open(undefined, { kind, ...office, processor: { tools: source, ...options, storage: storeOf()!, ...extra } });
}

const waiting = (execute: () => Promise<unknown>) => tool('subject', 'Subject.', { requireApproval: true, execute });

describe.each(rows)('a call $way over a source, $kind, $store', (row) => {
  it('runs in a new process once it is approved, and not when it is declined', async () => {
    const execute = vi.fn(async (_input?: unknown, context?: { agent: { agentId: string; threadId: string } }) => {
      const { agentId, threadId } = context?.agent ?? {};
      return { agentId, threadId };
    });
    const source = await memorySource({ ...toolRecord(waiting(execute)), ...fillerTools(5) });
    const open = application(row, source);
    const suspended = await open().agent.generate('go', turn);
    expect(suspended.finishReason).toBe('suspended');
    source.asked.length = 0;
    const next = open();
    await approve(next.agent, suspended);
    expect(answerOf(next)).toEqual({ agentId: 'office', threadId: 't' });
    // One at the beginning, which brings the definition as well. A DurableAgent begins more than once.
    if (row.kind === 'Agent') expect(source.asked).toEqual([{ operation: 'get', what: 'subject' }]);

    await decline(open().agent, 'generate', await say(open().agent, 'generate', 'go', turn));
    expect(execute).toHaveBeenCalledTimes(1);
  });

  it('is resumed in a new process after it suspended itself', async () => {
    const source = await memorySource({ ...toolRecord(askingTool('subject')), ...fillerTools(5) });
    const open = application(row, source);
    const waits = await say(open().agent, 'generate', 'go', turn);
    const next = open();
    await resume(next.agent, 'generate', waits, { answer: 'yes' }, row.kind);
    expect(answerOf(next)).toEqual({ answer: 'yes' });
  });
});

describe.each(KINDS)('a call that waited over a source, %s,', (kind) => {
  const row: Row = { kind, store: 'a store of your own', way: 'of a loaded tool' };

  async function suspended() {
    const execute = vi.fn(async () => 'ran');
    const source = await memorySource({ ...toolRecord(waiting(execute)), ...fillerTools(5) });
    const open = application(row, source);
    const { agent } = open();
    return { execute, source, open, waits: await agent.generate('go', turn) };
  }

  it('is answered clearly where the tool left the source meanwhile', async () => {
    const there = await suspended();
    await there.source.fill(fillerTools(5));
    const next = there.open();
    await approve(next.agent, there.waits);
    expect(there.execute).not.toHaveBeenCalled();
    expect(answerOf(next)).toBe(
      'Tool "subject" cannot be reached now, so its call did not run. Search for it again, or go on without.',
    );
    expect(next.model.calls.map(toolNames)).toEqual([['search_tools', 'load_tool']]);
  });

  it('is answered clearly where the source is down, and the next run has the tool again', async () => {
    const there = await suspended();
    there.source.fault = new Error('down');
    const events: ToolSearchEvent[] = [];
    const next = there.open({ onEvent: (event) => void events.push(event) });
    await approve(next.agent, there.waits);
    expect(there.execute).not.toHaveBeenCalled();
    expect(answerOf(next)).toContain('cannot be reached now');
    expect(events).toContainEqual(expect.objectContaining({ type: 'source-failed', operation: 'get' }));

    there.source.fault = undefined;
    const later = there.open();
    const { finishReason } = await later.agent.generate('go on', turn);
    expect([finishReason, toolNames(later.model.calls[0]!)]).toEqual([
      'suspended',
      ['search_tools', 'load_tool', 'subject'],
    ]);
  });

  it('does not run where nobody tells the thread, and runs where the request context does', async () => {
    const execute = vi.fn(async () => 'ran');
    const source = await memorySource({ ...toolRecord(waiting(execute)), ...fillerTools(5) });
    const open = officeOver();
    const storage = memoryStore();
    const forgetful = () =>
      open(undefined, { kind, processor: { tools: source, storage }, agent: { memory: undefined } as never });
    const contextOf = () =>
      new RequestContext([
        ['mastra__threadId', 't'],
        ['mastra__resourceId', 'ann'],
      ] as never);
    for (const isTold of [false, true]) {
      const context = () => (isTold ? { requestContext: contextOf() } : {});
      const suspended = await forgetful().agent.generate('go', context() as never);
      const next = forgetful();
      await approve(next.agent, suspended, context());
      expect(answerOf(next)).toEqual(isTold ? 'ran' : expect.stringContaining('not found'));
      expect(execute).toHaveBeenCalledTimes(isTold ? 1 : 0);
    }
  });

  it('does not run where the filter denies the tool meanwhile', async () => {
    const there = await suspended();
    const next = there.open({ filter: () => false });
    await approve(next.agent, there.waits);
    expect(there.execute).not.toHaveBeenCalled();
    expect(answerOf(next)).toContain('is not available to this request');
  });
});
