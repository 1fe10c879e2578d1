// Milliseconds from a key press until its results are painted in a headless Chromium: over 5,000 tools at most 50 in the
// middle, over 15,000 at most 250 for 95 of 100; until the first paint at most 2,000; and the longest that a view stands
// without anything to see, or a sign of how far it is, at most 3,000: npm run bench:inspect
import type { Page } from 'playwright-core';
import { buildPage } from '../../../page.config.ts';
import { readPageWith } from '../../../src/inspect/page-files.ts';
import { startInspector } from '../../../src/inspect/start-inspector.ts';
import { launchChromium, openPage } from '../../support/browser.ts';
import { median, percentile } from '../statistics.ts';
import { manyTools } from './catalog.ts';

/** Counts of tools, with the milliseconds that keys may take in the middle, and 95 of 100 of them. */
const SIZES = [
  { count: 5_000, middle: 50, most: 250 },
  { count: 15_000, middle: 250, most: 250 },
] as const;
const FIRST_PAINT = 2_000;
const NOTHING_SEEN = 3_000;
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
  for (const size of SIZES) await measure(size);
} finally {
  await browser.close();
}

async function measure({ count, middle, most }: (typeof SIZES)[number]): Promise<void> {
  const tools = manyTools(count);
  const cases = tools
    .slice(0, 300)
    .map(({ name }) => ({ query: name.split(/[_-]/).slice(1).join(' ') || name, relevant: [name] }));
  const inspector = await startInspector({ tools, cases });
  const { page, problems } = await openPage(browser, inspector.url);
  const paint = await page.evaluate<number>(`performance.getEntriesByName('first-contentful-paint')[0].startTime`);
  check(`${count} tools: first paint`, paint, FIRST_PAINT);
  for (const view of ['overview', 'tools', 'cases'])
    check(`${count} tools: ${view}`, await unseen(page, view), NOTHING_SEEN);
  await page.evaluate(`location.hash = '#/search'`);
  await page.locator('[data-search]').waitFor();
  await page.evaluate(KEYS);
  // The first search waits for the index.
  await typed(page, 'warm up');
  const all: number[] = [];
  for (const query of QUERIES) all.push(...(await typed(page, query)));
  check(`${count} tools, ${all.length} keys: median`, median(all), middle);
  check(`${count} tools, ${all.length} keys: 95 of 100`, percentile(all, 0.95), most);
  check(`${count} tools: problems`, problems.length, 0);
  for (const problem of problems) console.error(problem);
  await page.context().close();
  await inspector.close();
}

function check(what: string, value: number, most: number): void {
  console.log(`${what.padEnd(40)} ${value.toFixed(0)}, at most ${most}`);
  if (value > most) process.exitCode = 1;
}

/** The longest time, until a view is whole, in which it shows neither rows nor how far it is, and the page answers nothing. */
async function unseen(page: Page, view: string): Promise<number> {
  await page.evaluate(`location.hash = '#/${view}'`);
  let [last, longest] = [performance.now(), 0];
  for (;;) {
    // A page that is busy answers late.
    const [isSeen, isWhole] = await page.evaluate<[boolean, boolean]>(
      `[document.querySelector('main :is(progress, [role=status], tbody tr)') !== null, document.querySelector('.skeleton, [data-stale]') === null]`,
    );
    const now = performance.now();
    longest = Math.max(longest, now - last);
    if (isSeen) last = now;
    if (isWhole) return longest;
    await page.waitForTimeout(50);
  }
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
