import { afterEach, expect, it } from 'vitest';
import { pageFiles, readPage, readPageWith } from '../../src/inspect/page-files.ts';
import { SMALL_PAGE } from '../support/small-page.ts';

afterEach(() => readPageWith(readPage));

it('says what is missing where the page was not deployed with the package', async () => {
  await expect(pageFiles()).rejects.toMatchObject({
    code: 'inspector-unavailable',
    message: expect.stringContaining('dist/inspect'),
  });
});

it('is read once, and again after a failure', async () => {
  let count = 0;
  readPageWith(async () => {
    count += 1;
    if (count === 1) throw new Error('too many open files');
    return SMALL_PAGE;
  });
  await expect(pageFiles()).rejects.toThrow('too many open files');
  expect(await pageFiles()).toBe(await pageFiles());
  expect(count).toBe(2);
});
