import { evaluate, type Funnel, funnel, lint } from 'mastra-tool-search/evaluate';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Inspector, type StartInspectorOptions, startInspector } from '../../../src/inspect/start-inspector.ts';
import { axeViolations, noChromium, type OpenPage, until, useChromium, type View } from '../../support/chromium.ts';
import { useInspectPage } from '../../support/inspect-page.ts';
import { realCases, realTools } from './engine/data.ts';

const nothing = { query: 'book a table for two', relevant: [] };
const tools = realTools.map((tool) => ({
  ...{ ...tool, annotations: {} },
  mcpMetadata: { serverName: tool.name.split('_')[0] },
}));
const hostile = '<img src=x onerror=alert(1)>';
const plain = (name: string, description: string) => ({ name, description, inputSchema: {} });

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
        ...{ tools, cases: [...realCases, nothing] },
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
      await until(opened.page, `!document.querySelector('.skeleton, [data-stale]')`);
      return opened;
    }

    const texts = (page: Page, selector: string): Promise<readonly string[]> => page.locator(selector).allInnerTexts();
    const shownCases = (page: Page): Promise<string> => page.getByText(/cases? shown/).innerText();

    it('are four', async () => {
      const { page } = await open('');
      expect(await texts(page, 'nav a')).toEqual(['Overview', 'Search', 'Tools', 'Cases']);
    });

    it.each([
      { theme: 'light', width: 1_280 },
      { theme: 'dark', width: 390 },
    ] as const)('can be used by everybody, with the $theme theme and $width pixels', async (look) => {
      for (const hash of [
        ...['', '#/search', '#/search?q=file+a+ticket&want=jira_jira_post', '#/tools', '#/tools/github_create_issue'],
        ...['#/cases', '#/cases?by=pairs&wanted=gmail_draft_email&instead=resend_send-email', '#/cases?by=servers'],
        ...['#/tools?as=%7B%22role%22%3A%22admin%22%7D'],
      ]) {
        const { page, problems } = await open(hash, look);
        if (hash.includes('/search?q')) await page.locator('[data-explain]').first().click();
        if (hash === '#/tools/github_create_issue') await page.getByLabel('Description').fill('Open a ticket.');
        if (hash.includes('as=')) await page.getByText('this user may find 1,485').waitFor();
        const small = `Array.from(document.querySelectorAll('button, select, summary, [data-row], .gauges a'), (one) => one.getBoundingClientRect())
          .filter(({ width, height }) => width > 0 && height < 24).length`;
        const width = await page.evaluate('document.documentElement.scrollWidth');
        expect({ hash, width, violations: await axeViolations(page), small: await page.evaluate(small) }).toEqual({
          ...{ hash, width: look.width, violations: [], small: 0 },
        });
        expect(problems).toEqual([]);
        await page.context().close();
      }
    });

    describe('Overview', () => {
      it('says what evaluate() and lint() say, and each number leads to what it counts', async () => {
        const { page } = await open('');
        const [measured] = (await evaluate({ tools, cases: [...realCases, nothing] })).scorers;
        const percent = (share = 0): string => `${Math.round(100 * share)} %`;
        const { hit1, recall, ndcg10 } = measured?.figures ?? {};
        const gauges = await texts(page, '.gauges dd > a');
        expect(gauges.slice(0, 3)).toEqual([percent(hit1?.mean), percent(recall?.mean), percent(ndcg10?.mean)]);
        expect((await texts(page, '.gauges dd .small'))[0]).toBe(`${percent(hit1?.low)} to ${percent(hit1?.high)}`);
        const found = await lint(tools);
        const count = (severity: string): string => `${found.filter((one) => one.severity === severity).length}`;
        expect(await texts(page, '.severities b')).toEqual([
          ...[count('error'), count('warning'), count('info')],
          expect.stringMatching(/^\d{3},\d{3}$/),
        ]);
        for (const list of ['Worst cases', 'Most confused', 'Heaviest tools']) {
          const card = page.locator('section.panel', { has: page.getByRole('heading', { name: list }) });
          expect(await card.locator('li').count()).toBe(5);
        }
        expect(await page.locator('.made').innerText()).toMatch(
          /mastra-tool-search \d+\.\d+\.\d+ · scorer bm25 · .*\d{4}/,
        );
        await page.locator('.gauges dd > a').nth(3).click();
        expect(await shownCases(page)).toContain(`${gauges[3]} cases shown`);
        await page.keyboard.press('1');
        const errors = found.filter(({ severity }) => severity === 'error').map(({ toolName }) => toolName);
        await page.getByRole('link', { name: /errors$/ }).click();
        await page.getByText(`${new Set(errors).size} of 1,485 tools`).waitFor();
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
        const { page, problems } = await open('', {}, await start({ tools, funnel: shown }));
        expect((await texts(page, '.stages strong')).map(Number)).toEqual(Object.values(counts));
        const main = (await page.innerText('.funnel')).replaceAll(/\s+/g, ' ');
        for (const text of [`${hostile} 2 times`, 'gmail_send_email 1 of 3 loads', '10 % of the 1,000'])
          expect(main).toContain(text);
        expect(await axeViolations(page)).toEqual([]);
        expect(problems).toEqual([]);
      });

      it('counts a log that is chosen in the page', async () => {
        const { page, problems } = await open('#/funnel');
        expect(await page.innerText('.funnel')).toContain('--log');
        const event = (type: string, fields: object): string =>
          JSON.stringify({ type, runId: 'run', time: 1, ...fields });
        const log = [
          event('search', { queries: ['write'], results: ['gmail_send_email'], loaded: [], verdict: 'fits' }),
          event('load', { loaded: ['gmail_send_email'], alreadyLoaded: [], notFound: [] }),
          event('search', { queries: [hostile], results: [], loaded: [], verdict: 'nothing' }),
          event('step', { sent: [], tokensSent: 100, tokensSaved: 900 }),
          '{ "cut',
        ];
        const file = { name: 'log.jsonl', mimeType: 'text/plain' };
        await page.setInputFiles('.file input', { ...file, buffer: Buffer.from('no') });
        await page.waitForSelector('[role="alert"]');
        await page.setInputFiles('.file input', { ...file, buffer: Buffer.from(log.join('\n')) });
        await page.waitForSelector('.stages');
        expect((await texts(page, '.stages strong')).map(Number)).toEqual([2, 1, 1, 0]);
        const main = (await page.innerText('.funnel')).replaceAll(/\s+/g, ' ');
        for (const text of ['log.jsonl: 4 events, 1 line that is none', hostile, '1 of 1 load', '10 % of the 1,000'])
          expect(main).toContain(text);
        expect(problems).toEqual([]);
      });
    });

    describe('Search', () => {
      const rows = (page: Page) => page.locator('.ranked [data-row]').allTextContents();

      it('ranks what is typed, lights up what was found, and says in words what the model is told', async () => {
        const { page, problems } = await open('#/search');
        await page.keyboard.type('github create an isue');
        await page.getByText('Read as').waitFor();
        await page.locator('.ranked [data-row]', { hasText: 'github_create_issue' }).first().waitFor();
        expect((await rows(page))[0]).toBe('github_create_issue');
        const row = page.locator('.row').first();
        expect(await row.locator('.row-text mark').allTextContents()).toEqual(['Create', 'issue', 'GitHub']);
        await page.getByText(/likely to fit: the model is shown the first ones/).waitFor();
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press('Space');
        await row.getByRole('cell', { name: 'issue read as this' }).waitFor();
        await page.getByLabel('What would an agent ask for?').fill('water the plants on the balcony');
        await page
          .getByText(/^[\d,]+ tools match\. [\d.]+ % likely to fit: .* that probably nothing fits\.$/)
          .waitFor();
        await page.getByLabel('What would an agent ask for?').fill('zzzz qqqq');
        await page.getByText('No tool matches: the model is told that nothing was found.').waitFor();
        expect(problems).toEqual([]);
      });

      it.each(['github_create_issue', 'github_add_issue_comment', 'github_list_issues', 'time_get_week_year'])(
        'compares %s with the winner word by word, in sums that are the scores',
        async (name) => {
          const { page } = await open(`#/search?q=create+an+issue+comment&want=${name}`);
          await page.locator('.words tfoot').waitFor();
          const columns = await page.evaluate<readonly (readonly string[])[]>(
            `[3, 5].map((column) => Array.from(document.querySelectorAll('.words tr > :nth-child(' + column + ')'), (cell) => cell.innerText).slice(1))`,
          );
          for (const column of columns) {
            const numbers = column.map(Number);
            const sum = numbers.slice(0, -1).reduce((total, one) => total + one, 0);
            expect(numbers.length).toBe(5);
            expect(sum).toBeCloseTo(numbers.at(-1) ?? Number.NaN, 6);
          }
          const foot = await page.innerText('.words tfoot');
          if (name === 'time_get_week_year') expect(foot).toContain('does not match');
          else expect(foot).toContain('place 1');
        },
      );

      it('shows its places beside those of another scorer', async () => {
        const { page } = await open('#/search?q=create+issue&beside=tiered');
        await page.locator('[aria-label*="with the other scorer"]').first().waitFor();
        expect(await page.innerText('.column-head')).toContain('↑↓ beside tiered');
      });

      it('says which tool there is not', async () => {
        const { page } = await open('#/search?q=time&want=nobody');
        await page.getByText('There is no tool nobody').waitFor();
      });

      it('is used by keys alone, and found as it was left', async () => {
        const { page, problems } = await open('');
        await page.keyboard.press('/');
        await page.locator('[data-search]').waitFor();
        await page.keyboard.type('issue');
        await page.locator('.ranked [data-row]').first().waitFor();
        await page.waitForURL(/q=issue/);
        const [first = '', second] = await rows(page);
        const focused = () => page.evaluate<string>('document.activeElement.textContent');
        await page.keyboard.press('ArrowDown');
        expect(await focused()).toBe(first);
        await page.keyboard.press('j');
        expect(await focused()).toBe(second);
        await page.keyboard.press('k');
        await page.keyboard.press('Enter');
        await page.getByRole('heading', { name: first }).waitFor();
        await page.keyboard.press('Escape');
        // Back at the row that was opened; from there into the field, and out of it.
        await until(page, `document.activeElement.textContent === ${JSON.stringify(first)}`);
        await page.keyboard.press('Escape');
        expect(await page.inputValue('[data-search]')).toBe('issue');
        await page.keyboard.press('Escape');
        await page.keyboard.press('4');
        await page.getByRole('heading', { name: '152 cases' }).waitFor();
        await page.keyboard.press('2');
        expect(await page.inputValue('[data-search]')).toBe('issue');
        await page.keyboard.press('Escape');
        await page.keyboard.press('?');
        await page.getByRole('dialog', { name: 'Keys' }).waitFor();
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'hidden' });
        expect(problems).toEqual([]);
      });

      it('follows its address: a link that is pasted, and the way back', async () => {
        const { page } = await open('#/search?q=time');
        const first = page.locator('.ranked [data-row]').first();
        await first.getByText('time').first().waitFor();
        await page.evaluate(`location.hash = '#/search?q=email&scorer=tiered'`);
        await first.getByText('email').first().waitFor();
        expect([await page.inputValue('[data-search]'), await page.getByLabel('Scorer').inputValue()]).toEqual([
          'email',
          'tiered',
        ]);
        await page.goBack();
        await first.getByText('time').first().waitFor();
        expect(await page.getByLabel('Scorer').inputValue()).toBe('bm25');
      });

      it('acts as a user: finds what the filter lets through, and says what it does not', async () => {
        const { page } = await open('#/search?q=delete+emails&want=gmail_batch_delete_emails');
        await page.getByText('Act as a user').click();
        await page.getByRole('button', { name: 'Ask the filter' }).click();
        const deleting = realTools.filter(({ name }) => name.includes('delete')).length;
        await page.getByText(`this user may find ${(realTools.length - deleting).toLocaleString('en')}`).waitFor();
        await page.getByText('This user may not find it.').waitFor();
        await until(
          page,
          `!Array.from(document.querySelectorAll('.ranked .name'), (one) => one.innerText).join().includes('delete')`,
        );
        await page.getByLabel('Request context').fill('{ "role": "admin" ');
        await page.getByText('This is no JSON').waitFor();
        expect(await page.getByRole('button', { name: 'Ask the filter' }).isDisabled()).toBe(true);
        await page.getByLabel('Request context').fill('{ "role": "admin" }');
        await page.keyboard.press('Control+Enter');
        await page.getByText('this user may find 1,485').waitFor();
        await until(
          page,
          `Array.from(document.querySelectorAll('.ranked .name'), (one) => one.innerText).join().includes('delete')`,
        );
      });

      it('asks the server for its own scorers, when nothing more is typed', async () => {
        const asked: string[] = [];
        const backwards = {
          name: 'backwards',
          index: (documents: readonly { name: string }[]) => ({
            search({ text }: { text: string }) {
              asked.push(text);
              if (text.includes('broken')) throw new Error('It broke.');
              const names = documents.map(({ name }) => name).sort();
              return names.reverse().map((name, place) => ({ name, score: 10 - place }));
            },
          }),
        };
        const small = [plain('send_email', 'Send an email.'), plain('send_letter', 'Send a letter by post.')];
        const cases = [{ query: 'write', relevant: ['send_email'] }];
        const url = await start({ tools: small, scorers: [backwards], cases });
        const { page } = await open('#/search?want=send_email&scorer=backwards', {}, url);
        await page.locator('[data-search]').pressSequentially('send an email', { delay: 20 });
        await page.locator('.ranked [data-row]').first().waitFor();
        expect(await rows(page)).toEqual(['send_letter', 'send_email']);
        expect(asked).toContain('send an email');
        expect(asked.length).toBeLessThan('send an email'.length);
        await page.getByText('backwards has it at place 2').waitFor();
        await page.locator('[data-explain]').first().click();
        await page.getByText('This scorer does not say why.').waitFor();
        await page.locator('[data-search]').fill('broken');
        await page.getByText('The scorer "backwards" failed').waitFor();
        await page.keyboard.press('Escape');
        await page.keyboard.press('4');
        await page.getByText('Ranked with the page’s bm25, not with backwards').waitFor();
        expect(await axeViolations(page)).toEqual([]);
      });
    });

    describe('Tools', () => {
      it('are sorted and filtered by any column, and by rule', async () => {
        const { page } = await open('#/tools');
        const column = (place: number) => texts(page, `.tool-table tbody tr > :nth-child(${place})`);
        for (const [name, place] of [
          ['tokens', 3],
          ['won', 5],
          ['lost', 6],
        ] as const) {
          await page.getByRole('button', { name, exact: true }).last().click();
          await until(page, `location.hash.includes('sort=${name}')`);
          const numbers = (await column(place)).map((text) => Number(text.replaceAll(',', '')));
          expect(numbers).toEqual(numbers.toSorted((one, other) => other - one));
          expect(numbers[0]).toBeGreaterThan(0);
        }
        await page.getByRole('button', { name: 'name', exact: true }).click();
        expect(await column(1)).toEqual((await column(1)).toSorted());
        await page.getByLabel('Server', { exact: true }).selectOption('github');
        expect(new Set(await column(2))).toEqual(new Set(['github']));
        await page.getByLabel('Server', { exact: true }).selectOption('');
        await page.getByLabel('Findings', { exact: true }).selectOption('missing-description');
        const named = (await lint(tools)).filter(({ rule }) => rule === 'missing-description');
        expect((await column(1)).toSorted()).toEqual(named.map(({ toolName }) => toolName).toSorted());
        await page.getByLabel('Findings', { exact: true }).selectOption('');
        await page.getByLabel('Kind').selectOption('lost');
        expect((await column(6)).every((text) => Number(text) > 0)).toBe(true);
        await page.getByLabel('Names and servers').fill('gmail');
        expect((await column(1)).every((name) => name.includes('gmail'))).toBe(true);
      });

      it('ranks every case anew when a tool is edited, and takes it back', async () => {
        const { page, problems } = await open('#/tools/digitalocean_snapshot-droplet');
        await page.getByLabel(/^Keywords/).fill('clone, image of a server');
        const better = page.locator('.effect li', { hasText: 'image of a server to clone later' });
        await better.getByText('place 115 → place 1').waitFor();
        expect(await page.title()).toMatch(/^● /);
        await page.getByRole('button', { name: 'Undo' }).click();
        await page.getByRole('button', { name: '1 change' }).waitFor({ state: 'detached' });
        await until(page, `!document.title.includes('●')`);
        expect(problems).toEqual([]);
      });

      it('counts the tokens of the whole text', async () => {
        const url = await start({ tools: [plain('long', 'A word of it. '.repeat(40_000))] });
        const { page } = await open('#/tools', {}, url);
        const [tokens = ''] = await texts(page, '.tool-table tbody td:nth-child(2)');
        expect(Number(tokens.replaceAll(',', ''))).toBeGreaterThan(150_000);
      });
    });

    describe('Cases', () => {
      it('stand worst first, and lead to the search with the expected tool', async () => {
        const { page } = await open('#/cases');
        const places = (await texts(page, '.case-table tbody td:nth-child(3)')).map((text) =>
          Number(/place (\d+)/.exec(text)?.[1] ?? Number.POSITIVE_INFINITY),
        );
        expect(places.length).toBeGreaterThan(20);
        expect(places.slice(0, 10)).toEqual(
          places.slice(0, 10).toSorted((one, other) => (one === other ? 0 : other - one)),
        );
        await page.getByLabel('Find a query or a tool').fill(nothing.query);
        await page.locator('.choice >> text=/^All/').click();
        expect(await texts(page, '.case-table tbody tr')).toHaveLength(1);
        await page.getByLabel('Find a query or a tool').fill('file a ticket');
        await page.locator('.case-table a', { hasText: 'file a ticket' }).click();
        await page
          .locator('.expected')
          .getByText(/^Place 45 of /)
          .waitFor();
        expect(await page.inputValue('[data-search]')).toBe('file a ticket');
      });

      it('show confused pairs with their cases and both editors, and servers', async () => {
        const { page } = await open('#/cases?by=pairs');
        const counts = (await texts(page, 'main .rows .muted')).map((text) => Number.parseInt(text, 10));
        expect(counts).toEqual(counts.toSorted((one, other) => other - one));
        await page.getByRole('link', { name: 'jira_jira_post → postman_updateSpecFile' }).click();
        const editor = page.getByRole('region', { name: 'Edit jira_jira_post' });
        await editor.getByLabel(/^Keywords/).fill('file a ticket');
        await page.getByText('Not confused any more.').waitFor();
        await page.getByText('Confused servers').click();
        await page
          .locator('.pairs a', { hasText: /^jira → / })
          .first()
          .waitFor({ state: 'detached' });
        expect(await page.locator('main .rows a').count()).toBeGreaterThan(3);
      });
    });

    it('runs nothing of the tools, and shows it as text', async () => {
      const evil = { ...plain('evil', hostile), inputSchema: { type: 'object', properties: { [hostile]: {} } } };
      const cases = [{ query: hostile, relevant: ['evil_twin'] }];
      const url = await start({ tools: [evil, plain('evil_twin', hostile)], title: hostile, cases });
      for (const hash of ['', '#/cases', '#/tools/evil', '#/cases?by=pairs', '#/search?q=img&want=evil']) {
        const { page, problems } = await open(hash, {}, url);
        expect(await page.locator('img').count()).toBe(0);
        expect(problems).toEqual([]);
      }
      const { page } = await open(
        '#/tools/evil',
        {},
        await start({ tools: [plain('evil', `${hostile} \u202egnp\u200b`)] }),
      );
      expect(await page.getByLabel('Definition', { exact: true }).textContent()).toContain(
        `${hostile} \\u{202e}gnp\\u{200b}`,
      );
    });

    it('say what to do where there is nothing to show, and stand names of any length', async () => {
      const long = `a${'_very_long_name'.repeat(20)}`.slice(0, 64);
      const odd = plain(long, `Ze${'\u0301'.repeat(400)} ${'x'.repeat(4_000)}`);
      for (const [some, says] of [
        [[plain('clock', 'Tell the time.')], { '': '--cases', '#/cases': 'Search', '#/search': 'Type what an agent' }],
        [[], { '': '--cases', '#/tools': 'There are no tools', '#/search?q=x': 'No tool matches' }],
        [[odd], { '#/tools': long, [`#/tools/${long}`]: 'Zé', '#/search?q=name': long }],
      ] as const) {
        const url = await start({ tools: some as never, title: 'An office of many words'.repeat(12) });
        for (const [hash, text] of Object.entries(says)) {
          const { page, problems } = await open(hash, { width: 390 }, url);
          await until(page, `document.querySelector('main').textContent.normalize().includes(${JSON.stringify(text)})`);
          expect(await axeViolations(page)).toEqual([]);
          expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
          expect(problems).toEqual([]);
        }
      }
    });

    it('explain their words where the focus is', async () => {
      const { page } = await open('');
      await page.getByRole('button', { name: 'nDCG@10' }).focus();
      const tip = `getComputedStyle(document.activeElement, '::after').content`;
      await page.keyboard.press('Shift+Tab');
      await page.keyboard.press('Tab');
      expect(await page.evaluate(tip)).toContain('how high the wanted tools stand');
    });

    it('look as the system does, until they are told otherwise, and keep that', async () => {
      const { page } = await open('', { theme: 'dark' });
      const background = () => page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor');
      const dark = await background();
      await page.getByRole('button', { name: 'Theme: auto' }).click();
      await page.getByRole('button', { name: 'Theme: light' }).waitFor();
      expect(await background()).not.toBe(dark);
      await page.reload();
      await page.getByRole('button', { name: 'Theme: light' }).click();
      expect(await background()).toBe(dark);
    });
  },
);
