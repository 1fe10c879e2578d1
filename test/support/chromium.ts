import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { launchChromium, type OpenPage, openPage, type View } from './browser.ts';

export { axeViolations, noChromium, type OpenPage, until, type View } from './browser.ts';

/** The browser of a test file: started before its first test, closed after its last. Each test closes its pages. */
export function useChromium(): { open(url: string, view?: View): Promise<OpenPage> } {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  // Pages that nobody looks at any more take memory and time from the next ones.
  afterEach(async () => {
    await Promise.all(browser?.contexts().map((context) => context.close()) ?? []);
  });
  afterAll(async () => {
    await browser?.close();
  });
  return {
    open(url, view) {
      if (!browser) throw new Error('Call useChromium() in the describe block of the tests.');
      return openPage(browser, url, view);
    },
  };
}
