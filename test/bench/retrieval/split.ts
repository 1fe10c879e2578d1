/**
 * The sets that weights and word lists may be tuned on. Every other set, also one that is not known here, is held out:
 * it is only measured. The livemcp sets share one catalog and one list of tasks, so they stand on the same side.
 */
export const TUNE_SETS: readonly string[] = ['livemcp-agent', 'livemcp-steps', 'livemcp-tasks', 'mcp-large'];

export type Half = 'tune' | 'held-out';

export function halfOf(set: string): Half {
  return TUNE_SETS.includes(set) ? 'tune' : 'held-out';
}
