/** Tools that are told what becomes of the record that they are part of, each with what makes a record tell it. */
export const watchers: WeakMap<object, Watch> = new WeakMap();

type Watch = <Tools extends Record<string, unknown>>(tools: Tools, received: object | undefined) => Tools;

/**
 * The tools of a step, which tell their witnesses what is done with them; the same record where there is none. The code
 * of witnesses is a chunk of the package, which is there where one is.
 *
 * @param received - the tools that the step received.
 */
export function watched<Tools extends Record<string, unknown>>(tools: Tools, received: object | undefined): Tools {
  for (const tool of Object.values(tools)) {
    const watch = watchers.get(tool as object);
    if (watch) return watch(tools, received);
  }
  return tools;
}
