import { bm25Scorer, tieredScorer, wordsAndMeaningScorer } from 'mastra-tool-search';
import {
  compareEvaluations,
  type Evaluation,
  evaluate,
  type Funnel,
  funnel,
  type LintFinding,
  lint,
} from 'mastra-tool-search/evaluate';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { axeViolations, noChromium, type OpenPage, until, useChromium, type View } from '../../support/chromium.ts';
import { useInspectPage } from '../../support/inspect-page.ts';
import { plain, realCases, realTools as tools } from '../catalog.ts';
import { fits, goTo, settled, texts, useInspectors } from './pages.ts';

const nothing = { query: 'book a table for two', relevant: [] };
const cases = [...realCases, nothing];
const hostile = '<img src=x onerror=alert(1)>';
const oneLine = async (page: Page, selector: string) => (await page.innerText(selector)).replaceAll(/\s+/g, ' ');
const numbersOf = (shown: readonly string[]) => shown.map((text) => Number(text.replaceAll(',', '')));
const descending = (numbers: readonly number[]) => numbers.toSorted((one, other) => (one === other ? 0 : other - one));

describe.skipIf(noChromium !== undefined)(
  `the views of a catalog${noChromium ? `, skipped: ${noChromium}` : ''}`,
  () => {
    useInspectPage();
    const chromium = useChromium();
    const start = useInspectors();
    let url = '';
    let measured: Evaluation['scorers'][number];
    let findings: readonly LintFinding[];
    const placeOf = (query: string) => measured.cases.find((one) => one.query === query)?.rank;

    beforeAll(async () => {
      findings = await lint(tools);
      measured = (await evaluate({ tools, cases })).scorers[0] as never;
      ({ url } = await start({
        ...{ tools, cases },
        filter: ({ toolName, phase, requestContext }) =>
          requestContext?.get('role') === 'admin' ||
          (phase === 'search' ? !toolName.includes('delete') : toolName.startsWith('github_')),
      }));
    });

    async function open(hash: string, view: View = {}, of = url): Promise<OpenPage> {
      const opened = await chromium.open(`${of}${hash}`, view);
      await settled(opened.page);
      return opened;
    }

    it.each([
      { theme: 'light', width: 1_280 },
      { theme: 'dark', width: 390 },
    ] as const)('can be used by everybody, with the $theme theme and $width pixels', async (look) => {
      const { page, problems } = await open('', look);
      expect(await texts(page, 'nav a')).toEqual(['Overview', 'Search', 'Tools', 'Cases']);
      for (const hash of [
        ...['#/overview', '#/search?q=file+a+ticket&want=jira_jira_post', '#/tools/github_create_issue', '#/cases'],
        '#/cases?by=pairs&wanted=gmail_draft_email&instead=googledocs_createDraft',
        '#/tools?as=%7B%22role%22%3A%22admin%22%7D',
      ]) {
        await goTo(page, hash);
        if (hash.includes('/search?q')) await page.locator('[data-explain]').first().click();
        if (hash === '#/tools/github_create_issue') await page.getByLabel('Description').fill('Open a ticket.');
        if (hash.includes('as=')) await page.getByText(`this user may find ${tools.length}`).waitFor();
        const small = `Array.from(document.querySelectorAll('button, select, summary, [data-row], .gauges a'), (one) => one.getBoundingClientRect())
          .filter(({ width, height }) => width > 0 && height < 24).length`;
        const found = {
          fits: await fits(page),
          violations: await axeViolations(page),
          small: await page.evaluate(small),
        };
        expect({ hash, ...found }).toEqual({ hash, fits: true, violations: [], small: 0 });
      }
      expect(problems).toEqual([]);
    });

    it('are led to by their keys and addresses, of earlier versions too, look as the system does, and explain themselves', async () => {
      const { page, problems } = await open('', { theme: 'dark' });
      const title = async () => (await page.title()).split(' · ')[0];
      for (const [hash, view] of [
        ...[
          ['#/map', 'Cases'],
          ['#/tokens', 'Tools'],
          ['#/user', 'Tools'],
          ['#/confusions?a=b', 'Cases'],
        ],
        ...[
          ['#/no-such-view', 'Overview'],
          ['#/tools/%E0%A4%A', '%E0%A4%A'],
          ['#/tools/no/such', 'no/such'],
        ],
        ['#/overview', 'Overview'],
      ] as const) {
        await goTo(page, hash);
        expect([hash, await title()]).toEqual([hash, view]);
      }
      const background = () => page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor');
      const dark = await background();
      await page.emulateMedia({ colorScheme: 'light' });
      expect(await background()).not.toBe(dark);
      // An explanation stands beside its word, within the window, until it is no longer wanted.
      await page.setViewportSize({ width: 390, height: 800 });
      const tip = page.locator('.tip');
      for (const name of ['Among 5', 'nDCG@10', 'Wrong verdicts']) {
        const word = page.getByRole('button', { name });
        await word.focus();
        const [over, beside] = [await word.boundingBox(), await tip.boundingBox()];
        expect(beside!.y - (over!.y + over!.height)).toBeLessThan(20);
        expect(beside!.x).toBeLessThanOrEqual(over!.x);
        expect(beside!.x + beside!.width).toBeLessThanOrEqual(390);
      }
      expect(await tip.innerText()).toContain('told that nothing fits');
      await page.keyboard.press('Escape');
      await tip.waitFor({ state: 'detached' });
      expect(await title()).toBe('Overview');
      expect(problems).toEqual([]);
    });

    it('say what to do where there is nothing to show, and stand names of any length', async () => {
      const long = `a${'_very_long_name'.repeat(20)}`.slice(0, 64);
      const unbroken = 'y'.repeat(128);
      const odd = plain(long, `Ze${'\u0301'.repeat(400)} ${'x'.repeat(4_000)}`);
      for (const [some, says] of [
        [[plain('clock', 'Tell the time.')], { '#/cases': 'Search', '#/search': 'Type what an agent' }],
        [[], { '#/tools': 'There are no tools', '#/search?q=x': 'No tool matches' }],
        [
          [odd],
          { '#/tools': long, [`#/tools/${long}`]: 'Zé', '#/search?q=name': long, [`#/tools/${unbroken}`]: unbroken },
        ],
      ] as const) {
        const { url: few } = await start({ tools: some as never, title: 'An office of many words'.repeat(12) });
        const { page, problems } = await open('', { width: 390 }, few);
        for (const [hash, text] of Object.entries({ '': '--cases', ...says })) {
          if (hash !== '') await goTo(page, hash);
          await until(page, `document.querySelector('main').textContent.normalize().includes(${JSON.stringify(text)})`);
          expect(await fits(page)).toBe(true);
        }
        expect(await axeViolations(page)).toEqual([]);
        expect(problems).toEqual([]);
      }
    });

    describe('Overview', () => {
      it('says what evaluate() and lint() say, and each number leads to what it counts', async () => {
        const { page } = await open('');
        const percent = (share = 0): string => `${Math.round(100 * share)} %`;
        const { hit1, recall, ndcg10 } = measured.figures ?? {};
        const gauges = await texts(page, ':is(.headline, .gauges dd) > a');
        expect(gauges.slice(0, 3)).toEqual([percent(hit1?.mean), percent(recall?.mean), percent(ndcg10?.mean)]);
        expect(await oneLine(page, '.headline')).toContain(`first ${percent(hit1?.low)} to ${percent(hit1?.high)}`);
        expect(await page.locator('.headline').count()).toBe(1);
        const count = (severity: string): string => `${findings.filter((one) => one.severity === severity).length}`;
        expect(await texts(page, '.severities b')).toEqual([
          ...[count('error'), count('warning'), count('info')],
          expect.stringMatching(/^\d+,\d{3}$/),
        ]);
        for (const list of ['Worst cases', 'Most confused', 'Heaviest tools']) {
          const card = page.locator('section.panel', { has: page.getByRole('heading', { name: list }) });
          expect(await card.locator('li').count()).toBe(5);
        }
        const made = /mastra-tool-search \d+\.\d+\.\d+ · scorer words and meaning · .*\d{4}/;
        expect(await page.locator('.made').innerText()).toMatch(made);
        await page.locator('.gauges dd > a').nth(2).click();
        expect(await page.getByText(/cases? shown/).innerText()).toContain(`${gauges[3]} cases shown`);
        await page.keyboard.press('1');
        const errors = findings.filter(({ severity }) => severity === 'error').map(({ toolName }) => toolName);
        await page.getByRole('link', { name: /errors?$/ }).click();
        await page.getByText(`${new Set(errors).size} of ${tools.length} tools`).waitFor();
      });

      it('shows how far searches came, of what it was given', async () => {
        const counts = { searches: 40, found: 30, loaded: 10, called: 8 };
        const stages = Object.entries(counts).map(([name, count]) => ({ name, count })) as Funnel['stages'];
        const shown: Funnel = {
          ...{ ...funnel([]), events: 99, stages },
          tokens: { steps: 9, sent: 100, all: 1_000, saved: 900 },
          unmatched: [{ query: hostile, count: 2 }],
          recent: [
            { query: 'write to ann', count: 3, found: 2, first: 'gmail_send_email', called: 'gmail_send_email' },
          ],
          tools: [{ name: 'gmail_send_email', found: 3, called: 2, loaded: 3, neverCalled: 1 }],
        };
        const { url: small } = await start({ tools: [plain('gmail_send_email', 'Send an email.')], funnel: shown });
        const { page, problems } = await open('', {}, small);
        const says = async (numbers: readonly number[], ...said: string[]): Promise<void> => {
          expect(numbersOf(await texts(page, '.stages strong'))).toEqual(numbers);
          const main = await oneLine(page, '.funnel');
          for (const text of [...said, hostile, '10 % of the 1,000']) expect(main).toContain(text);
        };
        await says(
          Object.values(counts),
          `${hostile} 2 times`,
          'gmail_send_email 1 of 3 loads',
          'write to ann called gmail_send_email 3',
        );
        expect(await axeViolations(page)).toEqual([]);
        // The view of searches had an address of its own.
        const { page: empty } = await open('#/funnel');
        expect(await empty.innerText('.funnel')).toContain('--log');
        expect(problems).toEqual([]);
      });
    });

    describe('Search', () => {
      const rows = (page: Page) => page.locator('.ranked [data-row]').allTextContents();
      const says = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();

      it('ranks what is typed, lights up what was found, and says in words what the model is told', async () => {
        const { page, problems } = await open('#/search');
        await page.keyboard.type('github create an isue');
        await says(page, 'Read as');
        await page.locator('.ranked [data-row]', { hasText: 'github_create_issue' }).first().waitFor();
        expect((await rows(page))[0]).toBe('github_create_issue');
        const row = page.locator('.row').first();
        expect(await row.locator('.row-text mark').allTextContents()).toEqual(['Create', 'issue', 'GitHub']);
        await says(page, /^[\d.]+ % likely to fit\. The model is shown the first ones\./);
        expect(await texts(page, '.headline > b')).toEqual([expect.stringMatching(/^\d+ %$/)]);
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press('Space');
        await row.getByRole('cell', { name: 'issue read as this' }).waitFor();
        await row.getByRole('row', { name: /^github in .*the name of its server/ }).waitFor();
        const field = page.getByLabel('What would an agent ask for?');
        await field.fill('water the plants on the balcony');
        await says(page, /^[\d.]+ % likely to fit\. .* that probably nothing fits\. [\d,]+ tools? match(?:es)?\.$/);
        // By words alone: meaning finds something like anything.
        await goTo(page, '#/search?q=zzzz+qqqq&scorer=bm25');
        await says(page, 'No tool matches: the model is told that nothing was found.');
        // A link that is pasted, and the way back.
        await goTo(page, '#/search?q=a+b%26c%3Dd+%C3%BC%25');
        expect(await page.inputValue('[data-search]')).toBe('a b&c=d ü%');
        await goTo(page, '#/search?q=email&scorer=bm25&want=nobody');
        const first = page.locator('.ranked [data-row]').first();
        await first.getByText('email').first().waitFor();
        await says(page, 'There is no tool nobody');
        expect(await page.getByLabel(/^Scorer/).inputValue()).toBe('bm25');
        await page.goBack();
        await until(page, `document.querySelector('[data-search]').value === 'a b&c=d ü%'`);
        expect(await page.getByLabel(/^Scorer/).inputValue()).toBe('words and meaning');
        expect(problems).toEqual([]);
      });

      it('compares a tool with the winner word by word, in sums that are the scores', async () => {
        const { page } = await open('#/search?q=create+an+issue+comment&want=github_create_issue');
        for (const [name, foot] of [
          ['github_create_issue', 'place 1'],
          ['fetch_fetch_markdown', 'does not match'],
        ] as const) {
          if (foot !== 'place 1') await goTo(page, `#/search?q=create+an+issue+comment&want=${name}`);
          await page.locator('.words tr:last-child', { hasText: foot }).waitFor();
          const columns = await page.evaluate<readonly (readonly string[])[]>(
            `[3, 5].map((column) => Array.from(document.querySelectorAll('.words tr > :nth-child(' + column + ')'), (cell) => cell.innerText).slice(1))`,
          );
          for (const column of columns) {
            const numbers = column.map(Number);
            const sum = numbers.slice(0, -1).reduce((total, one) => total + one, 0);
            expect(numbers.length).toBe(7);
            expect(sum).toBeCloseTo(numbers.at(-1) ?? Number.NaN, 6);
          }
        }
      });

      it('is used by keys alone, and found as it was left', async () => {
        const { page, problems } = await open('');
        const press = async (...keys: string[]): Promise<void> => {
          for (const key of keys) await page.keyboard.press(key);
        };
        await press('/');
        await page.locator('[data-search]').waitFor();
        await page.keyboard.type('issue');
        await page.locator('.ranked [data-row]').first().waitFor();
        await page.waitForURL(/q=issue/);
        const [first = '', second] = await rows(page);
        const focused = () => page.evaluate<string>('document.activeElement.textContent');
        await press('ArrowDown');
        expect(await focused()).toBe(first);
        await press('j');
        expect(await focused()).toBe(second);
        await press('End', 'Home');
        expect(await focused()).toBe(first);
        await press('Enter');
        await page.getByRole('heading', { name: first }).waitFor();
        // The keys go on in the view that is shown.
        await until(page, `document.activeElement.matches('main')`);
        await press('Escape');
        // Back at the row that was opened; from there into the field, and out of it.
        await until(page, `document.activeElement.textContent === ${JSON.stringify(first)}`);
        await press('Escape');
        expect(await page.inputValue('[data-search]')).toBe('issue');
        await press('Escape', '4');
        await page.getByRole('heading', { name: `${cases.length} cases` }).waitFor();
        await press('2');
        expect(await page.inputValue('[data-search]')).toBe('issue');
        await press('Escape', '?');
        await page.getByRole('dialog', { name: 'Keys' }).waitFor();
        await press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'hidden' });
        expect(problems).toEqual([]);
      });
    });

    describe('Tools', () => {
      it('are sorted and filtered by any column, and by rule', async () => {
        const { page } = await open('#/tools');
        const column = (place: number) => texts(page, `.tool-table tbody tr > :nth-child(${place})`);
        const choose = (label: string, value: string) => page.getByLabel(label, { exact: true }).selectOption(value);
        for (const [name, place] of [
          ['tokens', 3],
          ['won', 5],
          ['lost', 6],
        ] as const) {
          await page.getByRole('button', { name, exact: true }).last().click();
          await until(page, `location.hash.includes('sort=${name}')`);
          await settled(page);
          const numbers = numbersOf(await column(place));
          expect(numbers).toEqual(descending(numbers));
          expect(numbers[0]).toBeGreaterThan(0);
        }
        await page.getByRole('button', { name: 'name', exact: true }).click();
        expect(await column(1)).toEqual((await column(1)).toSorted());
        await choose('Server', 'github');
        expect(new Set(await column(2))).toEqual(new Set(['github']));
        await until(page, `location.hash.includes('server=github')`);
        await choose('Server', '');
        await until(page, `!location.hash.includes('server')`);
        const [{ rule } = { rule: '' }] = findings;
        await choose('Findings', rule);
        const named = new Set(findings.filter((one) => one.rule === rule).map(({ toolName }) => toolName));
        // The worst finding stands below the name.
        const shown = (await column(1)).map((text) => text.split('\n')[0]);
        expect(shown.toSorted()).toEqual([...named].toSorted());
        await choose('Findings', '');
        await choose('Kind', 'lost');
        expect((await column(6)).every((text) => Number(text) > 0)).toBe(true);
        await page.getByLabel('Names and servers').fill('gmail');
        expect((await column(1)).every((name) => name.includes('gmail'))).toBe(true);
      });

      it('show a definition as it is sent, and rank every case anew when it is edited', async () => {
        const { page, problems } = await open('#/tools/digitalocean_snapshot-droplet');
        const { description = '' } = tools.find(({ name }) => name === 'digitalocean_snapshot-droplet') ?? {};
        expect(await page.getByLabel('Definition', { exact: true }).textContent()).toContain(
          JSON.stringify(description),
        );
        await page.getByLabel(/^Keywords/).fill('clone, image of a server');
        const better = page.locator('.effect li', { hasText: 'image of a server to clone later' });
        await better.getByText(/place \d+ → place 1$/).waitFor();
        expect(await page.title()).toMatch(/^● /);
        await page.getByRole('button', { name: 'Undo' }).click();
        await page.getByRole('button', { name: '1 change' }).waitFor({ state: 'detached' });
        await until(page, `!document.title.includes('●')`);
        expect(problems).toEqual([]);
      });
    });

    it('Cases stand worst first, show confused pairs with both editors, and servers', async () => {
      const { page, problems } = await open('#/cases');
      const places = (await texts(page, 'table.cases tbody td:nth-child(3)')).map((text) =>
        Number(/place (\d+)/.exec(text)?.[1] ?? Number.POSITIVE_INFINITY),
      );
      expect(places.length).toBe(
        measured.cases.filter(({ rank, relevant }) => rank !== 1 && relevant.length > 0).length,
      );
      expect(places.slice(0, 4)).toEqual(descending(places.slice(0, 4)));
      const find = page.getByLabel('Find a query or a tool');
      await find.fill(nothing.query);
      await page.locator('.choice >> text=/^All/').click();
      expect(await texts(page, 'table.cases tbody tr')).toHaveLength(1);
      await find.fill('file a ticket');
      await page.locator('table.cases a', { hasText: 'file a ticket' }).click();
      const expected = page.locator('.expected').getByText(new RegExp(`^Place ${placeOf('file a ticket')} of `));
      await expected.waitFor();
      expect(await page.inputValue('[data-search]')).toBe('file a ticket');
      await goTo(page, '#/cases?by=pairs');
      const counts = (await texts(page, 'main .rows .muted')).map((text) => Number.parseInt(text, 10));
      expect(counts).toEqual(descending(counts));
      const [pair] = measured.confusions.filter(({ wanted }) => wanted === 'github_create_issue');
      await page.getByRole('link', { name: `github_create_issue → ${pair?.instead}` }).click();
      const editor = page.getByRole('region', { name: 'Edit github_create_issue' });
      await editor.getByLabel(/^Keywords/).fill('file a ticket');
      await page.getByText('Not confused any more.').waitFor();
      await page.getByText('Confused servers').click();
      const ofGitHub = page.locator('main .rows a', { hasText: /^github_create_issue → / });
      await ofGitHub.first().waitFor({ state: 'detached' });
      expect(await page.locator('main .rows a').count()).toBeGreaterThan(3);
      expect(problems).toEqual([]);
    });

    it('Cases show the scorers side by side, with the difference and its interval in a sentence', async () => {
      const scorers = [wordsAndMeaningScorer(), bm25Scorer(), tieredScorer()];
      const all = await evaluate({ tools, cases, scorers });
      const baseline = { ...all, scorers: all.scorers.slice(1, 2) };
      const served = await start({ tools, cases, scorers: [tieredScorer()], scorer: 'words and meaning', baseline });
      const { page, problems } = await open('#/cases?by=scorers', {}, served.url);
      const row = (name: string) =>
        page.getByRole('table', { name: 'Scorers' }).getByRole('row', { name: new RegExp(`^${name}`) });
      const differenceTo = (at: number) => {
        const [before, after] = [0, at].map((place) => ({
          ...all,
          scorers: [{ ...all.scorers[place]!, scorer: 'x' }],
        }));
        return compareEvaluations(before!, after!)[0]!.difference!.ndcg10;
      };
      const saysOf = (at: number): RegExp => {
        const { mean, low, high } = differenceTo(at);
        const signed = (share: number): string => `${share < 0 ? '−' : '\\+'}${Math.abs(100 * share).toFixed(1)}`;
        const interval = `95 % interval ${signed(low)} to ${signed(high)}`;
        return new RegExp(`words and meaning: nDCG@10 ${signed(mean)} points \\(${interval}\\)`);
      };
      await row('bm25').first().getByText(saysOf(1)).waitFor();
      await row('bm25, saved').getByText(saysOf(1)).waitFor();
      expect(await row('bm25').count()).toBe(2);
      await row('words and meaning').getByText('the one that is chosen').waitFor();
      // A model may cost: the server is asked where somebody wants it.
      await row('tiered')
        .getByRole('button', { name: `Search ${cases.length} times in the server` })
        .click();
      await row('tiered').getByText(saysOf(2)).waitFor();
      const first = all.scorers[2]?.figures?.hit1.mean ?? 0;
      expect(await row('tiered').innerText()).toContain(`${Math.round(100 * first)} %`);
      expect([await fits(page), await axeViolations(page)]).toEqual([true, []]);
      await page.setViewportSize({ width: 390, height: 800 });
      expect([await fits(page), await axeViolations(page)]).toEqual([true, []]);
      expect(problems).toEqual([]);
    });
  },
);
