import { ChangeDetector } from './change-detector.ts';
import { hideTool, showTool } from './hiding.ts';

/**
 * Places among the tools of a step for those that the model calls without having been sent them. Mastra looks a call up
 * when the model has ended, by the keys of the step's tools and then by their ids: until then a place is empty, is sent to
 * nobody, and costs nothing.
 * `internals.ts` quotes the lines of Mastra that this leans on.
 */
export class PlaceholderTools {
  /** The places, by the keys under which the step has them. */
  readonly tools: Readonly<Record<string, object>>;
  /** The names of the tools that have a place. */
  readonly #taken = new Map<string, string>();
  readonly #keys: readonly string[];
  readonly #count: number;
  /** The places are of no use once a later processor changes the tools of the step. */
  readonly #detector = new ChangeDetector();
  readonly #detectorKey: string;
  #isAsked = false;

  /**
   * @param metaTool - the name of one, by which the keys of two processors differ.
   * @param count - the different tools that one answer of a model can call.
   * @param extra - the further names that are answered from a place.
   */
  constructor(metaTool: string, count: number, extra: number) {
    const all = count + extra;
    const places = Array.from({ length: all }, (_, n) => [`${metaTool}.${n}`, emptyPlace({})] as const);
    this.#count = count;
    this.#keys = places.map(([key]) => key);
    this.#detectorKey = `${metaTool}.${all}`;
    this.tools = { ...Object.fromEntries(places), [this.#detectorKey]: emptyPlace(this.#detector.tool) };
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

  /** Whether no place is taken. */
  get areEmpty(): boolean {
    return this.#taken.size === 0;
  }

  /** Whether the tool of this name has a place. */
  holds(name: string): boolean {
    return this.#taken.has(name);
  }

  /**
   * The answer for the list of active tools; undefined for other names.
   *
   * @param isAskedItself - whether it is the list itself that was asked.
   */
  shows(name: string, isAskedItself: () => boolean): boolean | undefined {
    if (!this.has(name)) return this.#taken.has(name) ? true : undefined;
    if (name === this.#detectorKey) this.#isAsked = isAskedItself();
    return [...this.#taken.values()].includes(name);
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

  /**
   * Puts a tool where Mastra finds it by its name.
   *
   * @param tool - in the form in which Mastra runs it.
   * @param isExtra - whether it may have one of the extra places.
   * @returns its key; undefined where there is no place left.
   */
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

function emptyPlace(place: object): object {
  hideTool(place);
  return place;
}

function clear(place: object): void {
  for (const field of Reflect.ownKeys(place)) Reflect.deleteProperty(place, field);
}
