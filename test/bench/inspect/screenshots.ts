// Writes the pictures of docs/inspect.md: node test/bench/inspect/screenshots.ts
import { writeFileSync } from 'node:fs';
import { buildPage } from '../../../page.config.ts';
import { readPageWith } from '../../../src/inspect/page-files.ts';
import { startInspector } from '../../../src/inspect/start-inspector.ts';
import { launchChromium, openPage } from '../../support/browser.ts';
import { readSet } from '../retrieval/sets.ts';

const set = readSet('test/fixtures/mcp-dev');
const tools = set.tools.map(({ id, description, inputSchema }) => ({
  ...{ name: id, description, inputSchema },
  mcpMetadata: { serverName: id.split('_')[0] },
}));
const cases = set.queries.map(({ id, query, relevant }) => ({ id, query, relevant }));
const VIEWS = {
  overview: '',
  search: '#/search?q=image+of+a+server+to+clone+later&want=digitalocean_snapshot-droplet',
  tools: '#/tools?sort=findings',
  cases: '#/cases',
};

readPageWith(buildPage);
const browser = await launchChromium();
const inspector = await startInspector({ tools: tools as never, cases, title: 'tools.json' });
for (const [name, hash] of Object.entries(VIEWS)) {
  const { page } = await openPage(browser, inspector.url + hash, { height: 860 });
  const isWhole = `document.querySelector('.skeleton, [data-stale], progress') === null && !document.querySelector('.mend')?.innerText.includes('…')`;
  while (!(await page.evaluate(isWhole))) await page.waitForTimeout(200);
  await page.evaluate('document.activeElement.blur()');
  const debugging = await page.context().newCDPSession(page);
  const { data } = await debugging.send('Page.captureScreenshot', { format: 'webp', quality: 80 });
  writeFileSync(`docs/assets/inspect-${name}.webp`, Buffer.from(data, 'base64'));
  await page.context().close();
}
await browser.close();
await inspector.close();
