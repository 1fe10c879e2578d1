import { RequestContext } from '@mastra/core/request-context';
import type { ToolSearchFilterArgs } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { approve, tool } from '../support/harness.ts';
import type { Kind } from './cases.ts';
import { answerOf, type OfficeOptions, officeOver, turn } from './office.ts';

const kinds: readonly Kind[] = ['Agent', 'DurableAgent'];
const by = (user: string) => new RequestContext([['user', user]]);

interface Wait {
  readonly kind: Kind;
  readonly restart: boolean;
  readonly subject: unknown;
  readonly filter: (args: ToolSearchFilterArgs) => boolean;
  /** What happens while the call waits. */
  readonly meanwhile?: () => void;
  readonly start?: object;
  readonly approve?: object;
  readonly fillers?: number;
}

/** Lets the call of `subject` wait for approval, and approves it. Returns what the model got. */
async function approved({ kind, restart, subject, filter, fillers = 1, ...wait }: Wait): Promise<unknown> {
  const open = officeOver();
  const options: OfficeOptions = { kind, fillers, processor: { filter } };
  const first = open(subject, options);
  const suspended = await first.agent.generate('go', { ...turn, ...wait.start });
  expect(suspended.finishReason).toBe('suspended');
  wait.meanwhile?.();
  const next = restart ? open(subject, options) : first;
  await approve(next.agent, suspended, wait.approve);
  return answerOf(next, 'subject');
}

describe.each(kinds)('the filter is asked about a waiting call of kind %s with the request context', (kind) => {
  it.each([
    {
      restart: false,
      where: 'in the same process',
      approver: 'boss',
      asked: 'ann',
      why: 'of the request that made it',
    },
    { restart: true, where: 'after a restart', approver: 'boss', asked: 'boss', why: 'of who approves it' },
    { restart: true, where: 'after a restart', approver: undefined, asked: 'ann', why: 'kept with it, if none comes,' },
  ])('$why $where', async ({ restart, approver, asked }) => {
    const users = new Set<unknown>();
    let isWaiting = false;
    const filter = ({ requestContext, phase }: ToolSearchFilterArgs): boolean => {
      if (isWaiting && phase === 'load') users.add(requestContext?.get('user'));
      return true;
    };
    const subject = tool('subject', 'Subject.', { requireApproval: true, execute: async () => 'ran' });
    const result = await approved({
      kind,
      restart,
      subject,
      filter,
      meanwhile: () => {
        isWaiting = true;
      },
      start: { requestContext: by('ann') },
      approve: approver === undefined ? {} : { requestContext: by(approver) },
    });
    expect(result).toBe('ran');
    expect([...users][0]).toBe(asked);
  });
});

describe('a right to load that is withdrawn while a call waits, as the run wants every call approved,', () => {
  const cases = kinds.flatMap((kind) => [false, true].map((restart) => ({ kind, restart })));

  it.each(cases)('stops the call: $kind, restart $restart', async ({ kind, restart }) => {
    let isWithdrawn = false;
    const execute = vi.fn(async () => 'ran');
    const result = await approved({
      kind,
      restart,
      subject: tool('subject', 'Subject.', { execute }),
      filter: ({ phase }) => !(isWithdrawn && phase === 'load'),
      meanwhile: () => {
        isWithdrawn = true;
      },
      start: { requireToolApproval: ({ toolName }: { toolName: string }) => toolName === 'subject' },
    });
    expect(result).toContain('not available');
  });
});

it('a right to load that is used up does not stop the calls of what was loaded', async () => {
  let loads = 0;
  const office = officeOver()(tool('subject', 'Subject.', { execute: async () => 'ran' }), {
    processor: { storage: 'in-memory', filter: ({ phase }) => phase !== 'load' || ++loads === 1 },
  });
  await office.agent.generate('go', turn);
  expect(answerOf(office)).toBe('ran');
});

it('a call that waited runs after a restart with loads in memory, and its tool is not sent again', async () => {
  const open = officeOver();
  const subject = tool('subject', 'Subject.', { requireApproval: true, execute: async () => 'ran' });
  const options = { processor: { storage: 'in-memory' } } as const;
  const suspended = await open(subject, options).agent.generate('go', turn);
  const next = open(subject, options);
  await approve(next.agent, suspended);
  expect(answerOf(next)).toBe('ran');
  expect(next.model.sent()).not.toContain('subject');
});
