import { afterAll, beforeAll } from 'vitest';
import { buildPage } from '../../page.config.ts';
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
