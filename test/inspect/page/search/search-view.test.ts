import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inspectorHtml } from '../../../../src/inspect/start-inspector.ts';
import { axeViolations, noChromium, until, useChromium } from '../../../support/chromium.ts';
import { useInspectPage } from '../../../support/inspect-page.ts';

const tools = [
  {
    name: 'github_create_issue',
    description: 'Create an issue in a repository.',
    inputSchema: { type: 'object', properties: { title: { type: 'string', description: 'The title of the issue.' } } },
  },
  { name: 'github_list_issues', description: 'List the issues of a repository.' },
  { name: 'jira_create_ticket', description: 'Create a ticket in a project.' },
  { name: 'send_email', description: 'Send an email to a person.' },
  { name: 'get_time', description: 'Tell the time of a city.' },
  {
    name: 'hostile_tool',
    description: '<img src=x onerror=alert(1)><script>alert(2)</script> \u202egnp.exe\u200b [a](javascript:alert(3))',
  },
];
const listed = tools.map((tool) => ({ inputSchema: { type: 'object' }, ...tool }));
const cases = [
  { query: 'open an issue', relevant: ['github_create_issue'] },
  { query: 'write to a colleague', relevant: ['send_email'] },
  { query: 'report a defect', relevant: ['jira_create_ticket'] },
];

describe.skipIf(noChromium !== undefined)(`the page${noChromium ? `, skipped: ${noChromium}` : ''}`, () => {
  const chromium = useChromium();
  useInspectPage();
  let folder = '';
  let file = '';

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'inspect-'));
    const name = path.join(folder, 'report.html');
    writeFileSync(name, await inspectorHtml({ tools: listed, cases, title: 'Office' }));
    file = pathToFileURL(name).href;
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const open = (hash: string, view = {}) => chromium.open(`${file}${hash}`, view);
  const rowsOf = (page: Page, scorer: string) =>
    page.locator(`section[aria-label="Ranking of ${scorer}"] [data-row]`).allTextContents();
  const focused = (page: Page) => page.evaluate<string>('document.activeElement.textContent');

  it('ranks with two scorers what is typed, lights up what was found, and says why', async () => {
    const { page, problems } = await open('');
    await page.getByLabel('Query').pressSequentially('create an isue');
    await page.getByText('Read as').waitFor();
    expect((await rowsOf(page, 'bm25'))[0]).toBe('github_create_issue');
    expect(await rowsOf(page, 'tiered')).toContain('jira_create_ticket');
    const row = page.locator('section[aria-label="Ranking of bm25"] li').first();
    expect(await row.locator('.row-text mark').allTextContents()).toEqual(['Create', 'issue']);
    await row.getByRole('button', { name: 'Why github_create_issue' }).click();
    await row.getByRole('cell', { name: 'issue read as this' }).waitFor();
    expect(problems).toEqual([]);
  });

  it('is used by keys alone', async () => {
    const { page, problems } = await open('');
    await page.keyboard.type('issue');
    // The address follows when nothing more is typed.
    await page.waitForURL(/q=issue/);
    await page.locator('section[data-side="first"] [data-row] mark', { hasText: 'issue' }).first().waitFor();
    const [first, second] = await rowsOf(page, 'bm25');
    await page.keyboard.press('ArrowDown');
    expect(await focused(page)).toBe(first);
    await page.keyboard.press('j');
    expect(await focused(page)).toBe(second);
    await page.keyboard.press('ArrowRight');
    expect(await page.evaluate('document.activeElement.closest("section").ariaLabel')).toBe('Ranking of tiered');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Space');
    await page.locator('.explanation').waitFor();
    await page.keyboard.press('k');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: first ?? '' }).waitFor();
    expect(page.url()).toContain(`#/tools/${first}`);
    await page.keyboard.press('Escape');
    await page.getByLabel('Query').waitFor();
    expect(await page.getByLabel('Query').inputValue()).toBe('issue');
    await page.keyboard.press('Escape');
    // A view is found as it was left, and its own key leads to its beginning.
    await page.keyboard.press('2');
    await page.getByRole('heading', { name: first ?? '' }).waitFor();
    await page.keyboard.press('2');
    await page.getByLabel('Names and groups').waitFor();
    await page.keyboard.press('/');
    expect(await page.evaluate('document.activeElement.type')).toBe('search');
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(problems).toEqual([]);
  });

  it('follows its address: a link that is pasted, and the way back', async () => {
    const { page, problems } = await open('#/search?q=time&a=bm25&b=tiered');
    const field = page.getByLabel('Query');
    const first = page.locator('section[data-side="first"] [data-row]').first();
    await first.getByText('get_time').waitFor();
    await page.evaluate(`location.hash = '#/search?q=email&a=tiered'`);
    await first.getByText('send_email').waitFor();
    expect([await field.inputValue(), await page.getByLabel('Scorer', { exact: true }).inputValue()]).toEqual([
      'email',
      'tiered',
    ]);
    await page.goBack();
    await first.getByText('get_time').waitFor();
    expect([await field.inputValue(), await page.getByLabel('Scorer', { exact: true }).inputValue()]).toEqual([
      'time',
      'bm25',
    ]);
    await page.evaluate(`location.hash = '#/tools?q=email'`);
    await page.getByText('1 of 6').waitFor();
    await page.evaluate(`location.hash = '#/tools?q=github&by=name'`);
    await page.getByText('2 of 6').waitFor();
    expect(await page.getByLabel('Order').inputValue()).toBe('name');
    expect(problems).toEqual([]);
  });

  it('lets an empty search field keep the keys of the page', async () => {
    const { page } = await open('');
    const field = page.getByLabel('Query');
    expect(await field.getAttribute('placeholder')).not.toContain('/');
    await page.keyboard.press('/');
    expect(await field.inputValue()).toBe('');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    const tabs = await page.locator('nav a').count();
    expect(await page.getByRole('dialog').innerText()).toContain(`1 … ${tabs}`);
    await page.keyboard.press('Escape');
    await field.blur();
    expect(await field.getAttribute('placeholder')).toContain('( / )');
    await field.fill('a');
    await page.keyboard.press('/');
    expect(await field.inputValue()).toBe('a/');
  });

  it('says how the score comes of the words', async () => {
    const { page } = await open('#/search?q=create+issue');
    await page.getByRole('button', { name: 'Why github_create_issue' }).first().click();
    const explanation = page.locator('.explanation');
    const added = await explanation.locator('td.adds .number').allInnerTexts();
    const text = await explanation.locator('p').innerText();
    const [, score = '', sum = '', factor = ''] = /Score (\S+): the words add (\S+), × (\S+) for/.exec(text) ?? [];
    expect(Number(sum)).toBeCloseTo(
      added.reduce((total, one) => total + Number(one), 0),
      0,
    );
    expect(Number(score)).toBeCloseTo(Number(sum) * Number(factor), 0);
  });

  it('ranks every case anew when a tool is edited, keeps the edit in other views, and takes it back', async () => {
    const { page, problems } = await open('#/tools/send_email');
    await page.getByText('No case changed its place.').waitFor({ state: 'detached' });
    await page.getByLabel(/^Keywords/).fill('colleague, letter');
    const better = page.locator('.effect li', { hasText: 'write to a colleague' });
    await better.waitFor();
    expect(await better.locator('.number').textContent()).toMatch(/→ 1$/);
    expect(await page.title()).toMatch(/^● /);
    await page.getByRole('button', { name: 'Copy as search.keywords' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(JSON.parse(copied)).toEqual({ search: { keywords: { send_email: ['colleague', 'letter'] } } });
    await page.getByRole('link', { name: 'Search' }).click();
    await page.getByLabel('Query').fill('letter');
    await page.locator('section[aria-label="Ranking of bm25"] [data-row]', { hasText: 'send_email' }).waitFor();
    await page.getByRole('link', { name: '1 edited tool' }).click();
    // The rows of the search, two for this tool, go away a moment later.
    await page.locator('[data-row]', { hasText: 'send_email' }).first().waitFor();
    await until(page, `document.querySelectorAll('[data-row]').length === 1`);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('link', { name: '1 edited tool' }).waitFor({ state: 'detached' });
    await until(page, `!document.title.includes('●')`);
    expect(problems).toEqual([]);
  });

  it('shows what a tool says as text, with all that is hidden in it', async () => {
    const { page, problems } = await open('#/tools/hostile_tool');
    const shown = await page.getByLabel('Definition').last().textContent();
    expect(shown).toContain('<img src=x onerror=alert(1)><script>alert(2)</script> \\u{202e}gnp.exe\\u{200b}');
    await page.keyboard.press('1');
    await page.getByLabel('Query').fill('gnp javascript');
    await page.locator('[data-row]', { hasText: 'hostile_tool' }).first().waitFor();
    expect(await page.locator('img, #inspect script, a[href^="javascript"]').count()).toBe(0);
    expect(problems).toEqual([]);
  });

  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 400],
    ['dark', 400],
  ] as const)(
    'has nothing for axe to find, in %s, %i pixels wide, and does not scroll to the side',
    async (theme, width) => {
      const { page, problems } = await open('#/search?q=create+an+isue', { theme, width });
      await page.locator('[data-explain]').first().click();
      await page.locator('.explanation').waitFor();
      const sideways = 'document.documentElement.scrollWidth > innerWidth';
      expect({ violations: await axeViolations(page), isWide: await page.evaluate(sideways) }).toEqual({
        ...{ violations: [], isWide: false },
      });
      for (const hash of ['#/tools', '#/tools/github_create_issue']) {
        await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
        await page
          .locator(hash === '#/tools' ? '.tool-row' : '.editor')
          .first()
          .waitFor();
        if (hash !== '#/tools') await page.getByLabel('Description').fill('Open a ticket.');
        await page.waitForTimeout(200);
        expect({ violations: await axeViolations(page), isWide: await page.evaluate(sideways) }).toEqual({
          ...{ violations: [], isWide: false },
        });
      }
      expect(problems).toEqual([]);
    },
  );

  it('looks as the system does, until it is told otherwise, and keeps that', async () => {
    const { page } = await open('', { theme: 'dark' });
    const background = () => page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor');
    const dark = await background();
    await page.getByRole('button', { name: 'Theme: auto' }).click();
    await page.getByRole('button', { name: 'Theme: light' }).waitFor();
    expect(await background()).not.toBe(dark);
    await page.getByRole('button', { name: 'Theme: light' }).click();
    expect(await background()).toBe(dark);
  });
});
