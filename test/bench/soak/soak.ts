// Many conversations at once with one agent, whose tools are found by one processor.
import { setTimeout } from 'node:timers/promises';
import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import type { RequestContext } from '@mastra/core/request-context';
import { entries } from '../../../src/events/table.ts';
import {
  type LoadedToolStore,
  memoryStore,
  type ToolSearchEvent,
  ToolSearchProcessor,
  type ToolSearchProcessorOptions,
} from '../../../src/index.ts';
import { type ModelCall, type ModelReply, scriptedModel, userText } from '../../support/scripted-model.ts';
import { randomFrom } from '../speed/random.ts';
import { Turn } from './turn.ts';
import { type Descriptions, delayOf, profileOf, SHARED, sharedTools, toolsOf } from './users.ts';

const MOST_LOADED = 3;
const MAX_STEPS = 20;
/** Events with a line in the log that are meant to happen. */
const EXPECTED: readonly string[] = ['call-denied', 'filter-budget'];
/** Milliseconds after which the tools of all are others. */
const CHANGE = 20_000;

export interface SoakOptions {
  readonly conversations: number;
  /** Whether a conversation that has had so many requests goes on with another. */
  readonly goesOn: (requests: number) => boolean;
  /** Milliseconds that the model takes for an answer. */
  readonly thinking: { readonly least: number; readonly most: number };
  /** Tools of all. Where there are more than there are words for, one of them changes every `CHANGE` milliseconds. */
  readonly tools?: number;
  /** The share of the store's operations that fail. */
  readonly storeFaults?: number;
  /** To see whether faults are found. */
  readonly options?: Partial<ToolSearchProcessorOptions>;
}

/** What happened in the whole run, and what should not have. */
export interface Soaked {
  readonly counts: Readonly<Record<string, number>>;
  readonly faults: readonly string[];
}

/** Lets all converse, and ends when the last request has. */
export async function soak(given: SoakOptions): Promise<Soaked> {
  const { conversations, goesOn, thinking, tools = SHARED.size, storeFaults = 0, options = {} } = given;
  const faults: string[] = [];
  const fault = (text: string): void => void faults.push(text);
  const counts = { requests: 0, 'model calls': 0, aborted: 0, calls: 0, loads: 0, evictions: 0, 'store faults': 0 };
  const expected = storeFaults > 0 ? [...EXPECTED, 'store-failed'] : EXPECTED;
  const onEvent = (event: ToolSearchEvent): void => {
    if (event.type === 'load') counts.loads += event.loaded.length;
    if (event.type === 'evict') counts.evictions += event.toolNames.length;
    if (event.type === 'call') counts.calls++;
    if (event.type === 'store-failed') counts['store faults']++;
    if (entries[event.type]?.warns && !expected.includes(event.type))
      fault(`unexpected event ${event.type}: ${'error' in event ? String(event.error) : JSON.stringify(event)}`);
  };
  const turnOf = (context: unknown): Turn | undefined => {
    const turn = (context as RequestContext | undefined)?.get('turn');
    if (turn instanceof Turn) return turn;
    fault('something is asked or called without its request context');
    return undefined;
  };
  const run: Parameters<typeof toolsOf>[2] = async (name, from, context) =>
    turnOf((context as { requestContext?: unknown }).requestContext)?.run(name, from);
  const begun = Date.now();
  let [generation, shared] = [0, sharedTools(tools)];
  const records = new WeakMap([[shared, toolsOf(shared, 'all', run)]]);
  /** The tools of all as they are now. */
  const sharedNow = (): Descriptions => {
    const now = Math.floor((Date.now() - begun) / CHANGE);
    if (now > generation && tools > SHARED.size) {
      [generation, shared] = [now, sharedTools(tools, now)];
      records.set(shared, toolsOf(shared, 'all', run));
    }
    return shared;
  };
  const processor = new ToolSearchProcessor({
    tools:
      tools > SHARED.size
        ? ({ requestContext }) => records.get(turnOf(requestContext)?.shared ?? shared)!
        : records.get(shared)!,
    ...(storeFaults > 0 ? { storage: faultyStore(storeFaults) } : {}),
    includeResolvedTools: true,
    maxLoaded: { tools: MOST_LOADED },
    metaTools: { unload: true },
    onEvent,
    filter: ({ toolName, tool, requestContext, phase }) => {
      const turn = turnOf(requestContext);
      if (!turn) return false;
      const isAllowed = turn.question(toolName, tool, phase);
      const delay = delayOf(turn.user, toolName);
      return delay === 0 ? isAllowed : setTimeout(delay, isAllowed);
    },
    ...options,
  });

  const answers = new Map<string, (call: ModelCall) => Promise<ModelReply>>();
  const model = scriptedModel((call) => {
    // It would keep them all.
    (model.calls as ModelCall[]).length = 0;
    const text = userText(call.prompt);
    const answer = answers.get(text);
    if (!answer) throw new Error(`"${text}" is of no conversation`);
    return answer(call);
  });
  const agent = new Agent({
    ...{ id: 'soak', name: 'Soak', instructions: 'You are there for all.', model, inputProcessors: [processor] },
    tools: ({ requestContext }) => (requestContext.get('turn') as Turn).tools as never,
  });
  new Mastra({ agents: { agent }, logger: false });

  /** Asks one request after the other in a thread of its own. */
  const converse = async (number: number): Promise<void> => {
    const profile = profileOf(number);
    const random = randomFrom(number + 1);
    const asked = new Set<string>();
    const think = (): Promise<void> => setTimeout(thinking.least + random() * (thinking.most - thinking.least));
    await think();
    for (let request = 0; goesOn(request); request++) {
      // What is loaded without a thread is gone with the request.
      if (profile.thread === undefined) asked.clear();
      const turn = new Turn({
        profile,
        number: request,
        shared: sharedNow(),
        asked,
        mostLoaded: MOST_LOADED,
        random,
        fault,
      });
      const text = `This is request ${turn.id}.`;
      const scenario = turn.scenario();
      answers.set(text, async (call) => {
        counts['model calls']++;
        turn.look(call);
        await think();
        turn.reach('model');
        turn.signal.throwIfAborted();
        const { value: toolCalls } = scenario.next();
        return toolCalls ? { toolCalls } : { text: `Done: ${turn.id}` };
      });
      counts.requests++;
      const settings = { requestContext: turn.context, abortSignal: turn.signal, maxSteps: MAX_STEPS };
      try {
        const output = await (request % 2 === 0
          ? agent.generate(text, settings)
          : agent.stream(text, settings).then((stream) => stream.getFullOutput()));
        const [wanted, ended] = turn.signal.aborted
          ? ['aborted', output.finishReason]
          : [`Done: ${turn.id}`, output.text];
        turn.expect(ended === wanted, `ended with "${ended}", not "${wanted}"`);
      } catch (error) {
        fault(`${turn.id}: ${error instanceof Error ? error.stack : String(error)}`);
      }
      turn.end();
      if (turn.signal.aborted) counts.aborted++;
      answers.delete(text);
    }
  };
  await Promise.all(Array.from({ length: conversations }, (_, number) => converse(number)));
  return { counts, faults };
}

/** A store that fails now and then, before or after it has done what it was asked. */
function faultyStore(share: number): LoadedToolStore {
  const store = memoryStore();
  const random = randomFrom(1);
  const faulty = async <Result>(work: () => Promise<Result> | Result): Promise<Result> => {
    const chance = random();
    if (chance < share / 2) throw new Error('out of order');
    const result = await work();
    if (chance < share) throw new Error('out of order behind its work');
    return result;
  };
  return {
    ...store,
    get: (scope) => faulty(() => store.get(scope)),
    add: (scope, names, settings) => faulty(() => store.add(scope, names, settings)),
  };
}
