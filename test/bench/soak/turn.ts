// One request of a conversation: what its model does, and what it may see, be sent and use.
import { RequestContext } from '@mastra/core/request-context';
import type { MastraTool, SearchToolsResult, ToolSearchFilterPhase } from '../../../src/index.ts';
import { type ModelCall, toolResults } from '../../support/scripted-model.ts';
import { pick, type Random } from '../speed/random.ts';
import { type Descriptions, isPermitted, ownerOf, ownTools, type Profile, toolsOf } from './users.ts';

/** Calls that the model makes in one step. */
type Calls = readonly { readonly toolName: string; readonly input: unknown }[];
const META_TOOLS = ['search_tools', 'load_tool', 'unload_tool'];
const ABORTS = ['model', 'search', 'load', 'call'] as const;
type AbortPoint = (typeof ABORTS)[number];

export interface TurnOptions {
  readonly profile: Profile;
  readonly number: number;
  /** The tools of all, as they are when the request begins. */
  readonly shared: Descriptions;
  /** Names that the conversation may have loaded: whatever its model loaded or called since it began. */
  readonly asked: Set<string>;
  readonly mostLoaded: number;
  readonly random: Random;
  readonly fault: (text: string) => void;
}

export class Turn {
  readonly id: string;
  readonly context: RequestContext;
  readonly tools: Readonly<Record<string, MastraTool>>;
  readonly #options: TurnOptions;
  readonly #own: Descriptions;
  readonly #catalog: Descriptions;
  readonly #abort = new AbortController();
  /** Tools that the user may not use any longer. */
  readonly #withdrawn = new Set<string>();
  /** What the last model call was sent. */
  #sent: readonly string[] = [];
  #abortAt: AbortPoint | undefined;
  #isOver = false;

  constructor(options: TurnOptions) {
    const { user, thread, id } = options.profile;
    this.id = `${id} ${options.number}`;
    this.#options = options;
    this.#own = ownTools(options.profile, options.number);
    this.#catalog = new Map([...options.shared, ...this.#own]);
    // Instances of this request only; the filter is shown whose they are.
    this.tools = toolsOf(this.#own, this.id, async (name, from) => this.run(name, from));
    const identity = thread === undefined ? {} : { mastra__threadId: thread, mastra__resourceId: user };
    this.context = new RequestContext<unknown>(Object.entries({ ...identity, turn: this }));
  }

  get shared(): Descriptions {
    return this.#options.shared;
  }

  get user(): string {
    return this.#options.profile.user;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** What is asked, reported or sent from now on is a fault. */
  end(): void {
    this.#isOver = true;
  }

  expect(isFine: boolean, text: string): void {
    if (!isFine) this.#options.fault(`${this.id}: ${text}`);
  }

  /** Something of the run goes on. It must not when the run is over. */
  goesOn(what: string): void {
    this.expect(!this.#isOver && !this.signal.aborted, `${what} after the end`);
  }

  /** Aborts the run, if that is to be here. */
  reach(point: AbortPoint): void {
    if (this.#abortAt === point) this.#abort.abort();
  }

  #may(name: string, ...phases: readonly ToolSearchFilterPhase[]): boolean {
    const isThere = this.#catalog.has(name) && !(phases.includes('active') && this.#withdrawn.has(name));
    return isThere && phases.every((phase) => isPermitted(this.user, name, phase));
  }

  /** The filter is asked on behalf of this request. */
  question(name: string, tool: MastraTool, phase: ToolSearchFilterPhase): boolean {
    this.goesOn(`the filter is asked (${phase}, ${name})`);
    const owner = this.#own.has(name) ? this.id : 'all';
    this.expect(ownerOf(tool) === owner, `the filter is shown ${tool.id} of ${ownerOf(tool)} as ${name}`);
    const isWanted = phase !== 'active' || this.#options.asked.has(name);
    this.expect(isWanted, `the filter is asked whether ${name} is sent, which was not loaded`);
    if (phase !== 'active') this.reach(phase);
    return this.#may(name, phase);
  }

  /** A tool is run. */
  run(name: string, from: string): unknown {
    this.goesOn(`a call of ${name}`);
    this.expect(from === this.id, `${name} is called by ${from}`);
    this.expect(this.#may(name, 'load', 'active'), `${name} is run, which may not be used`);
    this.reach('call');
    return this.#resultOf(name);
  }

  #resultOf(name: string): string {
    return `${name}, ${this.#own.has(name) ? 'own' : 'shared'}, by ${this.id}`;
  }

  /** Looks at all that the model received: nothing of others, and no tool that was not asked for or may not be used. */
  look({ prompt, tools }: ModelCall): void {
    this.goesOn('a model call');
    const { asked, mostLoaded, profile } = this.#options;
    const ids = JSON.stringify([prompt, tools]).match(/cv\d{3}|gr\d{2}/g) ?? [];
    const others = ids.filter((id) => id !== profile.id && id !== profile.group);
    this.expect(others.length === 0, `the model received something of ${[...new Set(others)]}`);
    this.#sent = tools.map(({ name }) => name).filter((name) => !META_TOOLS.includes(name));
    this.expect(this.#sent.length <= mostLoaded, `${this.#sent.length} tools are loaded`);
    for (const tool of tools.filter(({ name }) => this.#sent.includes(name))) {
      const isIts = tool.type === 'function' && tool.description === this.#catalog.get(tool.name);
      this.expect(isIts, `sent another ${tool.name}`);
      this.expect(asked.has(tool.name), `sent ${tool.name}, which was not loaded`);
      this.expect(this.#may(tool.name, 'active'), `sent ${tool.name}, which may not be used`);
    }
    for (const { toolName, value, isError } of toolResults(prompt)) {
      if (toolName === 'search_tools') this.#lookAtSearch(value as SearchToolsResult);
      else if (!META_TOOLS.includes(toolName) && !isError)
        this.expect(value === this.#resultOf(toolName), `${toolName} returns ${JSON.stringify(value)}`);
    }
  }

  #lookAtSearch({ results }: SearchToolsResult): void {
    for (const { name, description } of results) {
      this.expect(this.#may(name, 'search'), `a search shows ${name}, which is not for it`);
      this.expect(description === this.#catalog.get(name), `a search shows another ${name}: ${description}`);
    }
  }

  /** What the model does, step by step; what it was sent is looked at in between. */
  *scenario(): Generator<Calls, void> {
    const [name, second] = [this.#find('search', 'load', 'active'), this.#find('search', 'load', 'active')];
    const kind = pick(
      ['plain', 'plain', 'several', 'missed', 'denied', 'withdrawn', 'unloaded', 'aborted'],
      this.#random,
    );
    if (kind === 'missed') {
      yield this.#call(name);
      return yield this.#call(name);
    }
    if (kind === 'denied') {
      for (const phase of ['search', 'load', 'active'] as const) {
        const denied = this.#names().find((one) => !this.#may(one, phase));
        if (denied === undefined) continue;
        yield this.#search(denied);
        yield this.#load(denied);
        yield this.#call(denied);
      }
    }
    const point = kind === 'aborted' ? pick(ABORTS, this.#random) : undefined;
    this.#abortAt = point;
    const names = kind === 'several' ? [...new Set([name, second])] : [name];
    yield this.#search(...names);
    yield this.#load(...names);
    for (const one of names) this.expect(this.#sent.includes(one), `${one} is not sent, which was loaded`);
    if (kind === 'withdrawn') this.#withdrawn.add(name);
    yield this.#call(...names);
    if (kind === 'unloaded') {
      yield [{ toolName: 'unload_tool', input: { toolNames: [name] } }];
      this.expect(!this.#sent.includes(name), `${name} is sent, which was unloaded`);
    }
    // A tool that was loaded already asks no filter of a load again.
    this.expect(point === undefined || point === 'load', `the run goes on, though it was aborted (${point})`);
  }

  get #random(): Random {
    return this.#options.random;
  }

  /** All names in an order by chance, every second time those that the conversation brought along. */
  #names(): readonly string[] {
    const names = [...(this.#random() < 0.5 ? this.#own : this.#catalog).keys()];
    const first = Math.floor(this.#random() * names.length);
    return [...names.slice(first), ...names.slice(0, first)];
  }

  #find(...phases: readonly ToolSearchFilterPhase[]): string {
    return [...this.#names(), ...this.#catalog.keys()].find((name) => this.#may(name, ...phases))!;
  }

  /** By the words of their names. */
  #search(...names: readonly string[]): Calls {
    return [{ toolName: 'search_tools', input: { query: names.map((name) => name.replaceAll('_', ' ')) } }];
  }

  #load(...names: readonly string[]): Calls {
    for (const name of names) this.#options.asked.add(name);
    return [{ toolName: 'load_tool', input: { toolNames: names } }];
  }

  /** A tool that is not sent must not run, but is loaded for the next step where it may be. */
  #call(...names: readonly string[]): Calls {
    for (const name of names) this.#options.asked.add(name);
    return names.map((toolName) => ({ toolName, input: { from: this.id } }));
  }
}
