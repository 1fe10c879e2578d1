import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ToolSearchProcessor } from 'mastra-tool-search';
import { expect, it } from 'vitest';
import { axeViolations, noChromium, useChromium } from '../../support/chromium.ts';
import { tool, toolRecord } from '../../support/harness.ts';
import { useInspectPage } from '../../support/inspect-page.ts';

const chromium = useChromium();
useInspectPage();

it.skipIf(noChromium !== undefined)(
  'shows a live processor: its own scorer, its stats, and what a user may do, whose own tools the page does not have',
  async () => {
    const common = [tool('send_email', 'Send an email to a person.'), tool('delete_email', 'Delete an email.')];
    const processor = new ToolSearchProcessor({
      tools: ({ requestContext }) =>
        toolRecord(...common, ...(requestContext?.get('user') === 'ann' ? [tool('ann_diary', 'Write a diary.')] : [])),
      filter: ({ toolName }) => toolName !== 'delete_email',
    });
    const handler = await processor.inspector({ authorize: () => true, title: 'Office assistant' });
    const server = createServer(async (incoming, outgoing) => {
      const body = (await incoming.toArray()).join('');
      const { method = 'GET', headers } = incoming;
      const init = { method, headers: headers as never, ...(method === 'POST' ? { body } : {}) };
      const response = await handler(new Request(`http://${headers.host}${incoming.url}`, init));
      outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text());
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const { page, problems } = await chromium.open(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      await page.getByText('There are no events so far.').waitFor();
      await processor.search('send an email');
      await page.getByRole('button', { name: 'Ask again' }).click();
      await page.keyboard.press('3');
      await page.getByText('Act as a user').click();
      await page.getByRole('button', { name: 'Ask the filter' }).click();
      await page.getByText('Of 3 tools, this user may find 2, load 2, be sent and call 2').waitFor();
      const rows = await page.locator('.tool-table tbody tr').allInnerTexts();
      expect(rows.map((row) => row.split(/\s/, 1)[0])).toEqual(['send_email', 'delete_email', 'ann_diary']);
      expect(rows[1]).toContain('denied');
      expect(rows[2]).toContain('this user’s own');
      await page.getByLabel('Kind', { exact: true }).selectOption('denied');
      expect(await page.locator('.tool-table tbody tr').allInnerTexts()).toEqual([rows[1]]);
      await page.goto(`${page.url().split('#')[0]}#/search?q=write+a+diary`);
      expect(await page.getByLabel('Scorer').inputValue()).toBe('agent: bm25');
      await page.locator('.ranked [data-row]', { hasText: 'ann_diary' }).waitFor();
      await page.getByText('A tool of the server that this page does not have.').waitFor();
      expect(await axeViolations(page)).toEqual([]);
      expect(problems).toEqual([]);
    } finally {
      server.close();
      server.closeAllConnections();
    }
  },
);
