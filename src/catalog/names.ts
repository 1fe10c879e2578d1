const ACCEPTED_NAME = /^[A-Za-z0-9_-]{1,128}$/;

/** Names that every large provider accepts for a tool, and that can be a key of the records Mastra keeps tools in. */
export function isAcceptedName(name: string): boolean {
  return ACCEPTED_NAME.test(name) && name !== '__proto__';
}

/** The nearest name that providers accept: refused characters become `_`, the rest is cut at 128. */
export function repairName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/gu, '_').slice(0, 128);
}

/** What Mastra leaves as it is. */
const KEPT_KEY = /^[A-Za-z_][A-Za-z0-9_-]{0,62}$/;

/** The key under which Mastra keeps a tool of that name among an agent's own (its `formatTools`, 63 characters). */
export function agentKey(name: string): string {
  if (KEPT_KEY.test(name)) return name;
  const repaired = name.replace(/[^a-zA-Z0-9_-]/g, '_');
  return (/^[a-zA-Z_]/.test(repaired) ? repaired : `_${repaired}`).slice(0, 63);
}
