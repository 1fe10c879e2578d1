import { createCatalog } from '../catalog/build-catalog.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { GroupOf } from '../catalog/document-cache.ts';
import { Groups } from '../catalog/groups.ts';
import { refuseUnknownNames } from '../catalog/names.ts';
import { RequestCatalogs } from '../catalog/request-catalog.ts';
import { stubOf } from '../catalog/stub.ts';
import { Stubs } from '../catalog/stubs.ts';
import { isToolSource, type ToolSource } from '../catalog/tool-source.ts';
import type { ToolsFunction } from '../catalog/tools-function.ts';
import { checkOption } from '../errors.ts';
import type { Reporter } from '../events/reporter.ts';
import { Policy } from '../filter/policy.ts';
import type { Learning } from '../learning/learning.ts';
import { CutRuns } from '../loaded/conversation/cut-runs.ts';
import { PROVIDER_SEARCHES } from '../loaded/conversation/provider-searches.ts';
import { LoadedTools } from '../loaded/loaded-tools.ts';
import { Registry } from '../loaded/registry.ts';
import { Handover } from '../mastra/handover.ts';
import { isHandled } from '../mastra/marks.ts';
import type { Sendability } from '../mastra/sendability.ts';
import type { Services } from '../meta-tools/step.ts';
import { CallMode } from '../modes/call-mode.ts';
import { NativeMode } from '../modes/native-mode.ts';
import type { ResolvedOptions } from '../options/options.ts';
import { Indexes } from '../search/indexes.ts';
import { Chunk } from './chunk.ts';
import { loadCatalogs } from './load-catalogs.ts';
import { loadLearning } from './load-learning.ts';
import { loadPreselect } from './load-preselect.ts';
import type { Preselect } from './preselect/preselect.ts';
import { Requests } from './request/requests.ts';
import { RunCatalogs } from './run-catalogs.ts';

type MissMode = typeof import('../modes/call/run-misses.ts');

/** The parts of one processor, put together from its options. Lower rooms see those of {@link Services}. */
export class ProcessorServices implements Services {
  readonly options: ResolvedOptions;
  readonly reporter: Reporter;
  readonly policy: Policy;
  readonly registry: Registry;
  readonly indexes: Indexes;
  readonly groups: Groups;
  readonly stubs: Stubs;
  readonly requests: Requests;
  readonly loadedTools: LoadedTools;
  readonly handover: Handover;
  readonly sendability: Sendability;
  /** The constructor's tools; empty where these are resolved for each run. */
  readonly catalog: Catalog;
  readonly runCatalogs: RunCatalogs;
  /** The name of the carrier for tools of a source that a run finds. */
  readonly spareName: string;
  readonly requestCatalogs: RequestCatalogs;
  readonly cutRuns: CutRuns;
  /** Native mode; undefined in every other. */
  readonly native: NativeMode | undefined;
  /** Preselect, where its code is there; undefined where it is off. */
  readonly preselect: Promise<Preselect | undefined> | undefined;
  /** What is learned from use, where its code is there; undefined where it is off. */
  readonly learning: Promise<Learning | undefined> | undefined;
  /** Call mode; undefined in every other. */
  readonly call: CallMode | undefined;
  /** What lets calls of tools run that were not sent; undefined where none does. A run loads it as it begins. */
  readonly misses: Chunk<MissMode> | undefined;

  #reports: Promise<typeof import('./reports.ts') | undefined> | undefined;

  /** @param processor - the one that agents have. */
  constructor(options: ResolvedOptions, reporter: Reporter, processor: object) {
    const { tools, metaTools, keywords, includeResolvedTools } = options;
    const ofRuns =
      typeof tools === 'function' || isToolSource(tools) ? (tools as ToolsFunction | ToolSource) : undefined;
    const { names, unloadName } = metaTools;
    const searches = options.native ? PROVIDER_SEARCHES : [];
    const others = [unloadName, options.call?.name].filter((name) => name !== undefined);
    this.spareName = `found_by_${names.search}`.slice(0, 63);
    const spare = isToolSource(tools) ? [this.spareName] : [];
    const reservedNames = [names.search, names.load, ...others, ...searches, ...spare];
    this.options = options;
    this.reporter = reporter;
    this.policy = new Policy(options.filter, reporter, options.timeouts.filter);
    this.registry = new Registry(options.store, options.ttl, options.timeouts.store, reporter);
    this.groups = new Groups(options.groups);
    this.requests = new Requests(options.scope, reporter);
    this.loadedTools = new LoadedTools(this.registry, options.loadingTools, options.maxLoaded);
    this.stubs = new Stubs(options.timeouts.tools, reporter);
    this.handover = new Handover(this.policy, reporter, { processor, stubs: this.stubs }, options.native !== undefined);
    this.sendability = this.handover.sendability;
    const groupOf: GroupOf = (tool) => this.groups.told(tool);
    this.catalog = createCatalog(ofRuns ? {} : tools, reservedNames, reporter, keywords, groupOf);
    refuseUnsearchedStubs(this.catalog, options);
    const settings = { reservedNames, keywords, groupOf, timeout: options.timeouts.tools };
    const maker = ofRuns && loadCatalogs(ofRuns, settings, reporter);
    this.runCatalogs = new RunCatalogs(this.catalog, maker, this.handover);
    this.requestCatalogs = new RequestCatalogs(includeResolvedTools, isHandled, reservedNames);
    this.cutRuns = new CutRuns(reservedNames, reporter);
    const survived = (fault: { scorer: string; error: unknown }): void =>
      reporter.report({ type: 'scorer-failed', ...fault, survived: true });
    const { indexCache } = options;
    const context = { report: survived, cacheTimeout: options.timeouts.store, ...(indexCache && { indexCache }) };
    this.indexes = new Indexes(options.scorer, context, this.catalog);
    this.native = options.native ? new NativeMode(options.native, this) : undefined;
    this.preselect = options.preselect && loadPreselect(options.preselect, this);
    this.learning = options.learning && loadLearning(options.learning, this);
    this.call = options.call ? new CallMode(this) : undefined;
    this.misses =
      options.runsMisses && !options.call ? new Chunk(() => import('../modes/call/run-misses.ts')) : undefined;
    // With the tools of requests, a name may be one of theirs.
    if (ofRuns || includeResolvedTools) return;
    const ownTools = ` The agent's own tools are always sent and need not be named.`;
    refuseUnknownNames('alwaysLoaded', options.alwaysLoaded, this.catalog, ownTools);
    refuseUnknownNames('search.keywords', keywords.keys(), this.catalog);
    if (options.preselect && 'tools' in options.preselect) {
      refuseUnknownNames('preselect.tools', Object.values(options.preselect.tools).flat(), this.catalog);
    }
  }

  /** What is found out for events alone, once somebody listens; undefined where its code is not there. */
  reports(): Promise<typeof import('./reports.ts') | undefined> {
    this.#reports ??= import('./reports.ts').catch(() => undefined);
    return this.#reports;
  }
}

/**
 * Refuses stubs where the provider searches, which finds only what it is sent.
 *
 * @throws ToolSearchError `invalid-option`
 */
function refuseUnsearchedStubs({ entries }: Catalog, { native }: ResolvedOptions): void {
  if (native?.execution !== 'server') return;
  for (const { name, tool } of entries) {
    checkOption(
      !stubOf(tool),
      'native.execution',
      'server',
      `'client' with a stub such as "${name}": a provider finds only definitions that it is sent`,
    );
  }
}
