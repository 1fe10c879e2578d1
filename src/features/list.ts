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

/** The options, checked, as far as features read them. */
interface FeatureOptions extends PinOptions {
  /** Empty where it is off. */
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
  /** Made before the meta-tools, which ask it. */
  readonly learning: LearningRequests | undefined;
  /** Made before the meta-tools, which ask it. */
  readonly skills: Skills | undefined;
  /** Made before the filter, which it guards. */
  readonly trust: DefinitionTrust | undefined;
}

/**
 * The features of a processor, in the order in which a step asks them. The order is meaning:
 *
 * - `DefinitionTrust` looks through the catalog before anybody asks what is permitted.
 * - `Passthrough` decides before the others: a request that it sends whole is not prepared in any other way.
 * - `loopGuard` comes before `MissedCalls`, which tells the model what is left out.
 * - `MissedCalls`, `Skills`, `ToolChoice` and `Preselect` load in this order, each into the room that the one before leaves: what the
 *   model called, what a skill brings, what the caller forces, what the user probably wants.
 * - `ToolChoice` changes the result before `OwnNames` wraps its model.
 * - `RefusedTools` is the first to hear of a failed model call, and `StepTokens` is the last to see a step: its event shows
 *   what the others made of it.
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
