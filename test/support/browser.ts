import { existsSync } from 'node:fs';
import axe, { type AxeResults } from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { findProgram, servicesAreRequired } from './service.ts';

/** The one without windows starts sooner, and draws sooner. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The browser of `CHROMIUM_PATH`, else the first that is installed. */
function findChromium(): string | undefined {
  const named = process.env['CHROMIUM_PATH'];
  return named !== undefined && existsSync(named) ? named : findProgram(NAMES);
}

/** Why tests in a browser are skipped; undefined when they run, or have to fail. */
export const noChromium: string | undefined =
  findChromium() || servicesAreRequired ? undefined : 'Chromium is not installed';

/** Milliseconds that a page, or the browser, may take for one thing: a busy machine lets it wait. */
const PATIENCE = 120_000;

/** How many times slower pages are than they could be: `SLOWDOWN=10 npx vitest run test/inspect` is a busy machine. */
const slowdown = Number(process.env['SLOWDOWN'] ?? 1);

/** How a page is looked at. */
export interface View {
  readonly theme?: 'light' | 'dark';
  readonly width?: number;
  readonly height?: number;
}

/** A page that is open, and what went wrong in it. */
export interface OpenPage {
  readonly page: Page;
  /** Errors of scripts, dialogs, and errors in the console: what the policy of the page refuses is among these. */
  readonly problems: readonly string[];
}

/** Starts a headless browser that has nothing to do with that of the user. */
export function launchChromium(): Promise<Browser> {
  const executablePath = findChromium();
  if (!executablePath) throw new Error('Chromium is not installed. On Debian: apt-get install chromium');
  // The superuser has no sandbox; neither /dev/shm nor a GPU need be there.
  const args = ['--disable-dev-shm-usage', '--disable-gpu', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])];
  return chromium.launch({ executablePath, args, timeout: PATIENCE });
}

/** Opens a page in a profile of its own. */
export async function openPage(browser: Browser, url: string, view: View = {}): Promise<OpenPage> {
  const { theme = 'light', width = 1280, height = 800 } = view;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  if (slowdown > 1) {
    const debugging = await context.newCDPSession(page);
    await debugging.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
  }
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(`error: ${error.stack ?? error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(`console: ${message.text()}`);
  });
  page.on('dialog', (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(url);
  return { page, problems };
}

/** What axe finds wrong with a page, for people who use it without eyes, mouse or colours. */
export async function axeViolations(page: Page): Promise<readonly string[]> {
  // Run by the debugger, it needs no leave of the policy of the page.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<AxeResults>('axe.run(document)');
  return violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}\n${nodes.map(({ html, failureSummary }) => `  ${html}\n  ${failureSummary}`).join('\n')}`,
  );
}

/** Waits until an expression is true in the page. Playwright's own way evaluates it in the page, which forbids that. */
export async function until(page: Page, expression: string): Promise<void> {
  const end = Date.now() + PATIENCE;
  while (!(await page.evaluate(expression))) {
    if (Date.now() > end) throw new Error(`The page never came to ${expression}`);
    await page.waitForTimeout(20);
  }
}
