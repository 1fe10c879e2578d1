import {
  doubtEmpty,
  FunctionCatalogs,
  listedTools,
  readCatalog,
  type ToolsFunction,
} from '../catalog/build-catalog.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { GroupOf } from '../catalog/document-cache.ts';
import { Groups } from '../catalog/groups.ts';
import { LazyTools } from '../catalog/lazy-tools.ts';
import { refuseUnknownNames } from '../catalog/names.ts';
import { Withheld } from '../catalog/withheld.ts';
import { checkOption } from '../errors.ts';
import type { Reporter } from '../events/reporter.ts';
import { LearningRequests } from '../features/learning/learning.ts';
import { featuresOf } from '../features/list.ts';
import { Skills } from '../features/skills.ts';
import { DefinitionTrust } from '../features/trust/trust.ts';
import { Policy } from '../filter/permissions.ts';
import { providerSearches } from '../loaded/conversation/conversation.ts';
import { Registry } from '../loaded/registry.ts';
import { WildcardProxy } from '../mastra/proxy-tools.ts';
import { ToolRegistration } from '../mastra/tool-registration.ts';
import { Forms } from '../meta-tools/forms.ts';
import { Loader } from '../meta-tools/loading.ts';
import type { MetaToolParts } from '../meta-tools/meta-tool.ts';
import { notAvailable } from '../meta-tools/prompts.ts';
import { SearchTool } from '../meta-tools/search-tool.ts';
import { RegisteredBridge } from '../modes/call/registered.ts';
import { CallMode } from '../modes/call.ts';
import { CodeMode } from '../modes/code.ts';
import { loadMode, MetaTools } from '../modes/load.ts';
import { lazyMode } from '../modes/mode.ts';
import type { NativeModel } from '../modes/native-options.ts';
import type { ResolvedOptions } from '../options/resolve.ts';
import type { EmbeddingContext } from '../scorers/scorer.ts';
import { IndexSearcher } from '../search/indexes.ts';
import { Requests } from '../step/request.ts';
import { wings } from '../wings.ts';
import { RequestCatalogs } from './catalogs.ts';
import { OverSource } from './over-source.ts';
import { type StepParts, StepPreparer } from './prepare-step.ts';
import { RunBegin } from './run-begin.ts';

export interface ProcessorParts extends StepParts {
  /** The constructor's tools; empty if tools are resolved for each run. */
  readonly catalog: Catalog;
  readonly steps: StepPreparer;
  /** Absent if the option is off. */
  readonly learning: LearningRequests | undefined;
  readonly trust: DefinitionTrust | undefined;
  readonly runBegin: RunBegin;
}

/**
 * Creates and connects the parts of a processor.
 *
 * @param processor - the instance that agents hold.
 * @throws ToolSearchError for tools and names that the options refer to.
 */
export function assemble(options: ResolvedOptions, reporter: Reporter, processor: object): ProcessorParts {
  const { tools, source, metaTools, loadingTools, keywords, includeResolvedTools, timeouts } = options;
  const { names, unloadName } = metaTools;
  const toolsFunction = typeof tools === 'function' ? (tools as ToolsFunction) : undefined;
  // The name of the proxy tool for tools that a run over a source finds only after its begin.
  const wildcardName = `found_by_${names.search}`.slice(0, 63);
  const metaNames = [names.search, names.load, unloadName, options.call?.name, options.code?.id].filter(
    (name) => name !== undefined,
  );
  const searches = options.native ? [...providerSearches.keys()] : [];
  const reservedNames = [...metaNames, ...searches, ...(source ? [wildcardName] : [])];

  const trust = options.trust && new DefinitionTrust(options.trust, timeouts.store, source !== undefined, reporter);
  const policy = new Policy(options.filter, reporter, timeouts.filter, trust?.withholds ? trust : undefined);
  const registry = new Registry(
    options.store,
    { ttl: options.ttl, timeout: timeouts.store, maxTools: options.maxLoaded.tools, countsCalled: !!options.preselect },
    reporter,
  );
  const groups = new Groups(options.groups);
  const requests = new Requests(options.scope, reporter);
  const lazyTools = new LazyTools(
    timeouts.tools,
    reporter,
    trust && ((definition, asker) => trust.allowsResolved(definition, asker)),
  );
  const registration = new ToolRegistration(
    policy,
    reporter,
    { processor, lazyTools, notAvailable },
    options.native !== undefined,
  );
  if (source) registration.wildcard = new WildcardProxy(wildcardName, reporter, notAvailable);
  const withheld = new Withheld(reporter);
  const loader = new Loader({ registry, lazyTools, registration, withheld, groups, reporter, options });

  const groupOf: GroupOf = (tool) => groups.describe(tool);
  const settings = { reservedNames, keywords, groupOf, timeout: timeouts.tools };
  const catalog = readCatalog(listedTools(source || toolsFunction ? {} : tools), { ...settings, reporter });
  refuseUnsearchedStubs(catalog, options);
  const overSource =
    source &&
    new OverSource(
      options.scorer.name,
      async () => new (await wings.source()).SourceSet(source, settings, reporter),
      reporter,
    );
  const maker =
    overSource ??
    (toolsFunction &&
      new FunctionCatalogs(toolsFunction, { ...settings, doubtsEmpty: !includeResolvedTools }, reporter));
  const isIncluded = includeResolvedTools;
  if (!maker && !isIncluded && catalog.size === 0) doubtEmpty('"tools" has', reporter);
  const catalogs = new RequestCatalogs({ fixed: catalog, maker, registration, isIncluded, reservedNames });

  const { scorer, minScore } = options;
  const survived = (fault: { scorer: string; error: unknown }): void =>
    reporter.report({ type: 'scorer-failed', ...fault, survived: true });
  const context: EmbeddingContext = {
    report: survived,
    embedding: (state) => reporter.report({ type: 'embedding', ...state }),
  };
  const searcher = overSource ?? new IndexSearcher(scorer, context, catalog, minScore);
  const learning = options.learning && new LearningRequests(options.learning, timeouts.store, reporter);
  const learnerOf: MetaToolParts['learnerOf'] = (state) => learning?.learnerOf(state);
  const skills = options.skills ? new Skills({ loader, groups, reporter }, timeouts.tools) : undefined;
  const skillsFor: MetaToolParts['skillsFor'] = skills && ((queries, step) => skills.skillsFor(queries, step));
  const forms = new Forms(loader, registration);
  const metaToolParts = { options, searcher, reporter, loader, forms, registry, groups, learnerOf, skillsFor };
  const searchTool = new SearchTool(metaToolParts);
  const allMetaTools = new MetaTools(searchTool, metaToolParts);

  const load = loadMode(allMetaTools, names, options.autoLoad, !options.native);
  const callMode =
    options.call &&
    new CallMode({ loader, forms, searchTool, groups, reporter, loadingTools }, options.call, metaTools);
  const codeMode =
    options.code &&
    new CodeMode(
      { loader, forms, learnerOf, searchTool, registry, policy, groups, reporter, loadingTools },
      options.code,
      metaTools,
    );
  const bridge = options.call && new RegisteredBridge(options.call.name, lazyTools);
  const native = options.native;
  const nativeMode =
    native &&
    lazyMode(
      async () => {
        const { NativeMode } = await wings.native();
        return new NativeMode(native, { ...metaToolParts, metaTools: allMetaTools, searchTool, policy });
      },
      native.fallback === 'error',
      (error, step) => {
        const { modelId } = (step.args.model ?? {}) as NativeModel;
        const model = typeof modelId === 'string' ? modelId : '';
        reporter.report({ type: 'native-off', reason: 'failed', model, error }, step.origin);
      },
    );
  const modes = [nativeMode, codeMode, callMode, load].filter((mode) => mode !== undefined);

  const features = featuresOf({ ...metaToolParts, withheld, reservedNames, learning, trust, skills });
  const parts = {
    ...metaToolParts,
    requests,
    registration,
    catalogs,
    policy,
    features,
    modes,
    learning,
    trust,
    bridge,
  };
  // If requests bring tools, the options may name one of those.
  if (!source && !toolsFunction && !includeResolvedTools) {
    for (const feature of features) feature.checkNames?.(catalog);
    refuseUnknownNames('search.keywords', keywords.keys(), catalog);
  }
  return { ...parts, catalog, steps: new StepPreparer(parts), runBegin: new RunBegin(parts, metaNames) };
}

/**
 * Refuses lazy tools if the provider searches: a provider finds only definitions that it was sent.
 *
 * @throws ToolSearchError `invalid-option`
 */
function refuseUnsearchedStubs({ entries }: Catalog, { native }: ResolvedOptions): void {
  if (native?.execution !== 'server') return;
  for (const { name, isLazy } of entries) {
    checkOption(
      !isLazy,
      'native.execution',
      'server',
      `'client' with a stub such as "${name}": a provider finds only definitions that it is sent`,
    );
  }
}
