import type { Outcome } from './case-rows.ts';

/** How an outcome is shown: in a colour, and for eyes that do not tell red from green with a sign and words. */
export interface ShownOutcome {
  readonly sign: string;
  readonly kind: 'good' | 'middling' | 'bad' | 'muted';
  readonly words: string;
}

export const OUTCOMES: Readonly<Record<Outcome, ShownOutcome>> = {
  first: { sign: '✓', kind: 'good', words: 'first' },
  'rightly-nothing': { sign: '✓', kind: 'good', words: 'rightly nothing' },
  shown: { sign: '○', kind: 'middling', words: 'shown, not first' },
  missed: { sign: '✕', kind: 'bad', words: 'not shown' },
  'missed-nothing': { sign: '✕', kind: 'bad', words: 'wrongly something' },
  unjudged: { sign: '–', kind: 'muted', words: 'no verdict' },
};
