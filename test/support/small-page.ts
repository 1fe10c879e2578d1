import { afterAll, beforeAll } from 'vitest';
import { type PageFiles, readPage, readPageWith } from '../../src/inspect/page-files.ts';

/** What the inspector serves in place of its page, where a test is not about that. */
export const SMALL_PAGE: { readonly script: string; readonly styles: string } = {
  script: `document.getElementById('inspect').textContent = JSON.parse(document.getElementById('inspect-data').textContent).title`,
  styles: 'body { margin: 0 }',
};

/** Has inspectors read their page so from now on; without a reader, as the package does. */
export function servePage(read: () => Promise<PageFiles> = readPage): void {
  readPageWith(read);
}

/** Has inspectors serve a small page during the tests of a file. */
export function useSmallPage(): void {
  beforeAll(() => servePage(async () => SMALL_PAGE));
  afterAll(() => servePage());
}
