import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inspectorHtml } from '../../../../src/inspect/start-inspector.ts';
import { noChromium, until, useChromium } from '../../../support/chromium.ts';
import { useInspectPage } from '../../../support/inspect-page.ts';

const tools = ['github_create_issue', 'github_list_issues'].map((name) => ({
  name,
  description: 'Works on issues.',
  inputSchema: { type: 'object' },
}));
/** Milliseconds after which a page has nothing left to do. */
const SETTLED = 600;

describe.skipIf(noChromium !== undefined)(
  `keys that are pressed at once${noChromium ? `, skipped: ${noChromium}` : ''}`,
  () => {
    const chromium = useChromium();
    useInspectPage();
    let folder = '';
    let file = '';

    beforeAll(async () => {
      folder = mkdtempSync(path.join(tmpdir(), 'inspect-'));
      const name = path.join(folder, 'report.html');
      writeFileSync(name, await inspectorHtml({ tools, title: 'Issues' }));
      file = pathToFileURL(name).href;
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    it.each([
      ['lead back to a view as it was left', 'Enter 1', '#/search?q=issues&a=bm25&b=tiered'],
      ['go back from a tool', 'Enter Escape', '#/search?q=issues&a=bm25&b=tiered'],
      ['lead back to a tool', 'Enter 1 Escape 2', '#/tools/FIRST'],
      ['lead to the beginning of a view', 'Enter 1 Escape 2 2', '#/tools'],
      ['write into the field of the next view', 'Enter 2 / g i t', '#/tools?q=git'],
      ['write a new query from a view without a field', '4 / l i s t', '#/search?q=list&a=bm25&b=tiered'],
      ['lead through the views', '4 3 2 7 6', '#/tokens'],
    ])('%s: %s', async (_, keys, address) => {
      const { page, problems } = await chromium.open(`${file}#/search?q=issues`);
      await until(page, `document.querySelectorAll('[data-row]').length === ${2 * tools.length}`);
      await page.keyboard.press('ArrowDown');
      const first = await page.evaluate<string>('document.activeElement.textContent');
      await Promise.all(keys.split(' ').map((key) => page.keyboard.press(key)));
      const expected = address.replace('FIRST', first);
      await until(page, `location.hash === ${JSON.stringify(expected)}`);
      await page.waitForTimeout(SETTLED);
      expect(await page.evaluate('location.hash')).toBe(expected);
      const view = await page.locator('nav [aria-current]').getAttribute('href');
      expect(expected.startsWith(view ?? 'none')).toBe(true);
      expect(problems).toEqual([]);
    });
  },
);
