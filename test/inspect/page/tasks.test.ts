import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Inspector, startInspector } from '../../../src/inspect/start-inspector.ts';
import { axeViolations, noChromium, until, useChromium, type View } from '../../support/chromium.ts';
import { useInspectPage } from '../../support/inspect-page.ts';
import { realCases, realTools } from './engine/data.ts';

const QUERY = 'image of a server to clone later';
const WANTED = 'digitalocean_snapshot-droplet';
const tools = realTools.map((tool) => ({
  ...{ ...tool, annotations: {} },
  mcpMetadata: { serverName: tool.name.split('_')[0] },
}));

/** How somebody acts: what is counted is what they have to decide on. */
interface Actor {
  readonly view: View;
  /** Follows a link, or presses a button. */
  press(page: Page, role: 'link' | 'button', name: string | RegExp): Promise<void>;
}

const byMouse = (view: View): Actor => ({
  view,
  press: (page, role, name) => page.getByRole(role, { name }).first().click(),
});

const byKeys: Actor = {
  view: {},
  async press(page, role, name) {
    const target = page.getByRole(role, { name }).first();
    await target.waitFor();
    const is = name instanceof RegExp ? name : new RegExp(name.replaceAll(/[[\]()+*?.$^|\\]/g, '\\$&'));
    const focused = `(({ ariaLabel, textContent, tagName }) => tagName === '${role === 'link' ? 'A' : 'BUTTON'}' ? ariaLabel ?? textContent : '')(document.activeElement)`;
    for (let presses = 0; presses < 400 && !is.test(await page.evaluate<string>(focused)); presses++)
      await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
  },
};

describe.skipIf(noChromium !== undefined)(
  `the tasks of the inspector${noChromium ? `, skipped: ${noChromium}` : ''}`,
  () => {
    useInspectPage();
    const chromium = useChromium();
    let inspector: Inspector;
    beforeAll(async () => {
      inspector = await startInspector({ tools, cases: realCases, title: 'tools.json' });
    });
    afterAll(() => inspector.close());

    describe.each([
      ['with the mouse', byMouse({})],
      ['in the dark, 390 pixels wide', byMouse({ theme: 'dark', width: 390 })],
      ['with the keys alone', byKeys],
    ])('%s', (_, { view, press }) => {
      it('why is it not found, mend it, and take it home, in four actions', async () => {
        const { page, problems } = await chromium.open(inspector.url, view);
        await press(page, 'link', QUERY);
        const expected = page.locator('.expected');
        await expected.getByText(/^Place 115 of /).waitFor();
        expect(await page.getByLabel('Expected tool').inputValue()).toBe(WANTED);
        await until(page, `document.querySelectorAll('.mend tbody tr').length > 3`);
        await until(page, `!document.querySelector('.mend')?.innerText.includes('…')`);
        const places = await page.locator('.mend tbody td:nth-child(3)').allInnerTexts();
        expect(Number(places[0])).toBeLessThan(115);
        const word = await page.locator('.mend tbody th').first().innerText();
        await press(page, 'button', `Add ${word}`);
        await expected.getByText(new RegExp(`^Place ${places[0]} of `)).waitFor();
        await press(page, 'button', '1 change');
        expect(await axeViolations(page)).toEqual([]);
        await press(page, 'button', 'Copy as search.keywords');
        await page.getByRole('button', { name: 'Copied' }).waitFor();
        const code = await page.evaluate<string>('navigator.clipboard.readText()');
        expect(code).toContain('search: { keywords: {');
        expect(code).toContain(WANTED);
        expect(code).toContain(JSON.stringify(word));
        expect(problems).toEqual([]);
      });

      it('which two are confused, and both to edit, in one action', async () => {
        const { page, problems } = await chromium.open(inspector.url, view);
        await press(page, 'link', 'gmail_draft_email → resend_send-email');
        for (const name of ['gmail_draft_email', 'resend_send-email'])
          await page
            .getByRole('region', { name: `Edit ${name}` })
            .getByLabel('Description')
            .waitFor();
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
        expect(problems).toEqual([]);
      });

      it('what costs most, in one action', async () => {
        const { page } = await chromium.open(inspector.url, view);
        await press(page, 'link', /tokens in all$/);
        await until(page, `document.querySelectorAll('.tool-table tbody tr').length > 50`);
        const tokens = await page.locator('.tool-table tbody td:nth-child(3)').allInnerTexts();
        const numbers = tokens.map((text) => Number(text.replaceAll(',', '')));
        expect(numbers).toEqual(numbers.toSorted((one, other) => other - one));
        expect(numbers[0]).toBeGreaterThan(5_000);
      });

      it('share what is seen, in one action', async () => {
        const { page } = await chromium.open(`${inspector.url}#/search?q=file+a+ticket&want=jira_jira_post`, view);
        await page.locator('.expected h3').waitFor();
        await press(page, 'button', 'Copy link');
        await page.getByRole('button', { name: 'Copied' }).waitFor();
        const link = await page.evaluate<string>('navigator.clipboard.readText()');
        const shared = await page.context().newPage();
        await shared.goto(link);
        await shared
          .locator('.expected')
          .getByText(/^Place 45 of /)
          .waitFor();
      });
    });
  },
);
