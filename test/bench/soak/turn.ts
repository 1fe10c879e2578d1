// One request of a conversation: what it may see and use, and what it is asked, told and sent.
import { RequestContext } from '@mastra/core/request-context';
import type { MastraTool, ToolSearchFilterPhase } from '../../../src/index.ts';
import { pick, type Random } from '../speed/random.ts';
import { type Described, ownerOf, ownOf, type Profile, SHARED, SHARED_OWNER, toolOf } from './catalogs.ts';
import type { ExpectedLoads } from './expected-loads.ts';
import type { Ledger } from './ledger.ts';
import { isPermitted } from './rights.ts';

/** Where a run is aborted. */
export type AbortPoint = 'model' | 'search' | 'load' | 'call';

export interface TurnOptions {
  readonly profile: Profile;
  readonly number: number;
  readonly random: Random;
  readonly loads: ExpectedLoads;
  readonly ledger: Ledger;
}

export class Turn {
  readonly profile: Profile;
  /** The conversation and the number of the request. */
  readonly id: string;
  readonly random: Random;
  readonly loads: ExpectedLoads;
  readonly context: RequestContext;
  readonly tools: Readonly<Record<string, MastraTool>>;
  /** Tools that the user may not use any longer. */
  readonly withdrawn: Set<string> = new Set();
  /** Names that the model's last calls are about. */
  asked: readonly string[] = [];
  abortAt: AbortPoint | undefined;
  readonly #abort = new AbortController();
  readonly #ledger: Ledger;
  readonly #catalog: ReadonlyMap<string, Described>;
  #isOver = false;

  constructor({ profile, number, random, loads, ledger }: TurnOptions) {
    this.profile = profile;
    this.id = `${profile.id} ${number}`;
    this.loads = loads;
    this.random = random;
    this.#ledger = ledger;
    const own = ownOf(profile, number);
    this.#catalog = new Map([...SHARED, ...own].map((described) => [described.name, described]));
    // Instances of this request only; the filter is shown whose they are.
    const tools = own.map((described) => {
      const execute = async (name: string, from: string): Promise<unknown> => this.run(name, from, 'own');
      return [described.name, toolOf(described, this.id, execute)];
    });
    this.tools = Object.fromEntries(tools);
    const { user, thread } = profile;
    const identity =
      thread === undefined ? [] : [['mastra__threadId', thread] as const, ['mastra__resourceId', user] as const];
    this.context = new RequestContext<unknown>([...identity, ['turn', this]]);
    this.reckon('evictions', loads.begin((name) => this.#catalog.has(name)).length);
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** What is asked, told or sent from now on is a fault. */
  end(): void {
    this.#isOver = true;
  }

  fault(text: string): void {
    this.#ledger.fault(`${this.id}: ${text}`);
  }

  expect(isFine: boolean, text: () => string): void {
    if (!isFine) this.fault(text());
  }

  /** Something of the run goes on. It must not when the run is over. */
  goesOn(what: string): void {
    if (this.#isOver) this.fault(`${what} after the end`);
    else if (this.signal.aborted) this.fault(`${what} after it was aborted`);
  }

  /** Aborts the run, if that is to be here. */
  reach(point: AbortPoint): void {
    if (this.abortAt === point) this.#abort.abort();
  }

  get names(): readonly string[] {
    return [...this.#catalog.keys()];
  }

  describe(name: string): string | undefined {
    return this.#catalog.get(name)?.description;
  }

  may(name: string, ...phases: readonly ToolSearchFilterPhase[]): boolean {
    const isThere = this.#catalog.has(name) && !(phases.includes('active') && this.withdrawn.has(name));
    return isThere && phases.every((phase) => isPermitted(this.profile.user, name, phase));
  }

  /** Whether a load of it succeeds: what is loaded but hiddenTools cannot be loaded once more. */
  isLoadable(name: string): boolean {
    return this.may(name, 'load') && (!this.loads.has(name) || this.may(name, 'active'));
  }

  /** One of the tools for which this holds, every second time one that the conversation brought along. */
  find(holds: (name: string) => boolean): string | undefined {
    const names = this.random() < 0.5 ? Object.keys(this.tools) : this.names;
    const found = names.filter(holds);
    return found.length > 0 ? pick(found, this.random) : undefined;
  }

  /** A tool is run. */
  run(toolName: string, from: string, kind: 'own' | 'shared'): unknown {
    this.goesOn(`a call of ${toolName}`);
    this.expect(from === this.id, () => `${toolName} is called by ${from}`);
    this.expect(this.may(toolName, 'load', 'active'), () => `${toolName} is run, which may not be used`);
    this.#ledger.counts.calls += 1;
    this.reach('call');
    return this.resultOf(toolName, kind);
  }

  resultOf(toolName: string, kind: 'own' | 'shared' = Object.hasOwn(this.tools, toolName) ? 'own' : 'shared'): unknown {
    return { toolName, kind, by: this.id };
  }

  /** The filter is asked on behalf of this request. */
  question(toolName: string, tool: MastraTool, phase: ToolSearchFilterPhase): boolean {
    this.goesOn(`the filter is asked (${phase}, ${toolName})`);
    const owner = Object.hasOwn(this.tools, toolName) ? this.id : SHARED_OWNER;
    this.expect(ownerOf(tool) === owner, () => `the filter is shown ${tool.id} of ${ownerOf(tool)} as ${toolName}`);
    const isWanted = phase !== 'active' || this.loads.has(toolName) || this.asked.includes(toolName);
    this.expect(isWanted, () => `the filter is asked whether ${toolName} is sent, which was not loaded`);
    const isAllowed = this.may(toolName, phase);
    this.#ledger.counts.questions += 1;
    if (!isAllowed) this.#ledger.counts.denials += 1;
    if (phase !== 'active') this.reach(phase);
    return isAllowed;
  }

  /** So many events of a kind have to come. */
  reckon(kind: keyof Ledger['expected'], count: number): void {
    this.#ledger.expected[kind] += count;
  }
}
