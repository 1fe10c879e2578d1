// Milliseconds from a key press until its results are painted, over 5,000 tools in a headless Chromium; fails above 50.
// With `--screenshots FOLDER` it takes a picture of each view in both themes, wide and narrow, instead.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { buildPage } from '../../../page.config.ts';
import { readPageWith } from '../../../src/inspect/page-files.ts';
import { startInspector } from '../../../src/inspect/start-inspector.ts';
import { launchChromium, openPage } from '../../support/browser.ts';
import { casesOf, manyTools, someTools } from './catalog.ts';
import { KEYS, median, percentile } from './figures.ts';

const TOOLS = 5_000;
const LIMIT = 50;
const QUERIES = ['send an email to the team', 'create issue in repository', 'list files', 'weather tomorow in pariss'];

const { values } = parseArgs({ options: { screenshots: { type: 'string' } } });
readPageWith(buildPage);
const browser = await launchChromium();
try {
  if (values.screenshots === undefined) await measure(browser);
  else await takePictures(browser, values.screenshots);
} finally {
  await browser.close();
}

async function measure(browser: Browser): Promise<void> {
  const inspector = await startInspector({ tools: manyTools(TOOLS) });
  const { page, problems } = await openPage(browser, inspector.url);
  await page.locator('[data-search]').waitFor();
  await page.evaluate(KEYS);
  // The first search waits for the index.
  await typed(page, 'warm up');
  const all: number[] = [];
  for (const query of QUERIES) {
    const times = await typed(page, query);
    all.push(...times);
    console.log(`${query.padEnd(32)} median ${median(times).toFixed(0)} ms, most ${Math.max(...times).toFixed(0)} ms`);
  }
  const [middle, most] = [median(all), percentile(all, 0.95)];
  console.log(
    `${TOOLS} tools, ${all.length} keys: median ${middle.toFixed(1)} ms, 95 of 100 within ${most.toFixed(1)} ms`,
  );
  for (const problem of problems) console.error(problem);
  await inspector.close();
  if (middle > LIMIT || problems.length > 0) process.exitCode = 1;
}

/** Types a query as a person does, and says how long each key took. */
async function typed(page: Page, query: string): Promise<readonly number[]> {
  await page.locator('[data-search]').fill('');
  await page.waitForTimeout(300);
  await page.locator('[data-search]').focus();
  await page.evaluate('globalThis.times = []');
  for (const letter of query) {
    await page.keyboard.press(letter === ' ' ? 'Space' : letter);
    await page.waitForTimeout(180);
  }
  return page.evaluate<number[]>('globalThis.times.map(({ start, end }) => end - start)');
}

async function takePictures(browser: Browser, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const tools = someTools();
  const inspector = await startInspector({ tools, cases: casesOf(tools), title: 'Public servers', filter: isHarmless });
  for (const theme of ['light', 'dark'] as const) {
    for (const width of [1280, 400]) {
      const { page, problems } = await openPage(browser, inspector.url, { theme, width, height: 900 });
      await page.locator('nav a').first().waitFor();
      const hashes = await page.evaluate<string[]>(
        `Array.from(document.querySelectorAll('nav a'), ({ hash }) => hash)`,
      );
      for (const hash of [...hashes, `#/tools/${tools[3]?.name}`]) {
        await page.goto(new URL(hash, page.url()).href);
        if (hash.startsWith('#/search')) await page.locator('[data-search]').fill('create an issue in a repositry');
        await page.waitForTimeout(1_500);
        const name = hash.replace(/^#\/|\?.*/g, '').replace('/', '-');
        await page.screenshot({ path: path.join(folder, `${name}-${theme}-${width}.png`), fullPage: true });
      }
      for (const problem of problems) console.error(`${theme} ${width}: ${problem}`);
      await page.context().close();
    }
  }
  await inspector.close();
}

function isHarmless({ toolName }: { readonly toolName: string }): boolean {
  return !/delete|remove/.test(toolName);
}
