import { hash } from 'node:crypto';

/** The longest that all large providers accept. */
const MAX_NAME = 64;
const ACCEPTED_NAME = /^[A-Za-z0-9_-]+$/;
/** Letters of a hash: two names of one catalog that share them are as good as impossible. */
const HASH_LENGTH = 8;

/** Names that every large provider accepts for a tool, and that can be a key of the records Mastra keeps tools in. */
export function isAcceptedName(name: string): boolean {
  return name.length <= MAX_NAME && ACCEPTED_NAME.test(name) && name !== '__proto__';
}

/**
 * A name that providers accept in place of one that they refuse, always the same: refused characters become `_`. A name
 * that is too long, or whose like is taken, keeps its beginning and ends in a hash of the whole.
 */
export function repairName(name: string, isTaken: (name: string) => boolean): string {
  const repaired = name.replace(/[^A-Za-z0-9_-]/gu, '_');
  if (isAcceptedName(repaired) && !isTaken(repaired)) return repaired;
  const start = repaired.slice(0, MAX_NAME - HASH_LENGTH - 1);
  return `${start}_${hash('sha256', name, 'hex').slice(0, HASH_LENGTH)}`;
}

/** What Mastra leaves as it is. */
const KEPT_KEY = /^[A-Za-z_][A-Za-z0-9_-]{0,62}$/;

/** The key under which Mastra keeps a tool of that name among an agent's own (its `formatTools`, 63 characters). */
export function agentKey(name: string): string {
  if (KEPT_KEY.test(name)) return name;
  const repaired = name.replace(/[^a-zA-Z0-9_-]/g, '_');
  return (/^[a-zA-Z_]/.test(repaired) ? repaired : `_${repaired}`).slice(0, 63);
}
