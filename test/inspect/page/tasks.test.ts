import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Evaluation, evaluate } from 'mastra-tool-search/evaluate';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations, noChromium, until, useChromium, type View } from '../../support/chromium.ts';
import { useInspectPage } from '../../support/inspect-page.ts';
import { realCases, realTools } from '../catalog.ts';
import { fits, goTo, settled, texts, useInspectors } from './pages.ts';

const QUERY = 'image of a server to clone later';
const WANTED = 'digitalocean_snapshot-droplet';

/** How somebody acts: follows a link, or presses a button. What is counted is what they have to decide on. */
type Press = (page: Page, role: 'link' | 'button', name: string | RegExp) => Promise<void>;

const byMouse: Press = (page, role, name) => page.getByRole(role, { name }).first().click();

const byKeys: Press = async (page, role, name) => {
  await page.getByRole(role, { name }).first().waitFor();
  const is = name instanceof RegExp ? name : new RegExp(name.replaceAll(/[[\]()+*?.$^|\\]/g, '\\$&'));
  const focused = `(({ ariaLabel, textContent, tagName }) => tagName === '${role === 'link' ? 'A' : 'BUTTON'}' ? ariaLabel ?? textContent : '')(document.activeElement)`;
  for (let presses = 0; presses < 400 && !is.test(await page.evaluate<string>(focused)); presses++)
    await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
};

const copied = async (page: Page): Promise<string> => {
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  return page.evaluate<string>('navigator.clipboard.readText()');
};

describe.skipIf(noChromium !== undefined)(
  `the tasks of the inspector${noChromium ? `, skipped: ${noChromium}` : ''}`,
  () => {
    useInspectPage();
    const chromium = useChromium();
    const start = useInspectors();
    const folder = mkdtempSync(path.join(tmpdir(), 'saved-'));
    afterAll(() => rmSync(folder, { recursive: true }));
    let url = '';
    let measured: Evaluation['scorers'][number];
    beforeAll(async () => {
      measured = (await evaluate({ tools: realTools, cases: realCases })).scorers[0] as never;
      ({ url } = await start({ tools: realTools, cases: realCases, title: 'tools.json' }));
    });

    it.each<[string, View, Press]>([
      ['with the mouse, in the dark, 390 pixels wide', { theme: 'dark', width: 390 }, byMouse],
      ['with the keys alone', {}, byKeys],
    ])('take one action each, and mending a tool four: %s', async (_, view, press) => {
      const { page, problems } = await chromium.open(url, view);
      // Which two are confused, and both to edit?
      const instead = measured.confusions.find(({ wanted }) => wanted === WANTED)?.instead ?? '';
      await press(page, 'link', `${WANTED} → ${instead}`);
      for (const name of [WANTED, instead]) {
        const editor = page.getByRole('region', { name: `Edit ${name}` });
        await editor.getByLabel('Description').waitFor();
      }
      expect(await fits(page)).toBe(true);

      // What costs most?
      await goTo(page, '#/overview');
      await press(page, 'link', /tokens in all$/);
      await until(page, `document.querySelectorAll('.tool-table tbody tr').length > 50`);
      await settled(page);
      const tokens = await texts(page, '.tool-table tbody td:nth-child(3)');
      const numbers = tokens.map((text) => Number(text.replaceAll(',', '')));
      expect(numbers).toEqual(numbers.toSorted((one, other) => other - one));
      expect(numbers[0]).toBeGreaterThan(1_000);

      // Why is it not found? Mend it, and take it home.
      await goTo(page, '#/overview');
      await press(page, 'link', QUERY);
      const expected = page.locator('.expected');
      const before = measured.cases.find(({ query }) => query === QUERY)?.rank ?? 0;
      await expected.getByText(new RegExp(`^Place ${before} of `)).waitFor();
      expect(await page.getByLabel('Expected tool').inputValue()).toBe(WANTED);
      await until(page, `document.querySelectorAll('.mend tbody tr').length > 3`);
      await until(page, `!document.querySelector('.mend')?.innerText.includes('…')`);
      const [place = ''] = await texts(page, '.mend tbody td:nth-child(3)');
      expect(Number(place)).toBeLessThan(before);
      const word = await page.locator('.mend tbody th').first().innerText();
      await press(page, 'button', `Add ${word}`);
      await expected.getByText(new RegExp(`^Place ${place} of `)).waitFor();
      // The keys go on where the button was.
      expect(await page.evaluate(`document.activeElement.closest('.expected') !== null`)).toBe(true);
      await press(page, 'button', '1 change');
      expect(await axeViolations(page)).toEqual([]);
      await press(page, 'button', 'Copy as search.keywords');
      const code = await copied(page);
      for (const text of ['search: { keywords: {', WANTED, JSON.stringify(word)]) expect(code).toContain(text);
      await page.keyboard.press('Escape');

      // Share what is seen: a file that any browser opens, without the server.
      const saved = page.waitForEvent('download');
      await press(page, 'button', 'Save as a file');
      const file = path.join(folder, (await saved).suggestedFilename());
      await (await saved).saveAs(file);
      const { page: shared, problems: others } = await chromium.open(pathToFileURL(file).href, view);
      await settled(shared);
      expect(await shared.getByLabel('Expected tool').inputValue()).toBe(WANTED);
      await shared
        .locator('.expected')
        .getByText(new RegExp(`^Place ${place} of `))
        .waitFor();
      await shared.getByRole('button', { name: '1 change' }).waitFor();
      expect(await shared.getByRole('button', { name: 'Save as a file' }).count()).toBe(0);
      expect(others).toEqual([]);
      expect(problems).toEqual([]);
    });
  },
);
