import type { RequestContext } from '@mastra/core/request-context';
import type { Catalog, CatalogEntry } from '../../catalog/catalog.ts';
import type { MastraTool } from '../../catalog/tool.ts';
import { ToolSearchError } from '../../errors.ts';
import type { PinOperation } from '../../events/reasons.ts';
import type { Reporter } from '../../events/reporter.ts';
import type { Guard } from '../../filter/permissions.ts';
import type { Asker } from '../../filter/questions.ts';
import { identifyRequest } from '../../loaded/identity.ts';
import type { Step } from '../../step/step.ts';
import {
  type Definition,
  type DefinitionPin,
  difference,
  digestOf,
  isStub,
  pinName,
  pinOf,
  readDefinition,
  stubName,
} from '../../trust/definition.ts';
import { type Suspicion, suspicionIn } from '../../trust/suspicion.ts';
import { Lru } from '../../util/lru.ts';
import type { MaybePromise } from '../../util/maybe-promise.ts';
import { asRecord } from '../../util/record.ts';
import { cleanName } from '../../util/text.ts';
import { CHUNK, inSlices, type SlicedWork } from '../../util/time-slices.ts';
import { inTime } from '../../util/timeout.ts';
import type { Feature } from '../feature.ts';
import type { ResolvedTrust } from './options.ts';

/** Milliseconds after which the pins of a scope are read again: normally, while definitions wait, and after a failed read. */
const FRESH = 60_000;
const FRESH_WAITING = 5_000;
const FRESH_FAILED = 2_000;
/** Milliseconds after which the same finding is reported again. */
const REPORTED = 600_000;
/** Milliseconds for which a lazy tool stays hidden after its definition was withheld. Then the tool is resolved again. */
const HIDDEN = 60_000;
/** Minimum milliseconds between two reads of the store that unexpected definitions cause. */
const REREAD = 1_000;
const MAX_SCOPES = 1_000;
/** Limit of the definitions whose check for suspicious text is cached. */
const MAX_LOOKED = 50_000;
/** Limit, for each scope, of the names with remembered reports, and of the names with waiting definitions. */
const MAX_REPORTED = 10_000;
/** Limit, for each name, of the waiting and of the reported definitions. The latest are kept. */
const MAX_WAITING = 10;

/** The key of the scope that all requests share. */
const EVERYBODY = 'global';

type Subject = Pick<CatalogEntry, 'name' | 'tool'>;

/** What was read from a tool object. */
interface Known {
  readonly name: string;
  readonly description: unknown;
  readonly inputSchema: unknown;
  readonly server: string;
  /** Empty for a definition that cannot be read. */
  readonly digest: string;
  readonly suspicion: Suspicion | undefined;
}

interface Scope {
  /** The key of the scope in the store. */
  readonly key: string;
  /** The return value of the option `pins.scope`; undefined if the option is `'global'`. */
  readonly tenant: string | undefined;
  pins: Map<string, DefinitionPin>;
  /** The servers with pinned definitions. */
  servers: ReadonlySet<string>;
  readAt: number;
  /** Whether no read of the pins has succeeded yet. */
  isUnknown: boolean;
  isFailed: boolean;
  reading: Promise<void> | undefined;
  /** Definitions that wait to be accepted, by name and digest. */
  readonly waiting: Lru<Map<string, DefinitionPin>>;
  waitingCount: number;
  /** Times of reports, by name, then by change and digest. */
  readonly reported: Lru<Map<string, number>>;
  /** When hiding ends, by the name of a lazy tool whose definition is withheld. */
  readonly hidden: Map<string, number>;
}

/** The result of reviewing a catalog against these pins. */
interface Review {
  readonly pins: ReadonlyMap<string, DefinitionPin>;
  /** Whether no definition was changed, new, unknown or suspicious. */
  readonly isClean: boolean;
}

/** The cached check of a definition. The digest, which is the key, does not cover the instructions of the server. */
interface Looked {
  readonly serverInstructions: string;
  readonly suspicion: Suspicion | undefined;
}

type Change = 'same' | 'changed' | 'new' | 'unknown';

interface Judged {
  readonly change: Change;
  readonly known: Known;
  readonly suspicion: Suspicion | undefined;
}

/**
 * Implements the options `pins` and `onSuspicious`: reports and withholds definitions that differ from their pins or
 * instruct the model. This class is also the filter's guard: it denies withheld tools in every phase, before the filter
 * is asked.
 */
export class DefinitionTrust implements Feature, Guard {
  readonly #options: ResolvedTrust;
  readonly #timeout: number;
  readonly #isOverSource: boolean;
  readonly #reporter: Reporter;
  readonly #known = new WeakMap<MastraTool, Known>();
  readonly #scopes = new Lru<Scope>(MAX_SCOPES);
  /** The last review of each catalog, by scope. */
  readonly #reviewed = new WeakMap<Catalog, WeakMap<Scope, Review>>();
  /** Checked definitions, by digest and not by tool object: each run may create new objects. */
  readonly #suspicions = new Lru<Looked>(MAX_LOOKED);

  /** @param timeout - milliseconds that the store may take for one operation. */
  constructor(options: ResolvedTrust, timeout: number, isOverSource: boolean, reporter: Reporter) {
    this.#options = options;
    this.#timeout = timeout;
    this.#isOverSource = isOverSource;
    this.#reporter = reporter;
  }

  /** Whether anything may be withheld. If not, the filter need not ask this guard. */
  get withholds(): boolean {
    return Object.values(this.#options.withholds).includes(true);
  }

  useMastra(mastra: unknown): void {
    try {
      this.#options.store.useMastra?.(mastra);
    } catch (error) {
      this.#failed('useMastra', error, {});
    }
  }

  async begin({ catalog, permissions, origin }: Step): Promise<void> {
    await this.review(catalog, { ...permissions.asker, origin });
  }

  async beginRun(catalog: Catalog, requestContext: RequestContext | undefined): Promise<void> {
    await this.review(catalog, { requestContext });
  }

  /** Reviews a whole catalog, so that definitions seen for the first time are pinned at once. Never rejects. */
  async review(catalog: Catalog, asker: Asker): Promise<void> {
    const scope = this.#scopeOf(asker);
    if (!scope || !catalog.isComplete) return;
    await this.#read(scope, asker);
    const reviewed = this.#reviewed.get(catalog) ?? new WeakMap<Scope, Review>();
    this.#reviewed.set(catalog, reviewed);
    if (reviewed.get(scope)?.pins === scope.pins) return;
    await this.#reviewAll(catalog.entries, scope, asker);
    if (scope.isFailed) return;
    const isClean = (await inSlices(this.#odd(catalog.entries, scope))).length === 0;
    reviewed.set(scope, { pins: scope.pins, isClean });
  }

  allowsAll(catalog: Catalog, asker: Asker): boolean {
    const scope = this.#scopeOf(asker);
    const review = scope && this.#reviewed.get(catalog)?.get(scope);
    return review?.isClean === true && review.pins === scope?.pins && !scope.isFailed && scope.hidden.size === 0;
  }

  allows(subject: Subject, asker: Asker): MaybePromise<boolean> {
    const scope = this.#scopeOf(asker);
    if (!scope) return !this.withholds;
    if (this.#isFresh(scope)) {
      const judged = this.#judge(subject, scope);
      if (judged.change !== 'unknown') return this.#decide(subject, judged, scope, asker);
    }
    return this.#allowsLater(subject, scope, asker);
  }

  async #allowsLater(subject: Subject, scope: Scope, asker: Asker): Promise<boolean> {
    await this.#read(scope, asker);
    await this.#reviewAll([subject], scope, asker);
    return !this.#isWithheld(subject, this.#judge(subject, scope), scope);
  }

  /** Whether the resolved definition of a lazy tool may be used. */
  async allowsResolved(subject: Subject, asker: Asker): Promise<boolean> {
    const isAllowed = await this.allows(subject, asker);
    const scope = this.#scopeOf(asker);
    if (isAllowed || !this.withholds) scope?.hidden.delete(subject.name);
    else scope?.hidden.set(subject.name, Date.now() + HIDDEN);
    return isAllowed;
  }

  /** Pins a waiting definition. @throws ToolSearchError `invalid-option`, and what the store throws. */
  async accept(name: string, digest: string | undefined, tenant: string | undefined): Promise<void> {
    const key = keyOfTenant(tenant);
    const scope = this.#scopes.get(key);
    const found = [name, stubName(name)].flatMap((one) =>
      [...(scope?.waiting.get(one)?.values() ?? [])].map((pin) => [one, pin] as const),
    );
    const asked = found.filter(([, pin]) => digest === undefined || pin.digest === digest);
    const refuse = (fact: string): never => {
      throw new ToolSearchError('invalid-option', `acceptDefinition(${JSON.stringify(cleanName(name))}): ${fact}`);
    };
    if (!scope || asked.length === 0) {
      const waiting = found.length > 0 ? ` There waits ${found.map(([, pin]) => pin.digest).join(', ')}.` : '';
      return refuse(
        `no such definition waits${tenant === undefined ? '' : ` in the scope ${JSON.stringify(cleanName(tenant))}`}.${waiting} The event tells name, digest and scope.`,
      );
    }
    const perKey = new Set(asked.map(([one]) => one));
    if (perKey.size < asked.length)
      refuse(
        `several definitions were seen. Name the digest of the one that you looked at: ${asked.map(([, pin]) => pin.digest).join(', ')}.`,
      );
    const pins = new Map(asked.map(([one, pin]) => [one, { ...pin, accepted: true } as const]));
    await this.#options.store.replace(key, pins);
    scope.pins = new Map([...scope.pins, ...pins]);
    for (const one of perKey) {
      scope.waiting.drop(one, scope.waiting.get(one));
      scope.reported.drop(one, scope.reported.get(one));
      scope.waitingCount = Math.max(0, scope.waitingCount - 1);
    }
    scope.hidden.delete(name);
  }

  #scopeOf(asker: Asker): Scope | undefined {
    const { scope: option } = this.#options;
    let key: unknown = EVERYBODY;
    if (option !== 'global') {
      const { requestContext } = asker;
      try {
        key = option({ ...identifyRequest({ requestContext }), ...(requestContext ? { requestContext } : {}) });
        if (key instanceof Promise) key.catch(() => {});
        if (key !== undefined && key !== null && typeof key !== 'string')
          throw new TypeError(`pins.scope() has to return a text or undefined, at once; it returned a ${typeof key}`);
      } catch (error) {
        this.#failed('scope', error, asker);
        return undefined;
      }
    }
    if (typeof key !== 'string' || key === '') return undefined;
    return this.#scope(option === 'global' ? undefined : key);
  }

  #scope(tenant: string | undefined): Scope {
    const key = keyOfTenant(tenant);
    const scope = this.#scopes.get(key) ?? newScope(key, tenant);
    this.#scopes.set(key, scope);
    return scope;
  }

  #isFresh({ isFailed, isUnknown, readAt, waitingCount }: Scope): boolean {
    if (!this.#options.isPinned) return true;
    const limit = isFailed ? FRESH_FAILED : waitingCount > 0 ? FRESH_WAITING : FRESH;
    return (!isUnknown || isFailed) && Date.now() - readAt < limit;
  }

  /** Reads the pins of a scope if the known pins are too old. A failure is reported and keeps the known pins. */
  async #read(scope: Scope, asker: Asker, isNeeded = !this.#isFresh(scope)): Promise<void> {
    if (!isNeeded) return scope.reading;
    scope.reading ??= this.#readNow(scope, asker).finally(() => {
      scope.reading = undefined;
    });
    await scope.reading;
  }

  async #readNow(scope: Scope, asker: Asker): Promise<void> {
    const pins = await this.#attempt('read', async (store) => pinsFrom(await store.read(scope.key)), asker);
    scope.readAt = Date.now();
    scope.isFailed = pins === undefined;
    if (!pins) return;
    scope.isUnknown = false;
    // Keeping the same Map tells reviews that no pin has changed.
    if (!samePins(scope.pins, pins)) scope.pins = pins;
    scope.servers = new Set([...pins.values()].map(({ server = '' }) => server));
  }

  async #attempt<Value>(
    operation: PinOperation,
    task: (store: ResolvedTrust['store']) => Promise<Value>,
    asker: Asker,
  ): Promise<Value | undefined> {
    try {
      return await inTime(task(this.#options.store), this.#timeout);
    } catch (error) {
      this.#failed(operation, error, asker);
      return undefined;
    }
  }

  #failed(operation: PinOperation, error: unknown, { origin }: Asker): void {
    const { changed, new: added } = this.#options.withholds;
    this.#reporter.report({ type: 'pins-failed', operation, withheld: changed || added, error }, origin);
  }

  /** Pins definitions seen for the first time. Reports changed, new and suspicious ones. Never rejects. */
  async #reviewAll(subjects: Iterable<Subject>, scope: Scope, asker: Asker): Promise<void> {
    const start = Date.now();
    let odd = await inSlices(this.#odd(subjects, scope));
    // Another replica may have accepted a definition since the last read.
    if (this.#options.isPinned && start - scope.readAt > REREAD && odd.some(({ change }) => change !== 'same')) {
      await this.#read(scope, asker, true);
      odd = await inSlices(
        this.#odd(
          odd.map(({ subject }) => subject),
          scope,
        ),
      );
    }
    const first = new Map<string, DefinitionPin>();
    for (const { subject, ...judged } of odd) {
      if (judged.change === 'unknown' || (judged.change === 'new' && !this.#options.withholds.new)) {
        const pin = this.#pinOf(subject);
        if (pin) first.set(pinName(subject), pin);
      }
      if (judged.change !== 'unknown' || judged.suspicion) this.#decide(subject, judged, scope, asker);
    }
    if (first.size === 0 || scope.isFailed || !this.#options.isPinned) return;
    const isAdded = await this.#attempt(
      'add',
      async (store) => {
        await store.add(scope.key, first);
        return true;
      },
      asker,
    );
    // Another replica may have pinned other definitions first.
    if (isAdded) await this.#read(scope, asker, true);
    else scope.isFailed = true;
    const lost = scope.isFailed ? undefined : [...first.keys()].find((name) => !scope.pins.has(name));
    if (lost === undefined) return;
    scope.isFailed = true;
    this.#failed('add', new Error(`The store has not kept the pin of ${JSON.stringify(cleanName(lost))}`), asker);
  }

  *#odd(subjects: Iterable<Subject>, scope: Scope): SlicedWork<readonly (Judged & { readonly subject: Subject })[]> {
    const odd: (Judged & { readonly subject: Subject })[] = [];
    let count = 0;
    for (const subject of subjects) {
      const judged = this.#judge(subject, scope);
      if (judged.change !== 'same' || judged.suspicion) odd.push({ ...judged, subject });
      if (++count % CHUNK === 0) yield;
    }
    return odd;
  }

  #judge(subject: Subject, scope: Scope): Judged {
    const { isPinned, store } = this.#options;
    const known = this.#knownOf(subject);
    const pin = scope.pins.get(pinName(subject));
    const isSame = pin !== undefined && pin.digest === known.digest && sameServer(pin, known);
    const suspicion = isSame && pin.accepted ? undefined : known.suspicion;
    if (!isPinned || isSame) return { change: 'same', known, suspicion };
    if (pin || known.digest === '') return { change: 'changed', known, suspicion };
    // The resolved definition of a pinned lazy tool is not new.
    const isKnown = scope.pins.has(stubName(subject.name));
    const isOfServer = !this.#isOverSource && known.server !== '' && scope.servers.has(known.server);
    const isNew = store.isLocked === true || (isOfServer && !isKnown);
    return { change: isNew && !scope.isUnknown ? 'new' : 'unknown', known, suspicion };
  }

  #isWithheld({ name, tool }: Subject, { change, suspicion }: Judged, scope: Scope): boolean {
    const { withholds } = this.#options;
    if (suspicion && withholds.suspicious) return true;
    if (change === 'unknown') return withholds.changed || withholds.new;
    if (change === 'new') return withholds.new;
    if (change === 'changed') return withholds.changed;
    return isStub(tool) && (scope.hidden.get(name) ?? 0) > Date.now();
  }

  /** Whether the tool is permitted. Reports a changed, new or suspicious definition. */
  #decide(subject: Subject, judged: Judged, scope: Scope, asker: Asker): boolean {
    const isWithheld = this.#isWithheld(subject, judged, scope);
    if (judged.change === 'same' && !judged.suspicion) return !isWithheld;
    const { known, change, suspicion } = judged;
    const key = pinName(subject);
    const reportKey = `${change} ${known.digest}`;
    const now = Date.now();
    const reported = scope.reported.get(key) ?? new Map<string, number>();
    if (now - (reported.get(reportKey) ?? 0) < REPORTED) return !isWithheld;
    keepLast(reported.set(reportKey, now));
    scope.reported.set(key, reported);
    const after = this.#pinOf(subject);
    if (after) {
      const waiting = scope.waiting.get(key) ?? new Map<string, DefinitionPin>();
      if (waiting.size === 0) scope.waitingCount += 1;
      waiting.delete(after.digest);
      keepLast(waiting.set(after.digest, after));
      scope.waiting.set(key, waiting);
    }
    const of = {
      toolName: subject.name,
      ...(known.server === '' ? {} : { server: cleanName(known.server) }),
      digest: after?.digest ?? '',
      ...(scope.tenant === undefined ? {} : { scope: scope.tenant }),
      withheld: isWithheld,
    };
    if (change === 'changed' || change === 'new') {
      const before = scope.pins.get(key);
      const diff = after && before ? difference(before, after) : after ? '' : 'it cannot be read';
      this.#reporter.report({ type: 'definition-changed', ...of, change, diff }, asker.origin);
    }
    if (suspicion) {
      const { rule, path = '', evidence } = suspicion;
      this.#reporter.report({ type: 'definition-suspicious', ...of, rule, path, evidence }, asker.origin);
    }
    return !isWithheld;
  }

  /** Reads a tool object once, and again if its name, description or input schema was replaced. */
  #knownOf({ name, tool }: Subject): Known {
    const known = this.#known.get(tool);
    const [description, inputSchema] = surfaceOf(tool);
    if (known && known.name === name && known.description === description && known.inputSchema === inputSchema)
      return known;
    const read = this.#readTool(name, tool, description, inputSchema);
    this.#known.set(tool, read);
    return read;
  }

  #readTool(name: string, tool: MastraTool, description: unknown, inputSchema: unknown): Known {
    const surface = { name, description, inputSchema };
    try {
      const definition = readDefinition(name, tool);
      const after = surfaceOf(tool);
      // A tool whose getters return other values at each read has no definition that a digest could pin.
      if (definition.description !== (description ?? '') || after[0] !== description || after[1] !== inputSchema)
        return { ...surface, server: definition.server, digest: '', suspicion: undefined };
      const digest = digestOf(definition);
      return { ...surface, server: definition.server, digest, suspicion: this.#suspicionIn(definition, digest) };
    } catch {
      return { ...surface, server: '', digest: '', suspicion: undefined };
    }
  }

  #suspicionIn(definition: Definition, digest: string): Suspicion | undefined {
    if (!this.#options.looksForSuspicious) return undefined;
    const { serverInstructions } = definition;
    const looked = this.#suspicions.get(digest);
    if (looked?.serverInstructions === serverInstructions) return looked.suspicion;
    const suspicion = suspicionIn(definition);
    this.#suspicions.set(digest, { serverInstructions, suspicion });
    return suspicion;
  }

  #pinOf({ name, tool }: Subject): DefinitionPin | undefined {
    try {
      const pin = pinOf(readDefinition(name, tool));
      // A definition that differs at each read cannot be pinned.
      return pin.digest === this.#knownOf({ name, tool }).digest ? pin : undefined;
    } catch {
      return undefined;
    }
  }
}

/** @throws TypeError for values that are not pins: a store that cannot be read must not count as one without pins. */
function pinsFrom(given: ReadonlyMap<string, unknown>): Map<string, DefinitionPin> {
  const pins = new Map<string, DefinitionPin>();
  for (const [name, value] of new Map(given)) {
    const { digest, server, description = '', parts } = asRecord(value) ?? {};
    if ([digest, server ?? '', description].some((text) => typeof text !== 'string'))
      throw new TypeError(`The pin of ${JSON.stringify(cleanName(String(name)))} cannot be read`);
    pins.set(name, {
      ...(value as DefinitionPin),
      parts: (asRecord(parts) ?? {}) as DefinitionPin['parts'],
      description: description as string,
    });
  }
  return pins;
}

/** The key of a tenant in the store. Without a tenant, the key of the scope that all requests share. */
function keyOfTenant(tenant: string | undefined): string {
  return tenant === undefined ? EVERYBODY : `tenant:${tenant}`;
}

function newScope(key: string, tenant: string | undefined): Scope {
  return {
    ...{ key, tenant, pins: new Map<string, DefinitionPin>(), servers: new Set<string>(), readAt: 0 },
    ...{ isUnknown: true, isFailed: false, reading: undefined, waitingCount: 0 },
    waiting: new Lru(MAX_REPORTED),
    reported: new Lru(MAX_REPORTED),
    hidden: new Map(),
  };
}

function keepLast(definitions: Map<string, unknown>): void {
  for (const oldest of definitions.keys()) {
    if (definitions.size <= MAX_WAITING) break;
    definitions.delete(oldest);
  }
}

function sameServer(pin: DefinitionPin, { server }: Known): boolean {
  return server === '' || pin.server === undefined || pin.server === server;
}

function samePins(one: ReadonlyMap<string, DefinitionPin>, other: ReadonlyMap<string, DefinitionPin>): boolean {
  if (one.size !== other.size) return false;
  for (const [name, { digest, accepted, server }] of one) {
    const pin = other.get(name);
    if (pin?.digest !== digest || pin.accepted !== accepted || pin.server !== server) return false;
  }
  return true;
}

/** The parts of a tool that show cheaply whether the tool has changed since it was read. */
function surfaceOf(tool: MastraTool): readonly [description: unknown, inputSchema: unknown] {
  try {
    const { description, inputSchema } = tool as { readonly description?: unknown; readonly inputSchema?: unknown };
    return [description, inputSchema];
  } catch {
    return [undefined, undefined];
  }
}
