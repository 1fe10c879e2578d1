import { also, type Refused, tools } from './options-refusals.ts';

export const below = (value: unknown): object => ({ tools: tools(), passthroughBelow: value });

const timeOfTools = { option: 'timeouts.tools', remedy: 'milliseconds, 1 or more' };
const passthrough = { option: 'passthroughBelow', remedy: 'a number of tools' };
const passthroughTools = { option: 'passthroughBelow.tools', remedy: 'a number of at least 1' };
const passthroughTokens = { option: 'passthroughBelow.tokens', remedy: 'a number of at least 1' };

/** What the constructor refuses of `timeouts.tools` and `passthroughBelow`, with the reason. */
export const refusedPassthrough: readonly Refused[] = [
  { why: 'no time', options: also({ timeouts: { tools: 0 } }), ...timeOfTools, shown: '0' },
  { why: 'not a number', options: also({ timeouts: { tools: Number.NaN } }), ...timeOfTools, shown: 'NaN' },
  { why: 'a text', options: also({ timeouts: { tools: '10s' } }), ...timeOfTools, shown: '"10s"' },
  { why: 'null is not absent', options: also({ timeouts: { tools: null } }), ...timeOfTools, shown: 'null' },
  { why: 'a negative count', options: below(-1), ...passthrough, shown: '-1' },
  { why: 'neither off nor a tool', options: below(0.5), ...passthrough, shown: '0.5' },
  { why: 'not a number', options: below(Number.NaN), ...passthrough, shown: 'NaN' },
  { why: 'a text', options: below('8'), ...passthrough, shown: '"8"' },
  { why: 'no number says more than yes', options: below(true), ...passthrough, shown: 'true' },
  { why: 'null is not absent', options: below(null), ...passthrough, shown: 'null' },
  { why: 'a list', options: below([8]), ...passthrough, shown: 'an array of 1' },
  { why: 'no limit', options: below({}), ...passthrough, shown: 'an object' },
  { why: 'limits that are absent', options: below({ tools: undefined }), ...passthrough, shown: 'an object' },
  {
    why: 'a slip of the pen',
    options: below({ tool: 8 }),
    option: 'passthroughBelow.tool',
    shown: 'is no option',
    remedy: 'Did you mean "passthroughBelow.tools"?',
  },
  { why: 'nothing is smaller', options: below({ tools: 0 }), ...passthroughTools, shown: '0' },
  { why: 'a text', options: below({ tools: '8' }), ...passthroughTools, shown: '"8"' },
  { why: 'nothing is smaller', options: below({ tools: 8, tokens: 0 }), ...passthroughTokens, shown: '0' },
  { why: 'not a number', options: below({ tokens: Number.NaN }), ...passthroughTokens, shown: 'NaN' },
];
