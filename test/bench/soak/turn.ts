// One request of a conversation: what it may see and use, and what it is asked, told and sent.
import { RequestContext } from '@mastra/core/request-context';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import type { MastraTool, ToolSearchFilterPhase } from '../../../src/index.ts';
import { pick, type Random, randomFrom } from '../speed/random.ts';
import type { Ledger } from './ledger.ts';

/** Where a run is aborted. */
export type AbortPoint = 'model' | 'search' | 'load' | 'call';

interface TurnOptions {
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

// Tools of the constructor, and those that a conversation brings along, which differ from request to request.

export interface Described {
  readonly name: string;
  readonly description: string;
}

/** Who has a conversation, and what is special about it. */
export interface Profile {
  /** In every name and text that only this conversation may see. */
  readonly id: string;
  /** The same, for all conversations with the same tools. */
  readonly group: string;
  readonly number: number;
  readonly user: string;
  /** Absent for one that is anonymous. */
  readonly thread?: string;
}

const GROUPS = 20;
const VERBS = 'create update delete find send export archive approve print share restore count merge copy rename'.split(
  ' ',
);
const NOUNS = (
  'invoice customer ticket calendar email contract warehouse shipment payroll holiday report campaign dashboard ' +
  'repository password meeting voucher supplier survey photo'
).split(' ');

/** The tools of the constructor. */
export const SHARED: readonly Described[] = NOUNS.flatMap((noun) =>
  VERBS.map((verb) => ({
    name: `${verb}_${noun}`,
    description: `Can ${verb} the ${noun} that is named in the input.`,
  })),
);

/** Users have two conversations each, and thread ids are used by many users. */
export function profileOf(number: number): Profile {
  const id = `cv${String(number).padStart(3, '0')}`;
  const group = `gr${String(number % GROUPS).padStart(2, '0')}`;
  const profile = { id, group, number, user: `user-${Math.floor(number / 2)}` };
  return number % 10 === 9 ? profile : { ...profile, thread: `thread-${number % 7}` };
}

/** What a conversation brings along to one of its requests. */
function ownOf({ id, group, number }: Profile, request: number): readonly Described[] {
  const own = NOUNS.slice(0, 8).map((noun) => tool(`${noun}_statistics_${group}`, `Adds up each ${noun} of ${group}.`));
  // The same names in all groups, with other texts.
  for (const noun of NOUNS.slice(8, 11)) own.push(tool(`${noun}_digest`, `A digest of each ${noun} of ${group}.`));
  // In the place of tools of the constructor.
  for (const place of [7, 130]) {
    const { name } = SHARED[(place + 13 * (number % GROUPS)) % SHARED.length] as Described;
    own.push(tool(name, `Does ${name.replace('_', ' ')} as it is done in ${group}.`));
  }
  if (number % 4 === 1) {
    for (const noun of NOUNS.slice(0, 3)) own.push(tool(`${noun}_secret_${id}`, `Tells a ${noun} of ${id} alone.`));
  }
  // One more in each request, up to six, then one less.
  const changing = number % 5 === 2 ? Math.abs((request % 12) - 6) : 0;
  for (let page = 0; page < changing; page++) own.push(tool(`page_${page}_${id}`, `Reads page ${page} of ${id}.`));
  // So many that its index cannot be made of another's.
  const many = number % 40 === 7 ? 120 : 0;
  for (let one = 0; one < many; one++) own.push(tool(`record_${one}_${id}`, `Opens record ${one} of ${id}.`));
  return own;
}

function tool(name: string, description: string): Described {
  return { name, description };
}

/** Whose the tools of the constructor are. */
export const SHARED_OWNER = 'all';

const inputSchema = z.object({ from: z.string() });

/** @param owner - what the filter sees of a tool, by {@link ownerOf}: a request's own tools are of that request. */
export function toolOf(
  { name, description }: Described,
  owner: string,
  execute: (toolName: string, from: string, context: unknown) => Promise<unknown>,
): MastraTool {
  const run = ({ from }: { from: string }, context: unknown): Promise<unknown> => execute(name, from, context);
  const providerOptions = { soak: { owner } };
  return createTool({ id: name, description, inputSchema, providerOptions, execute: run } as never) as MastraTool;
}

function ownerOf(tool: MastraTool): unknown {
  return tool.providerOptions?.['soak']?.['owner'];
}

// What users may do: the same for the same user, tool and phase, whenever it is asked.

/** Shares that are denied. */
const DENIED: Readonly<Record<ToolSearchFilterPhase, number>> = { search: 0.1, load: 0.08, active: 0.06 };

function isPermitted(user: string, toolName: string, phase: ToolSearchFilterPhase): boolean {
  return shareOf(`${user} ${toolName} ${phase}`) >= DENIED[phase];
}

/** Milliseconds, 0 to 3, that the filter takes to answer. */
export function delayOf(user: string, toolName: string): number {
  return Math.floor(shareOf(`${user} ${toolName}`) * 4);
}

/** From 0 to 1, by a hash of the text (FNV-1a). */
function shareOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let position = 0; position < text.length; position++) {
    hash = Math.imul(hash ^ text.charCodeAt(position), 0x01000193);
  }
  return randomFrom(hash)();
}

/** What a conversation expects to be loaded: written anew from the documentation, not from the code. */
export class ExpectedLoads {
  readonly #most: number;
  /** In the order of the loads, over all requests. */
  #stored: readonly string[] = [];
  /** Names that the request has called or loaded, the latest last. */
  #used: readonly string[] = [];
  #isInCatalog: (name: string) => boolean = () => true;

  constructor(most: number) {
    this.#most = most;
  }

  /**
   * A request begins. What its catalog does not have waits for one that has; when that comes, something may have to go.
   *
   * @returns what is evicted.
   */
  begin(isInCatalog: (name: string) => boolean): readonly string[] {
    this.#isInCatalog = isInCatalog;
    this.#used = [];
    return this.#makeRoomFor(0);
  }

  get names(): readonly string[] {
    return this.#stored.filter((name) => this.#isInCatalog(name));
  }

  has(name: string): boolean {
    return this.names.includes(name);
  }

  /** Of names that are used at once, the one that was loaded last is the latest. */
  use(...names: readonly string[]): void {
    const used = names.toSorted((first, second) => this.#stored.indexOf(first) - this.#stored.indexOf(second));
    this.#used = [...this.#used.filter((name) => !used.includes(name)), ...used];
  }

  /** @param names - in the catalog, and not loaded. */
  load(names: readonly string[]): { readonly loaded: readonly string[]; readonly evicted: readonly string[] } {
    const loaded = names.slice(0, this.#most);
    const evicted = this.#makeRoomFor(loaded.length);
    this.#stored = [...this.#stored, ...loaded];
    return { loaded, evicted };
  }

  unload(names: readonly string[]): void {
    this.#stored = this.#stored.filter((name) => !names.includes(name));
  }

  /** The least recently used go, those that were not used in this request in the order of their loads. */
  #makeRoomFor(count: number): readonly string[] {
    const { names } = this;
    const byUse = names.toSorted((first, second) => this.#used.indexOf(first) - this.#used.indexOf(second));
    const evicted = byUse.slice(0, Math.max(0, names.length + count - this.#most));
    this.unload(evicted);
    return evicted;
  }
}
