import { type PreselectClassifier, tieredScorer } from 'mastra-tool-search';
import { also, type Refused } from './options-refusals.ts';

export const preselect = (value: unknown): object => also({ preselect: value });

const whole = { option: 'preselect', remedy: 'true, false or an object' };
const minConfidence = { option: 'preselect.minConfidence', remedy: 'a number from 0 to 1' };
const maxTools = { option: 'preselect.maxTools', remedy: 'a whole number of at least 1' };
const timeout = { option: 'timeouts.preselect', remedy: 'milliseconds, 1 or more' };
const timeOfIndex = { option: 'timeouts.index', remedy: 'milliseconds, 1 or more' };

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
  { why: 'no time for the index', options: also({ timeouts: { index: 0 } }), ...timeOfIndex, shown: '0' },
  { why: 'a text', options: also({ timeouts: { index: '2s' } }), ...timeOfIndex, shown: '"2s"' },
];

const classifier: PreselectClassifier = {
  questions: {
    domain: { type: 'choice', criteria: { mail: 'Mail', none: 'Nothing' } },
    urgent: { type: 'boolean' },
  },
  evaluate: () => Promise.reject(new Error('not asked')),
};
const mapping = { mail: ['send_email'], none: [] };
const classified = (value: object): object => preselect({ classifier, question: 'domain', tools: mapping, ...value });

const theClassifier = { option: 'preselect.classifier', remedy: 'a Classifier, or the id' };
const question = { option: 'preselect.question' };
const choices = { option: 'preselect.tools', shown: 'an object' };
const minProbability = { option: 'preselect.minProbability', remedy: 'a number from 0 to 1' };

/** What the constructor refuses of `preselect` with a classifier. */
export const refusedClassifier: readonly Refused[] = [
  { why: 'no classifier', options: classified({ classifier: {} }), ...theClassifier, shown: 'an object' },
  { why: 'null is not absent', options: classified({ classifier: null }), ...theClassifier, shown: 'null' },
  {
    why: 'one that is asked anything',
    options: classified({ classifier: { ...classifier, questions: undefined } }),
    option: 'preselect.classifier',
    remedy: 'configured questions',
    shown: 'an object',
  },
  {
    why: 'no such question',
    options: classified({ question: 'dmain' }),
    ...question,
    remedy: 'not configured',
    shown: '"dmain"',
  },
  {
    why: 'yes or no',
    options: classified({ question: 'urgent' }),
    ...question,
    remedy: 'choice question',
    shown: '"urgent"',
  },
  { why: 'a choice is missing', options: classified({ tools: { mail: [] } }), ...choices, remedy: 'Missing: none' },
  {
    why: 'names that are none',
    options: classified({ tools: { mail: [7], none: [] } }),
    ...choices,
    remedy: 'Missing: mail',
  },
  {
    why: 'no such choice',
    options: classified({ tools: { ...mapping, chat: [] } }),
    ...choices,
    remedy: 'cannot return: chat',
  },
  {
    why: 'no record',
    options: classified({ tools: ['send_email'] }),
    option: 'preselect.tools',
    remedy: 'a record',
    shown: 'an array of 1',
  },
  { why: 'percent', options: classified({ minProbability: 60 }), ...minProbability, shown: '60' },
  {
    why: 'a text',
    options: classified({ onPreselect: 'log' }),
    option: 'preselect.onPreselect',
    remedy: 'a function',
    shown: '"log"',
  },
  {
    why: 'no such tool',
    options: classified({ tools: { mail: ['send_mail'], none: [] } }),
    option: 'preselect.tools',
    remedy: 'Did you mean "send_email"?',
    shown: '"send_mail"',
  },
  {
    why: 'what belongs to the search',
    options: classified({ minConfidence: 0.5 }),
    option: 'preselect.minConfidence',
    remedy: 'There are only classifier, question, tools',
    shown: 'is no option of preselect with a classifier',
  },
  {
    why: 'what belongs to a classifier',
    options: preselect({ minProbability: 0.5 }),
    option: 'preselect.minProbability',
    remedy: 'There are only minConfidence, maxTools, query',
    shown: 'is no option of preselect without a classifier',
  },
];
