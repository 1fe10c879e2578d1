import { tieredScorer } from 'mastra-tool-search';
import { also, type Refused } from './options-refusals.ts';

export const preselect = (value: unknown): object => also({ preselect: value });

const whole = { option: 'preselect', remedy: 'true, false or an object' };
const minConfidence = { option: 'preselect.minConfidence', remedy: 'a number from 0 to 1' };
const maxTools = { option: 'preselect.maxTools', remedy: 'a whole number of at least 1' };
const timeout = { option: 'timeouts.preselect', remedy: 'milliseconds, 1 or more' };

/** What the constructor refuses of `preselect`, with the reason. */
export const refusedPreselect: readonly Refused[] = [
  { why: 'a number', options: preselect(0.5), ...whole, shown: '0.5' },
  { why: 'a text', options: preselect('yes'), ...whole, shown: '"yes"' },
  { why: 'null is not absent', options: preselect(null), ...whole, shown: 'null' },
  { why: 'a list', options: preselect([]), ...whole, shown: 'an array of 0' },
  { why: 'percent', options: preselect({ minConfidence: 50 }), ...minConfidence, shown: '50' },
  { why: 'not a number', options: preselect({ minConfidence: Number.NaN }), ...minConfidence, shown: 'NaN' },
  { why: 'null is not absent', options: preselect({ minConfidence: null }), ...minConfidence, shown: 'null' },
  { why: 'none', options: preselect({ maxTools: 0 }), ...maxTools, shown: '0' },
  { why: 'half a tool', options: preselect({ maxTools: 1.5 }), ...maxTools, shown: '1.5' },
  {
    why: 'a text is no function',
    options: preselect({ query: 'weather' }),
    option: 'preselect.query',
    remedy: 'a function',
    shown: '"weather"',
  },
  {
    why: 'a slip of the pen',
    options: preselect({ minConfidense: 0.5 }),
    option: 'preselect.minConfidense',
    remedy: 'preselect.minConfidence',
    shown: 'is no option',
  },
  {
    why: 'nothing tells how likely a tool is',
    options: also({ preselect: true, search: { scorer: tieredScorer() } }),
    option: 'preselect',
    remedy: 'left out with the scorer "tiered", which gives no confidence; bm25Scorer() does',
    shown: 'true',
  },
  { why: 'no time', options: also({ preselect: true, timeouts: { preselect: 0 } }), ...timeout, shown: '0' },
];
