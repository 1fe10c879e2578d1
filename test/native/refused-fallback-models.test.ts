import type { ToolSearchEvent } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { part } from '../support/breadth.ts';
import { goalRig, KINDS, MODES, modelOf, say } from './rig/rig.ts';
import { anthropicService, type Interruption, openaiService } from './rig/services.ts';

const offs = (events: readonly ToolSearchEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === 'native-off' ? [event.reason] : []));

const refuses: Interruption = ({ isNative }) =>
  isNative ? { status: 400, error: { message: 'tool search is not supported on this model' } } : undefined;
const isDown: Interruption = () => ({ status: 500, error: { message: 'down' }, headers: { 'retry-after-ms': '1' } });

const executions = ['client', 'server'] as const;
const orders = [
  ['anthropic', 'openai'],
  ['openai', 'anthropic'],
] as const;
const cases = part(
  KINDS.flatMap((kind) =>
    MODES.flatMap((mode) =>
      executions.flatMap((execution) => orders.map(([first, second]) => ({ kind, mode, execution, first, second }))),
    ),
  ),
  'pairs',
);

/** An agent with a model of each service. */
function pair(one: (typeof cases)[number], interrupt: Interruption, hearsErrors: boolean) {
  const { kind, execution, first, second } = one;
  const serviceOf = (dialect: typeof first, interruption?: Interruption) =>
    dialect === 'anthropic' ? anthropicService(interruption) : openaiService(interruption);
  const service = serviceOf(first, interrupt);
  const other = serviceOf(second);
  const model = [
    { model: modelOf(first, service.fake), maxRetries: 0 },
    { model: modelOf(second, other.fake), maxRetries: 0 },
  ];
  return { ...goalRig({ dialect: first, execution }, { kind, service, model, hearsErrors }), other };
}

describe('a list of fallback models', () => {
  it.each(cases)(
    'is not entered where a refused request is tried again: $kind, $mode, $execution, $first before $second',
    async (one) => {
      const { agent, service, other, events, refused } = pair(one, refuses, true);
      expect((await say(agent, one.mode, 'use get_weather')).text).toBe('done');
      const [first, ...others] = service.views();
      expect(first?.isNative).toBe(true);
      expect(others.length).toBeGreaterThan(0);
      for (const { isNative, deferred } of others) expect([isNative, deferred]).toEqual([false, []]);
      expect(other.views()).toEqual([]);
      expect(offs(events)).toEqual(['refused']);
      expect([...refused(), ...other.fake.refused]).toEqual([]);
    },
  );

  const failures = [
    { why: 'refuses, and nobody hears it', interrupt: refuses },
    { why: 'is down', interrupt: isDown },
  ];

  it.each(cases.flatMap((one) => failures.map((failure) => ({ ...one, ...failure }))))(
    'goes on to the next model where the first $why: $kind, $mode, $execution, $first before $second',
    async ({ interrupt, ...one }) => {
      const { agent, service, other, events } = pair(one, interrupt, false);
      expect((await say(agent, one.mode, 'use get_weather')).text).toBe('done');
      expect(service.views().length).toBeGreaterThan(0);
      const views = other.views();
      expect(views.length).toBeGreaterThan(1);
      for (const { isNative, eager } of views) {
        expect(isNative).toBe(true);
        expect(eager).not.toContain('load_tool');
      }
      expect(other.fake.refused).toEqual([]);
      expect(offs(events)).toEqual([]);
      const foreign = one.second === 'openai' ? 'tool_search_tool_bm25' : 'tool_search"';
      expect(JSON.stringify(other.bodies())).not.toContain(foreign);
    },
  );
});
