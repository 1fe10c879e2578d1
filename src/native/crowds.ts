/** OpenAI advises fewer functions in a namespace. */
export const CROWD = 10;

/** The namespaces of too many functions, with their sizes. */
export function crowds(namespaces: Iterable<string>): readonly (readonly [namespace: string, size: number])[] {
  const sizes = new Map<string, number>();
  for (const name of namespaces) sizes.set(name, (sizes.get(name) ?? 0) + 1);
  return [...sizes].filter(([, size]) => size >= CROWD);
}
