/**
 * Placeholder tools, through which tools run that a step did not send, and the change detector among them.
 *
 * The detector detects whether Mastra sends the tools that a step returned, unchanged. A later processor or `prepareStep`
 * may wrap each tool, or remove tools by name. It cannot do that to a tool that is added after it ran; where it changed any
 * tool, none is added.
 *
 * One tool of the step is the detector. Mastra reads the step's tools with `Object.entries()` and tests each, in one go. What
 * stands between, such as a `Proxy` whose traps read the tools, is a function that is called in the middle of that, and
 * only its callers differ from Mastra's, so the callers are compared. A change in place is seen by the proxy. In
 * doubt, as on an engine that names no callers, the tools count as changed. `internals.ts` quotes the lines of Mastra that
 * this leans on.
 *
 * @module
 */
import { MASTRA_TOOL_MARKER } from '../catalog/tool.ts';
import { type ActiveTools, hideTool, showTool } from './hiding.ts';
import { watchers } from './marks.ts';

/**
 * Places among the tools of a step for those that the model calls without having been sent them. Mastra looks a call up
 * when the model has ended, by the keys of the step's tools and then by their ids: until then a place is empty, is sent to
 * nobody, and costs nothing.
 */
export class PlaceholderTools {
  /** The places, by the keys under which the step has them. */
  readonly tools: Readonly<Record<string, object>>;
  /** Keys of places, by the names of the tools that have them. */
  readonly #taken = new Map<string, string>();
  readonly #keys: readonly string[];
  readonly #count: number;
  readonly #detector = new ChangeDetector();
  readonly #detectorKey: string;
  #isAsked = false;

  /** As many different tools can one answer of a model call, and as many `extra` names are answered from a place. */
  constructor(metaTool: string, count: number, extra: number) {
    const all = count + extra;
    this.#count = count;
    this.#keys = Array.from({ length: all }, (_, n) => `${metaTool}.${n}`);
    this.#detectorKey = `${metaTool}.${all}`;
    const places = this.#keys.map((key) => [key, {}] as const);
    this.tools = { ...Object.fromEntries(places), [this.#detectorKey]: this.#detector.tool };
    for (const place of Object.values(this.tools)) hideTool(place);
  }

  /** Whether Mastra has the places: it asks about every tool of a step right before a request. */
  get isThere(): boolean {
    return this.#isAsked && this.isIntact;
  }

  /** Whether Mastra has the tools of the step as they were returned, with nothing around any of them. */
  get isIntact(): boolean {
    return this.#detector.isIntact;
  }

  has(key: string): boolean {
    return Object.hasOwn(this.tools, key);
  }

  get areEmpty(): boolean {
    return this.#taken.size === 0;
  }

  holds(name: string): boolean {
    return this.#taken.has(name);
  }

  /** Lets a list of active tools show what has a place, and nothing of the others. */
  showIn(visible: ActiveTools): void {
    visible.decideBy((name, asked) => {
      if (!this.has(name)) return this.#taken.has(name) ? true : undefined;
      // Whether it is the list itself that Mastra filters by.
      if (name === this.#detectorKey) this.#isAsked = asked.by === visible.list && isFiltering(asked.includes);
      return [...this.#taken.values()].includes(name);
    });
  }

  /**
   * Empties all places: the request is made again, or another one is. It has its tools by now, so that an empty place need
   * not look like a provider's any more: beside one, Mastra may run no tool before the model has ended.
   */
  empty(): void {
    for (const key of this.#taken.values()) clear(this.tools[key] as object);
    this.#taken.clear();
    for (const place of Object.values(this.tools)) showTool(place);
  }

  /** Puts a tool, in the form in which Mastra runs it, where Mastra finds it by its name: the key, where a place is left. */
  take(name: string, tool: object, isExtra = false): string | undefined {
    const taken = this.#taken.size;
    const key = this.#taken.get(name) ?? (isExtra || taken < this.#count ? this.#keys[taken] : undefined);
    if (key === undefined || this.#taken.has(name)) return key;
    const place = this.tools[key] as object;
    showTool(place);
    clear(place);
    Object.assign(place, tool, { id: name });
    this.#taken.set(name, key);
    return key;
  }
}

/** Whether every object has something of that name. */
export function isInherited(name: string): boolean {
  return name in {};
}

function clear(place: object): void {
  for (const field of Reflect.ownKeys(place)) Reflect.deleteProperty(place, field);
}

const detectors = new WeakMap<object, ChangeDetector>();

class ChangeDetector {
  readonly tool: object;
  /** Whether Mastra took the very record that {@link withDetectors} returned last, unchanged. */
  isIntact = false;
  isChanged = false;
  record: object | undefined;
  /** What reads the record with `Object.entries()`, until it has let others run. */
  reader: readonly Caller[] | undefined;
  /** Asked when Mastra takes the tools. */
  readonly areAsBefore: (() => boolean)[] = [];

  constructor() {
    const has = (target: object, key: PropertyKey): boolean => {
      if (key === MASTRA_TOOL_MARKER) {
        const [, ...tester] = callersOf(has);
        const isTaken = !this.isChanged && this.reader !== undefined && areSame(this.reader, tester);
        this.isIntact = isTaken && this.areAsBefore.every((ask) => ask());
      }
      return Reflect.has(target, key);
    };
    this.tool = Object.create(new Proxy({}, { has })) as object;
    detectors.set(this.tool, this);
    watchers.set(this.tool, withDetectors);
  }
}

/** Names that are asked of any object. */
const ASKED_OF_ALL: readonly PropertyKey[] = ['then', 'toJSON'];

/** A proxy of a step's tools that reports reads and changes to the detectors among them. */
function withDetectors<Tools extends Record<string, unknown>>(tools: Tools, received: object | undefined): Tools {
  const found = Object.values(tools).flatMap((tool) => detectors.get(tool as object) ?? []);
  const before = Object.values(tools).map((tool) => [tool, fieldsOf(tool)] as const);
  const areAsBefore = (): boolean =>
    before.every(([tool, fields]) => {
      const now = fieldsOf(tool);
      return now.length === fields.length && now.every((field, at) => field === fields[at]);
    });
  const changed = (): void => {
    for (const detector of found) detector.isChanged = true;
  };
  // Who asks for a tool by its name would do something with it if it were there.
  const noteAsked = (key: PropertyKey): void => {
    if (typeof key === 'string' && !Reflect.has(tools, key) && !ASKED_OF_ALL.includes(key)) changed();
  };
  const get = (target: Tools, key: PropertyKey, receiver: unknown): unknown => {
    noteAsked(key);
    const value: unknown = Reflect.get(target, key, receiver);
    const detector = detectors.get(value as object);
    if (detector) {
      const [entries, ...reader] = receiver === record ? callersOf(get) : [];
      detector.reader = entries && isBuiltIn(entries, 'entries') ? reader : undefined;
      queueMicrotask(() => {
        detector.reader = undefined;
      });
    }
    return value;
  };
  const record = new Proxy(tools, {
    get,
    has(target, key) {
      noteAsked(key);
      return Reflect.has(target, key);
    },
    getOwnPropertyDescriptor(target, key) {
      noteAsked(key);
      return Reflect.getOwnPropertyDescriptor(target, key);
    },
    deleteProperty(target, key) {
      changed();
      return Reflect.deleteProperty(target, key);
    },
    defineProperty(target, key, descriptor) {
      changed();
      return Reflect.defineProperty(target, key, descriptor);
    },
  });
  for (const detector of found) {
    // A record that is not made of its last one was made by somebody else.
    if (detector.record !== undefined && detector.record !== received) detector.isChanged = true;
    detector.record = record;
    detector.areAsBefore.push(areAsBefore);
  }
  return record;
}

function fieldsOf(tool: unknown): readonly unknown[] {
  if (typeof tool !== 'object' || tool === null) return [];
  return [
    Reflect.getPrototypeOf(tool),
    ...Reflect.ownKeys(tool).flatMap((key) => {
      const { value, get } = Reflect.getOwnPropertyDescriptor(tool, key) ?? {};
      return [key, value, get];
    }),
  ];
}

/** Enough to tell one place of a program from another. */
const CALLERS = 8;

/** A function on the stack; the part of V8's `CallSite` that is read here. */
interface Caller {
  getFunctionName(): string | null;
  getFileName(): string | null | undefined;
  getLineNumber(): number | null;
  getColumnNumber(): number | null;
}

/** What called a function that runs, the nearest first; nothing where the engine does not tell. */
function callersOf(called: (...args: never[]) => unknown): readonly Caller[] {
  const { stackTraceLimit, prepareStackTrace } = Error;
  const trace: { readonly stack?: unknown } = {};
  // An engine may have it that nobody sets these.
  Reflect.set(Error, 'stackTraceLimit', CALLERS);
  Reflect.set(Error, 'prepareStackTrace', (_: unknown, callers: unknown) => callers);
  try {
    Error.captureStackTrace?.(trace, called);
    return Array.isArray(trace.stack) ? trace.stack : [];
  } catch {
    return [];
  } finally {
    Reflect.set(Error, 'stackTraceLimit', stackTraceLimit);
    Reflect.set(Error, 'prepareStackTrace', prepareStackTrace);
  }
}

/** Whether it is a method of the language itself. */
function isBuiltIn(caller: Caller, name: string): boolean {
  return caller.getFunctionName() === name && !caller.getFileName();
}

/** Whether two calls were made by one function, of which one or the other of its lines may have made each. */
function areSame(some: readonly Caller[], others: readonly Caller[]): boolean {
  if (some.length === 0 || some.length !== others.length) return false;
  return some.every((caller, at) => {
    const other = others[at];
    if (!other || caller.getFunctionName() !== other.getFunctionName()) return false;
    if (caller.getFileName() !== other.getFileName()) return false;
    const isAtSame = caller.getLineNumber() === other.getLineNumber();
    return at === 0 || (isAtSame && caller.getColumnNumber() === other.getColumnNumber());
  });
}

/** Whether Mastra filters the tools by the list itself: a proxy of the list has a function of its own between. */
function isFiltering(includes: (name: string) => boolean): boolean {
  const [, filter, ...others] = callersOf(includes);
  return filter !== undefined && isBuiltIn(filter, 'filter') && !others.some((it) => isBuiltIn(it, 'filter'));
}
