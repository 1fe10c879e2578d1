import type { Browser } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { launchChromium, type OpenPage, openPage, type View } from './browser.ts';

export { axeViolations, noChromium, type OpenPage, until, type View } from './browser.ts';

/** The browser of a test file: started before its first test, closed after its last. */
export function useChromium(): { open(url: string, view?: View): Promise<OpenPage> } {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await launchChromium();
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
