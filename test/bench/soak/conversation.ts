import { setTimeout } from 'node:timers/promises';
import type { Agent } from '@mastra/core/agent';
import { type ModelCall, type ModelReply, toolNames, toolResults } from '../../support/scripted-model.ts';
import { type Random, randomFrom } from '../speed/random.ts';
import type { Ledger } from './ledger.ts';
import { type Action, type Scenario, scenarioOf } from './scenarios.ts';
import { ExpectedLoads, type Profile, profileOf, Turn } from './turn.ts';

/** Milliseconds that the model takes for an answer. */
export interface Thinking {
  readonly least: number;
  readonly most: number;
}

const META_TOOLS = ['search_tools', 'load_tool', 'unload_tool'];
const MAX_STEPS = 20;

/** A request under way. */
interface Run {
  readonly turn: Turn;
  readonly mode: ModelCall['mode'];
  readonly scenario: Scenario;
  /** How many calls the model has made. */
  calls: number;
  last?: Action;
}

/** Asks one request after the other in its own thread, and looks at everything that comes of them. */
export class Conversation {
  readonly profile: Profile;
  readonly #most: number;
  readonly #thinking: Thinking;
  readonly #ledger: Ledger;
  readonly #random: Random;
  #loads: ExpectedLoads;
  #requests = 0;
  #run: Run | undefined;

  /** @param most - tools that may be loaded. */
  constructor(number: number, most: number, thinking: Thinking, ledger: Ledger) {
    this.profile = profileOf(number);
    this.#most = most;
    this.#thinking = thinking;
    this.#ledger = ledger;
    this.#random = randomFrom(number + 1);
    this.#loads = new ExpectedLoads(most);
  }

  async converse(agent: Agent, goesOn: (requests: number) => boolean): Promise<void> {
    await this.#think();
    while (goesOn(this.#requests)) {
      try {
        await this.#request(agent);
      } catch (error) {
        this.#ledger.fault(`${this.profile.id}: ${error instanceof Error ? error.stack : String(error)}`);
      }
    }
  }

  async #request(agent: Agent): Promise<void> {
    const { profile } = this;
    // What is loaded without a thread is gone with the request.
    if (profile.thread === undefined) this.#loads = new ExpectedLoads(this.#most);
    const number = this.#requests++;
    const turn = new Turn({ profile, number, random: this.#random, loads: this.#loads, ledger: this.#ledger });
    const mode = number % 2 === 0 ? 'generate' : 'stream';
    this.#run = { turn, mode, scenario: scenarioOf(turn), calls: 0 };
    this.#ledger.counts.requests += 1;
    const options = { requestContext: turn.context, abortSignal: turn.signal, maxSteps: MAX_STEPS };
    const text = `This is request ${turn.id}.`;
    const { finishReason, text: answer } = await (mode === 'generate'
      ? agent.generate(text, options)
      : agent.stream(text, options).then((output) => output.getFullOutput()));
    turn.end();
    this.#run = undefined;
    if (turn.signal.aborted) this.#ledger.counts.aborted += 1;
    const ending = turn.signal.aborted ? 'aborted' : 'stop';
    turn.expect(finishReason === ending, () => `ended with ${finishReason}, not ${ending}`);
    if (ending === 'stop') turn.expect(answer === `Done: ${turn.id}`, () => `was answered "${answer}"`);
  }

  /** The model is called, with something of this conversation as the user's text. */
  async answer(call: ModelCall, text: string): Promise<ModelReply> {
    const run = this.#run;
    if (!run) throw new Error(`A model call of ${this.profile.id}, which has no request`);
    const { turn, scenario } = run;
    turn.goesOn('a model call');
    turn.expect(text === `This is request ${turn.id}.`, () => `the user's text is "${text}"`);
    turn.expect(call.mode === run.mode, () => `${run.mode} became ${call.mode}`);
    this.#ledger.counts.modelCalls += 1;
    this.#look(run, call);
    await this.#think();
    if (run.calls > 0) turn.reach('model');
    turn.signal.throwIfAborted();
    const { value: action } = scenario.next();
    if (!action) return { text: `Done: ${turn.id}` };
    run.last = action;
    run.calls += action.calls.length;
    turn.asked = action.names;
    return { toolCalls: action.calls };
  }

  /** Looks at what the model received. */
  #look({ turn, last, calls }: Run, call: ModelCall): void {
    this.#findOthers(turn, JSON.stringify([call.prompt, call.tools]));
    const results = toolResults(call.prompt);
    turn.expect(results.length === calls, () => `${results.length} results of ${calls} calls`);
    if (last && results.length >= last.calls.length) last.check(results.slice(-last.calls.length));
    const sent = turn.loads.names.filter((name) => turn.may(name, 'active'));
    const names = toolNames(call);
    const expected = [...META_TOOLS, ...sent];
    turn.expect(names.join() === expected.join(), () => `sent ${names.slice(3)}, not ${sent}`);
    turn.expect(turn.loads.names.length <= this.#most, () => `${turn.loads.names.length} tools are loaded`);
    for (const tool of call.tools.slice(META_TOOLS.length)) {
      const isIts = tool.type === 'function' && tool.description === turn.describe(tool.name);
      turn.expect(isIts, () => `sent another ${tool.name}`);
    }
  }

  /** Ids of other conversations and groups. */
  #findOthers(turn: Turn, text: string): void {
    const { id, group } = this.profile;
    const others = (text.match(/cv\d{3}|gr\d{2}/g) ?? []).filter((found) => found !== id && found !== group);
    turn.expect(others.length === 0, () => `the model received something of ${[...new Set(others)]}`);
  }

  async #think(): Promise<void> {
    const { least, most } = this.#thinking;
    await setTimeout(least + this.#random() * (most - least));
  }
}
