/** Characters of a name that all large providers accept. */
export const MAX_NAME = 64;
const ACCEPTED_NAME = /^[A-Za-z0-9_-]+$/;

/** Whether every large provider accepts the name for a tool, and a record of Mastra's can have it for a key. */
export function isAcceptedName(name: string): boolean {
  return name.length <= MAX_NAME && ACCEPTED_NAME.test(name) && name !== '__proto__';
}
