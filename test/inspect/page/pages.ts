import { type Inspector, type StartInspectorOptions, startInspector } from 'mastra-tool-search/inspect';
import type { Page } from 'playwright-core';
import { afterAll } from 'vitest';
import { until } from '../../support/chromium.ts';

/** Starts inspectors for the tests of a file. */
export function useInspectors(): (options: StartInspectorOptions) => Promise<Inspector> {
  const started: Inspector[] = [];
  afterAll(async () => {
    // A test may have closed it.
    for (const inspector of started) await inspector.close().catch(() => {});
  });
  return async (options) => {
    const inspector = await startInspector(options);
    started.push(inspector);
    return inspector;
  };
}

/** Waits until a page shows all that it works out. */
export async function settled(page: Page): Promise<void> {
  await page.waitForSelector('main h2');
  await until(page, `!document.querySelector('.skeleton, [data-stale]')`);
}

/** Goes to another address of a page that is open, and waits until it shows that. */
export async function goTo(page: Page, hash: string): Promise<void> {
  await page.evaluate(`new Promise((resolve) => {
    addEventListener('hashchange', () => requestAnimationFrame(() => setTimeout(resolve)), { once: true });
    location.hash = ${JSON.stringify(hash)};
  })`);
  await settled(page);
}

/**
 * The texts of all elements of a CSS selector at one moment. `allInnerTexts()` finds the elements first and reads them
 * later: the page may change between the two.
 */
export const texts = (page: Page, selector: string): Promise<string[]> =>
  page.evaluate(`Array.from(document.querySelectorAll(${JSON.stringify(selector)}), ({ innerText }) => innerText)`);

/** Whether the page is no wider than its window. */
export const fits = (page: Page): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth <= innerWidth');
