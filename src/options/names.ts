import type { NamesOf } from './known-options.ts';
import type { LearningOptions } from './learning.ts';
import type { MetaToolsOption, MetaToolWording } from './meta-tools.ts';
import type { NativeOptions } from './native.ts';
import type { ToolSearchProcessorOptions } from './options.ts';
import type { PassthroughLimits } from './passthrough.ts';

const wording = { name: true, description: true } satisfies NamesOf<MetaToolWording>;

/** Every option of the processor, at every level. */
export const optionNames: NamesOf<ToolSearchProcessorOptions> = {
  tools: true,
  includeResolvedTools: true,
  injectCatalog: true,
  mode: true,
  native: {
    execution: true,
    variant: true,
    namespace: true,
    detect: true,
    fallback: true,
    append: true,
  } satisfies NamesOf<NativeOptions>,
  search: {
    topK: true,
    minScore: true,
    autoLoad: true,
    minConfidence: true,
    scorer: true,
    rerank: true,
    keywords: true,
    schemaTokens: true,
    useMessage: true,
  } satisfies NamesOf<NonNullable<ToolSearchProcessorOptions['search']>>,
  storage: true,
  ttl: true,
  maxLoaded: { tools: true, tokens: true } satisfies NamesOf<NonNullable<ToolSearchProcessorOptions['maxLoaded']>>,
  filter: true,
  timeouts: {
    tools: true,
    filter: true,
    store: true,
    index: true,
    preselect: true,
  } satisfies NamesOf<NonNullable<ToolSearchProcessorOptions['timeouts']>>,
  passthroughBelow: { tools: true, tokens: true } satisfies NamesOf<PassthroughLimits>,
  alwaysLoaded: true,
  trustServerHints: true,
  onMiss: true,
  preselect: true,
  learning: { store: true, halfLife: true, scope: true, weight: true } satisfies NamesOf<LearningOptions>,
  groups: true,
  metaTools: {
    search: wording,
    load: wording,
    call: wording,
    unload: wording,
    systemText: true,
  } satisfies NamesOf<MetaToolsOption>,
  scope: true,
  onEvent: true,
  streamEvents: true,
};
