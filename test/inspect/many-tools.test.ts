import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Inspector } from '../../src/inspect/start-inspector.ts';
import { startInspector } from '../../src/inspect/start-inspector.ts';
import { manyTools } from '../bench/inspect/catalog.ts';
import { noChromium, useChromium } from '../support/chromium.ts';
import { useInspectPage } from '../support/inspect-page.ts';

describe.skipIf(noChromium !== undefined)(
  `5,000 tools in Chromium${noChromium ? `, skipped: ${noChromium}` : ''}`,
  () => {
    useInspectPage();
    const chromium = useChromium();
    let inspector: Inspector;
    beforeAll(async () => {
      inspector = await startInspector({ tools: manyTools(5_000) });
    });
    afterAll(() => inspector.close());

    it('are searched as you type, key by key, and opened', async () => {
      const { page, problems } = await chromium.open(`${inspector.url}#/search`);
      await page.locator('header').getByText('5,000 tools').waitFor();
      await page.locator('[data-search]').pressSequentially('take a screenshot of the page');
      // The address follows when nothing more is typed.
      await page.waitForURL(/screenshot\+of\+the\+page/);
      const first = page.locator('.ranked [data-row]').first();
      await first.filter({ hasText: 'screenshot' }).waitFor();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.waitForURL(/#\/tools\/\w*screenshot/);
      await page.getByText('Definition as it is sent').waitFor();
      expect(problems).toEqual([]);
    });

    it('are listed without an element for each', async () => {
      const { page, problems } = await chromium.open(`${inspector.url}#/tools`);
      await page.locator('[data-row]').first().waitFor();
      expect(await page.locator('[data-row]').count()).toBeLessThan(500);
      expect(problems).toEqual([]);
    });
  },
);
