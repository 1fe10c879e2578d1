import { type InspectOptions, inspectorHtml } from 'mastra-tool-search/inspect';
import { afterAll, beforeAll } from 'vitest';
import { buildPage } from '../../page.config.ts';
import type { Engine } from '../../src/inspect/page/engine/engine.ts';
import { readPage, readPageWith } from '../../src/inspect/page-files.ts';

let built: ReturnType<typeof buildPage> | undefined;

/** Has inspectors serve the page of the sources during the tests of a file; it is bundled once. */
export function useInspectPage(): void {
  beforeAll(async () => {
    built ??= buildPage();
    await built;
    readPageWith(() => built ?? buildPage());
  });
  afterAll(() => readPageWith(readPage));
}

/**
 * What the script of a page works out in a worker, of the data of its file; the worker is in this thread.
 *
 * @param page - whether the page has the table of word vectors.
 */
export async function pageEngine(
  options: InspectOptions,
  { hasVectors = true }: { readonly hasVectors?: boolean } = {},
): Promise<Pick<Engine, keyof Engine>> {
  const html = await inspectorHtml(options);
  const [, json = ''] = html.split(/<script type="application\/json" id="inspect-data">(.*)<\/script>/);
  const { script } = await (built ?? buildPage());
  const waiting: ((answer: { readonly value?: unknown; readonly error?: string }) => void)[] = [];
  let tell: (event: { readonly data: unknown }) => void = () => {};
  const scope = {
    addEventListener: (_: string, listener: typeof tell) => (tell = listener),
    postMessage: ({ id, ...answer }: { readonly id: number }) => waiting[id]?.(structuredClone(answer)),
  };
  new Function('globalThis', script)(Object.assign(Object.create(globalThis), scope));
  const ask = async (message: object): Promise<unknown> => {
    const answer = await new Promise<{ readonly value?: unknown; readonly error?: string }>((resolve) => {
      const id = waiting.push(resolve) - 1;
      tell({ data: structuredClone({ ...message, ...(id === 0 ? {} : { id }) }) });
    });
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer.value;
  };
  await ask(JSON.parse(json));
  const [, vectors] = html.split(/<script type="text\/plain" id="inspect-vectors">(.*)<\/script>/);
  await ask({ method: 'setVectors', parameters: [hasVectors ? vectors : undefined] });
  await ask({ method: 'setFindings', parameters: [JSON.parse(json).findings] });
  const method = (_: object, name: string) =>
    name === 'then' ? undefined : (...parameters: unknown[]) => ask({ method: name, parameters });
  return new Proxy({}, { get: method }) as Engine;
}
