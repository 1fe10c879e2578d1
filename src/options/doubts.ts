import type { Reporter } from '../events/reporter.ts';
import type { ResolvedOptions } from './options.ts';

/** Milliseconds: who gives less most likely means seconds. */
const SHORT_TTL = 1_000;
/** Scores of `bm25Scorer`, which gives the highest: in a catalog of 1,500 tools half of the right ones score less. */
const HIGH_SCORE = 25;

/** Reports what may be meant as it stands, but most likely is not. */
export function reportDoubts({ ttl, minScore, scorer }: ResolvedOptions, reporter: Reporter): void {
  if (ttl > 0 && ttl < SHORT_TTL) {
    const message = `"ttl" is ${ttl}: loaded tools are forgotten after so many milliseconds without use. For ${ttl} seconds write ${ttl * 1_000}.`;
    reporter.report({ type: 'option-doubt', option: 'ttl', message });
  }
  if (minScore > HIGH_SCORE) {
    const message = `"search.minScore" is ${minScore}, and nothing that scores less on the scale of the scorer "${scorer.name}" is ever found. See with processor.search() what tools score; "search.minConfidence" goes from 0 to 1.`;
    reporter.report({ type: 'option-doubt', option: 'search.minScore', message });
  }
}
