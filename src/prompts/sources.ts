/** The answer to a call that waited, where the source of its tool is down, or has it no more. */
export function gone(name: string): string {
  return `Tool "${name}" cannot be reached now, so its call did not run. Search for it again, or go on without.`;
}
