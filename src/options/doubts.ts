import type { Reporter } from '../events.ts';
import type { ResolvedOptions } from './options.ts';

/** Milliseconds: who gives less most likely means seconds. */
const SHORT_TTL = 1_000;
/** Hardly any score is higher on the scales of the scorers of this package. */
const HIGH_SCORE = 25;
/** Answers of a filter after which a `return` is probably missing. */
const MANY_ANSWERS = 20;

/** Reports what may be meant as it stands, but most likely is not. */
export function reportDoubts({ ttl, minScore, scorer }: ResolvedOptions, reporter: Reporter): void {
  if (ttl > 0 && ttl < SHORT_TTL) {
    const message = `"ttl" is ${ttl}: loaded tools are forgotten after so many milliseconds without use. For ${ttl} seconds write ${ttl * 1_000}.`;
    reporter.report({ type: 'option-doubt', option: 'ttl', message });
  }
  if (minScore > HIGH_SCORE) {
    const message = `"search.minScore" is ${minScore}, and nothing that scores less on the scale of the scorer "${scorer.name}" is ever found. Hardly any tool scores more than ${HIGH_SCORE} with the scorers of this package; "search.minConfidence" goes from 0 to 1.`;
    reporter.report({ type: 'option-doubt', option: 'search.minScore', message });
  }
}

/** Listens to the answers of a filter: one that never returns anything denies everything. */
export function listenToFilter(reporter: Reporter): (answer: unknown) => void {
  let count = 0;
  return (answer) => {
    if (answer !== undefined) count = Number.NEGATIVE_INFINITY;
    count += 1;
    if (count !== MANY_ANSWERS) return;
    const message = `The filter has returned undefined ${MANY_ANSWERS} times and nothing else, which denies everything. Is there a "return" missing?`;
    reporter.report({ type: 'option-doubt', option: 'filter', message });
  };
}

/** Reports that a scorer of the user's own gives no confidence: only its index shows it. */
export function reportNoConfidence(scorer: string, reporter: Reporter): void {
  const message = `"search.minConfidence" has no effect: the index of the scorer "${scorer}" has no method "confidence".`;
  reporter.report({ type: 'option-doubt', option: 'search.minConfidence', message });
}
