import type { Withheld } from '../catalog/withheld.ts';
import type { MetaToolParts } from '../meta-tools/meta-tool.ts';
import { CutRuns } from './cut-runs.ts';
import { FailedCalls } from './failed-calls.ts';
import type { Feature } from './feature.ts';
import { InjectedCatalog } from './inject-catalog.ts';
import type { LearningRequests } from './learning/learning.ts';
import { loopGuard } from './loop-guard.ts';
import { MissedCalls } from './missed-calls.ts';
import { OwnNames } from './own-names.ts';
import { Passthrough, type PassthroughLimit } from './passthrough.ts';
import { PinnedTools, type PinOptions } from './pinned.ts';
import { ByFunction } from './preselect/by-function.ts';
import { BySearch } from './preselect/by-search.ts';
import type { ChoosingPreselectOptions, SearchPreselect } from './preselect/options.ts';
import { Preselect, type PreselectParts } from './preselect/preselect.ts';
import { RefusedTools } from './refused-tools.ts';
import { Sentences } from './sentences.ts';
import type { Skills } from './skills.ts';
import { StepTokens } from './step-tokens.ts';
import { ToolChoice } from './tool-choice.ts';
import type { DefinitionTrust } from './trust/trust.ts';

/** The validated options that features read. */
interface FeatureOptions extends PinOptions {
  /** Empty if the option is off. */
  readonly passthroughBelow: readonly PassthroughLimit[];
  readonly loadsMisses: boolean;
  readonly preselect: SearchPreselect | ChoosingPreselectOptions | undefined;
  readonly injectCatalog: boolean | 'names';
}

/** What features need of the processor. */
interface FeatureParts extends MetaToolParts {
  readonly options: PreselectParts['options'] & FeatureOptions;
  readonly withheld: Withheld;
  /** The names of meta-tools and of providers' searches. */
  readonly reservedNames: readonly string[];
  /** Created before the meta-tools, which call it. */
  readonly learning: LearningRequests | undefined;
  /** Created before the meta-tools, which call it. */
  readonly skills: Skills | undefined;
  /** Created before the filter, which uses it as its guard. */
  readonly trust: DefinitionTrust | undefined;
}

/**
 * The features of a processor, in the order in which a step calls them. The order matters:
 *
 * - `DefinitionTrust` reviews the catalog before any feature asks the filter what is permitted.
 * - `Passthrough` decides before the other features: a request that is sent whole skips its mode and all loading.
 * - `loopGuard` runs before `MissedCalls`, which tells the model which meta-tools are left out.
 * - `MissedCalls`, `Skills`, `ToolChoice` and `Preselect` load in this order, each into the room that is left: tools that the
 *   model called, that a skill names, that the caller forces, that the user probably wants.
 * - `ToolChoice` changes the result before `OwnNames` wraps the model of the result.
 * - `RefusedTools` is the first to be asked about a failed model call. `StepTokens` comes last: its event shows what all
 *   other features changed.
 */
export function featuresOf(parts: FeatureParts): readonly Feature[] {
  const { options, loader, forms, reporter, learning, trust, skills } = parts;
  const { passthroughBelow, loadsMisses, preselect, injectCatalog, metaTools } = options;
  const sentences = new Sentences();
  const features: readonly (Feature | false | undefined)[] = [
    trust,
    passthroughBelow.length > 0 && new Passthrough(passthroughBelow, loader, forms, reporter),
    new CutRuns(parts.reservedNames, reporter),
    new PinnedTools(options, loader),
    loopGuard,
    learning,
    sentences,
    loadsMisses && new MissedCalls(loader, reporter, sentences),
    skills,
    new FailedCalls(sentences),
    new ToolChoice(loader, reporter),
    preselect &&
      new Preselect('choose' in preselect ? new ByFunction(preselect, parts) : new BySearch(preselect, parts), parts),
    injectCatalog !== false && new InjectedCatalog(injectCatalog, metaTools.names),
    new OwnNames(forms),
    new RefusedTools(parts.withheld, loader),
    new StepTokens(loader, reporter),
  ];
  return features.filter((feature) => feature !== false && feature !== undefined);
}
