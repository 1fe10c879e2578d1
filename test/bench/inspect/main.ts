// Milliseconds from a key press until its results are painted, over 5,000 tools in a headless Chromium; fails above 50:
// npm run bench:inspect
import type { Page } from 'playwright-core';
import { buildPage } from '../../../page.config.ts';
import { readPageWith } from '../../../src/inspect/page-files.ts';
import { startInspector } from '../../../src/inspect/start-inspector.ts';
import { launchChromium, openPage } from '../../support/browser.ts';
import { median, percentile } from '../statistics.ts';
import { manyTools } from './catalog.ts';

const TOOLS = 5_000;
const LIMIT = 50;
const QUERIES = ['send an email to the team', 'create issue in repository', 'list files', 'weather tomorow in pariss'];

/**
 * Notes for each key when it was pressed, and when the last change that it brought was painted, before the next key. A
 * message that is sent in the frame of a change arrives after that frame was painted.
 */
const KEYS = `(() => {
  globalThis.times = [];
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    const last = globalThis.times.at(-1);
    if (last) last.end = performance.now();
  };
  addEventListener('keydown', ({ timeStamp }) => globalThis.times.push({ start: timeStamp, end: timeStamp }), true);
  new MutationObserver(() => requestAnimationFrame(() => port2.postMessage('')))
    .observe(document.getElementById('inspect'), { subtree: true, childList: true, characterData: true, attributes: true });
})()`;

readPageWith(buildPage);
const browser = await launchChromium();
try {
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
  const [middle, most] = [median(all).toFixed(1), percentile(all, 0.95).toFixed(1)];
  console.log(`${TOOLS} tools, ${all.length} keys: median ${middle} ms, 95 of 100 within ${most} ms`);
  for (const problem of problems) console.error(problem);
  await inspector.close();
  if (median(all) > LIMIT || problems.length > 0) process.exitCode = 1;
} finally {
  await browser.close();
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
