import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
import { describe, expect, it } from 'vitest';
import {
  functionCall,
  message,
  type OpenAIBody,
  type OpenAIScript,
  openaiStep,
  toolSearchCall,
} from './fakes/fake-provider.ts';
import { catalog, modes, type OpenAIPackage, openaiPackages, ownTools, runOpenAI } from './rig/package-runs.ts';
import { FORMS_AND_MODES, goalRig, say } from './rig/rig.ts';
import { openaiService } from './rig/services.ts';

const cases = openaiPackages.flatMap((name) => modes.map((mode) => ({ name, mode })));
/** Before 3.0.68 the package loses namespaces. */
const loses = (name: OpenAIPackage): boolean => name === 'openai 3.0.46';
const rulesOf = (refused: readonly unknown[]): readonly string[] =>
  refused.map((one) => (one as { rule: string }).rule);
const toolsOf = ({ tools = [] }: OpenAIBody): readonly string[] => tools.map(({ type, name = type }) => name);

/** Searches in the first turn, and calls the tool in each. */
const script: OpenAIScript = ({ body, index }) => {
  const isFirst = body.input.filter(({ role }) => role === 'user').length === 1;
  const step = openaiStep(body) + (isFirst ? 0 : 1);
  if (step === 0)
    return { content: [toolSearchCall({ id: index, callId: index, args: { query: 'select:get_weather' } })] };
  return { content: [step === 1 ? functionCall(index, 'get_weather', { text: 'x' }) : message(index, 'Done.')] };
};

const converse = (name: OpenAIPackage, mode: (typeof modes)[number], call: (turn: number) => object) => {
  const memory = new Memory({ storage: new InMemoryStore() });
  const turn = (n: number): object => ({ memory: { thread: 'thread', resource: 'user' }, ...call(n) });
  const agent = { tools: ownTools(), memory };
  const setup = { mode, agent, call: turn, turns: ['one', 'two', 'three'] };
  return runOpenAI(name, script, { tools: catalog(), mode: 'native' }, setup);
};

describe('a call of a tool that a search has loaded', () => {
  it.each(cases)('names its namespace where nothing is stored: $name, $mode', async ({ name, mode }) => {
    const run = await converse(name, mode, () => ({ providerOptions: { openai: { store: false } } }));
    expect(run.text).toBe('Done.');
    expect(rulesOf(run.refused)).toEqual(loses(name) ? ['missing-namespace'] : []);
    const later = run.bodies.slice(loses(name) ? 3 : 2);
    expect(later.length).toBeGreaterThan(3);
    for (const body of later) {
      expect(toolsOf(body).includes('get_weather')).toBe(loses(name));
      const calls = body.input.filter(({ type }) => type === 'function_call');
      expect(new Set(calls.map(({ namespace }) => namespace))).toEqual(
        new Set([loses(name) ? undefined : 'get_weather']),
      );
    }
    expect(run.events.filter(({ type }) => type === 'native-off')).toEqual([]);
  });

  it.each(cases)('names its namespace where the tool was forced meanwhile: $name, $mode', async ({ name, mode }) => {
    const forced = { toolChoice: { type: 'tool', toolName: 'get_weather' } };
    const run = await converse(name, mode, (turn) => (turn === 1 ? forced : {}));
    expect(run.text).toBe('Done.');
    // What is sent by its id, the service has without the namespace: then it says so, once.
    expect(rulesOf(run.refused).filter((rule) => rule !== 'missing-namespace')).toEqual([]);
    expect(run.refused.length).toBeLessThanOrEqual(loses(name) ? 1 : 0);
    expect(run.events.filter(({ type }) => type === 'native-off')).toEqual([]);
  });
});

describe('a service that misses a namespace whatever is sent', () => {
  const forms = FORMS_AND_MODES.filter(({ dialect }) => dialect === 'openai');

  it.each(forms)('gets load mode, in that run alone: $execution, $mode', async ({ mode, ...form }) => {
    const error = { message: "Missing namespace for function_call 'get_weather'." };
    let isOn = true;
    const service = openaiService(({ calls, isNative }) =>
      isOn && isNative && calls.length > 0 ? { status: 400, error } : undefined,
    );
    const { agent, events } = goalRig(form, { service, hearsErrors: true });
    expect((await say(agent, mode, 'use get_weather')).text).toBe('done');
    const offs = () => events.flatMap((event) => (event.type === 'native-off' ? [event.reason] : []));
    expect(offs()).toEqual(['refused']);
    isOn = false;
    expect((await say(agent, mode, 'use send_email')).text).toBe('done');
    expect(service.views().at(-1)?.isNative).toBe(true);
    expect(offs()).toEqual(['refused']);
  });
});
