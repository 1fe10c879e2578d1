import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Inspector } from '../../../src/inspect/server.ts';
import { type StartInspectorOptions, startInspector } from '../../../src/inspect/start-inspector.ts';
import { tieredScorer } from '../../../src/scorers/tiered.ts';
import { funnel } from '../../../src/workbench/funnel.ts';
import type { Funnel } from '../../../src/workbench/usage.ts';
import { axeViolations, noChromium, type OpenPage, until, useChromium, type View } from '../../support/chromium.ts';
import { useInspectPage } from '../../support/inspect-page.ts';
import { realCases, realTools } from './engine/data.ts';

const nothing = { query: 'book a table for two', relevant: [] };
/** Tools of servers, by the first part of their names. */
const tools = realTools.map((tool) => ({ ...tool, annotations: {} }));
const hostile = '<img src=x onerror=alert(1)>';

describe.skipIf(noChromium !== undefined)(
  `the views of a catalog${noChromium ? `, skipped: ${noChromium}` : ''}`,
  () => {
    useInspectPage();
    const chromium = useChromium();
    const started: Inspector[] = [];
    let real = '';

    async function start(options: StartInspectorOptions): Promise<string> {
      const inspector = await startInspector(options);
      started.push(inspector);
      return inspector.url;
    }

    beforeAll(async () => {
      real = await start({
        tools,
        cases: [...realCases, nothing],
        filter: ({ toolName, phase, requestContext }) =>
          requestContext?.get('role') === 'admin' ||
          (phase === 'search' ? !toolName.includes('delete') : toolName.startsWith('github_')),
      });
    });
    afterAll(async () => {
      for (const inspector of started) await inspector.close();
    });

    async function open(hash: string, view: View = {}, url = real): Promise<OpenPage> {
      const opened = await chromium.open(`${url}${hash}`, view);
      await opened.page.waitForSelector('main h2');
      return opened;
    }

    const texts = (page: Page, selector: string): Promise<readonly string[]> => page.locator(selector).allInnerTexts();

    describe.each(['cases', 'confusions', 'funnel', 'tokens', 'map', 'user'])('%s', (view) => {
      it.each([
        { theme: 'light', width: 1_280 },
        { theme: 'dark', width: 400 },
      ] as const)('can be used by everybody, with the $theme theme and $width pixels', async (look) => {
        const { page, problems } = await open(`#/${view}`, look);
        if (view === 'user') await page.click('text=Ask the filter');
        if (view === 'user') await page.waitForSelector('.permissions');
        expect(await axeViolations(page)).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
        expect(problems).toEqual([]);
      });
    });

    it('lists the cases that went wrong, with what came first instead, and leads to the search', async () => {
      const { page } = await open('#/cases');
      await page.click('.choice >> text=Not first');
      const rows = await texts(page, '.case-table tbody tr');
      expect(rows.length).toBeGreaterThan(5);
      expect(rows.filter((row) => row.includes('✓'))).toEqual([]);
      await page.fill('[aria-label="Find a query or a tool"]', nothing.query);
      await page.click('.choice >> text=All');
      expect(await texts(page, '.case-table tbody tr')).toHaveLength(1);
      await page.click('.case-table a');
      await until(page, `location.hash.startsWith('#/search?q=book+a+table+for+two')`);
      expect(await page.inputValue('[data-search]')).toBe(nothing.query);
    });

    it('tells recall by length and style with counts that sum up to the cases', async () => {
      const { page } = await open('#/cases');
      const counts = await texts(page, '.bars th .muted');
      const sum = (some: readonly string[]): number =>
        some.reduce((total, text) => total + Number.parseInt(text, 10), 0);
      expect([sum(counts.slice(0, 4)), sum(counts.slice(4))]).toEqual([realCases.length, realCases.length]);
    });

    it('walks through the confusions with the arrow keys, and lists the cases of one', async () => {
      const { page } = await open('#/confusions?of=tools');
      await page.focus('.confusion[tabindex="0"]');
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('Enter');
      const label = (await page.getAttribute('.confusion[aria-pressed="true"]', 'aria-label')) ?? '';
      const [, wanted = '', count = ''] = /^(\S+) wanted, .*: (\d+) case/.exec(label) ?? [];
      expect(await page.innerText('.cell-cases h3')).toContain(`${wanted} wanted`);
      expect(await texts(page, '.cell-cases li')).toHaveLength(Number(count));
    });

    it('goes down from all tools to the parts of one, and back, with the keys alone', async () => {
      const { page } = await open('#/tokens');
      await page.focus('.tile[tabindex="0"]');
      await page.keyboard.press('ArrowRight');
      const tile = (await page.getAttribute('.tile:focus', 'aria-label')) ?? '';
      await page.keyboard.press('Enter');
      const name = tile.split(' ')[0] ?? '';
      await until(page, `document.querySelector('h2').innerText.startsWith('${name}')`);
      expect(await page.locator('.tile[aria-label^="description "]').count()).toBe(1);
      // The keys go on in the new level.
      expect(await page.getAttribute('.tile:focus', 'aria-label')).toBeTruthy();
      await page.click('.crumbs a');
      await until(page, `!document.querySelector('h2').innerText.startsWith('${name}')`);
      await page.click('summary');
      expect((await texts(page, 'main tbody tr')).length).toBeGreaterThan(50);
    });

    it('shows on the map what a tool is like, and opens it', async () => {
      const { page } = await open('#/map');
      await page.focus('.dot-of[tabindex="0"]');
      await page.keyboard.press('ArrowRight');
      const name = (await page.getAttribute('.dot-of:focus', 'aria-label')) ?? '';
      expect(await page.innerText('.map-card')).toContain(name);
      expect(await page.locator('.map-card li').count()).toBeGreaterThan(0);
      await page.keyboard.press('Enter');
      await until(page, `location.hash === '#/tools/${name}'`);
    });

    it('acts as a user: what the filter lets through, and a search among that', async () => {
      const { page } = await open('#/user');
      const find = async (query: string): Promise<readonly string[]> => {
        await page.fill('[aria-label="Search as this user"]', query);
        await page.waitForTimeout(400);
        await page.waitForSelector('.matches, .user-search [role="status"]');
        return texts(page, '.matches a');
      };
      await page.click('text=Ask the filter');
      await page.waitForSelector('.permissions');
      const deleting = realTools.filter(({ name }) => name.includes('delete')).length;
      expect(await page.innerText('.permitted-counts')).toContain(
        `find ${(realTools.length - deleting).toLocaleString('en')}`,
      );
      expect((await find('delete a label')).filter((name) => name.includes('delete'))).toEqual([]);
      await page.fill('textarea', '{ "role": "admin" ');
      expect(await page.innerText('#user-context-says')).toContain('This is no JSON');
      expect(await page.isDisabled('text=Ask the filter')).toBe(true);
      await page.fill('textarea', '{ "role": "admin" }');
      await page.keyboard.press('Control+Enter');
      await until(page, `document.querySelector('.permitted-counts')?.innerText.includes('find 1,485')`);
      await find('delete a label');
      await until(page, `document.querySelector('.matches a')?.textContent.includes('delete')`);
    });

    it('shows how far searches came, and names those without a match', async () => {
      const counts = { searches: 40, found: 30, loaded: 10, called: 8 };
      const stages = Object.entries(counts).map(([name, count]) => ({ name, count })) as Funnel['stages'];
      const shown: Funnel = {
        ...{ ...funnel([]), events: 99, stages },
        tokens: { steps: 9, sent: 100, all: 1_000, saved: 900 },
        unmatched: [{ query: hostile, count: 2 }],
        tools: [{ name: 'gmail_send_email', found: 3, called: 2, loaded: 3, neverCalled: 1 }],
      };
      const { page, problems } = await open('#/funnel', {}, await start({ tools, funnel: shown }));
      expect((await texts(page, '.stages td strong')).map(Number)).toEqual(Object.values(counts));
      const main = await page.innerText('main');
      for (const text of [`${hostile} 2 times`, 'gmail_send_email 1 of 3 loads', '10 % of the 1,000'])
        expect(main).toContain(text);
      expect(await axeViolations(page)).toEqual([]);
      expect(problems).toEqual([]);
    });

    it('counts a log that is chosen in the page, and names its searches without a match', async () => {
      const { page, problems } = await open('#/funnel');
      expect(await page.innerText('main')).toContain('--log');
      const event = (type: string, fields: object): string =>
        JSON.stringify({ type, runId: 'run', time: 1, ...fields });
      const log = [
        event('search', { queries: ['write'], results: ['gmail_send_email'], loaded: [], verdict: 'fits' }),
        event('load', { loaded: ['gmail_send_email'], alreadyLoaded: [], notFound: [] }),
        event('search', { queries: [hostile], results: [], loaded: [], verdict: 'nothing' }),
        event('step', { sent: [], tokensSent: 100, tokensSaved: 900 }),
        '{ "cut',
      ];
      await page.setInputFiles('.file input', { name: 'log.jsonl', mimeType: 'text/plain', buffer: Buffer.from('no') });
      await page.waitForSelector('[role="alert"]');
      const buffer = Buffer.from(log.join('\n'));
      await page.setInputFiles('.file input', { name: 'log.jsonl', mimeType: 'text/plain', buffer });
      await page.waitForSelector('.stages');
      expect((await texts(page, '.stages td strong')).map(Number)).toEqual([2, 1, 1, 0]);
      const main = await page.innerText('main');
      for (const text of [
        'log.jsonl: 4 events, 1 line that is none',
        hostile,
        'gmail_send_email 1 of 1 load',
        '10 % of the 1,000',
      ]) {
        expect(main).toContain(text);
      }
      expect(await axeViolations(page)).toEqual([]);
      expect(problems).toEqual([]);
    });

    it('runs nothing of the tools, and shows it as text', async () => {
      const evil = {
        name: 'evil',
        description: hostile,
        inputSchema: { type: 'object', properties: { [hostile]: {} } },
      };
      const twin = { name: 'evil_twin', description: hostile, inputSchema: {} };
      const url = await start({
        tools: [evil, twin],
        title: hostile,
        cases: [{ query: hostile, relevant: ['evil_twin'] }],
      });
      for (const hash of ['cases', 'confusions', 'tokens/evil', 'map?alike=50', 'user']) {
        const { page, problems } = await open(`#/${hash}`, {}, url);
        expect(await page.locator('img').count()).toBe(0);
        expect(problems).toEqual([]);
        if (hash === 'tokens/evil') expect(await page.locator('.tile').count()).toBe(4);
      }
    });

    it('says which scorer ranks the cases, where the first one is of the server', async () => {
      const scorers = [{ ...tieredScorer(), name: 'ours' }];
      const cases = realCases.slice(0, 40);
      const url = await start({ tools, cases, scorers });
      for (const hash of ['cases', 'confusions', 'map', 'tools/github_create_issue']) {
        const { page } = await open(`#/${hash}`, {}, url);
        await page.getByText('Ranked with the page’s bm25, not with ours').waitFor();
        expect(await axeViolations(page)).toEqual([]);
      }
    });

    it('lists pairs before a matrix of nothing but ones', async () => {
      const pair = ['create', 'delete'].map((name) => ({ name, description: `To ${name} it.`, inputSchema: {} }));
      const url = await start({ tools: pair, cases: [{ query: 'delete', relevant: ['create'] }] });
      const { page } = await open('#/confusions', {}, url);
      expect(await page.locator('main table').first().getAttribute('class')).toBe('pairs');
    });

    it('names other servers on the map only where it shows some', async () => {
      const small = ['send_letter', 'send_letters'].map((name) => ({
        name,
        description: 'Send a letter to a friend.',
        inputSchema: {},
      }));
      const { page } = await open('#/map', {}, await start({ tools: small }));
      expect(await texts(page, '.legend li')).toEqual([expect.stringContaining('no server')]);
    });

    it('says what to pass where there is nothing to show', async () => {
      const url = await start({ tools: [{ name: 'clock', description: 'Tell the time.', inputSchema: {} }] as never });
      for (const [hash, says] of [
        ['cases', '--cases'],
        ['confusions', '--cases'],
        ['funnel', '--log'],
        ['user', 'processor.inspector()'],
        ['map', 'No two tools'],
      ] as const) {
        const { page } = await open(`#/${hash}`, {}, url);
        expect(await page.innerText('main')).toContain(says);
        expect(await axeViolations(page)).toEqual([]);
      }
    });
  },
);
