import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { Session } from '../../meta-tools/session.ts';
import { tool, toolRecord } from '../../support/agent.ts';
import { axeViolations, noChromium, until, useChromium } from '../../support/chromium.ts';
import { useInspectPage } from '../../support/inspect-page.ts';
import { goTo, texts } from './pages.ts';

const chromium = useChromium();
useInspectPage();

const asked: string[] = [];
/** Ranks all tools backwards, and notes what it is asked. */
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

it.skipIf(noChromium !== undefined)(
  'shows a live processor: its own scorer, its stats, and what a user may do, whose own tools the page does not have',
  async () => {
    const common = [tool('send_email', 'Send an email to a person.'), tool('delete_email', 'Delete an email.')];
    const session = new Session({
      tools: ({ requestContext }) =>
        toolRecord(...common, ...(requestContext?.get('user') === 'ann' ? [tool('ann_diary', 'Write a diary.')] : [])),
      filter: ({ toolName }) => toolName !== 'delete_email',
      search: { scorer: backwards },
    });
    const { processor } = session;
    await session.search({ query: 'a letter to ann' });
    const cases = [{ query: 'write', relevant: ['send_email'] }];
    const handler = await processor.inspector({ authorize: () => true, title: 'Office assistant', cases });
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
      const says = (text: string | RegExp) => page.getByText(text).first().waitFor();
      const rows = () => page.locator('.ranked [data-row]').allTextContents();
      // What happened before the inspector was made is told, and what happens now follows.
      const first = page.locator('section').first();
      expect(await first.getByRole('heading', { level: 3 }).innerText()).toBe('What the agent searched');
      await page.locator('.recent tr', { hasText: 'a letter to ann' }).waitFor();
      await session.search({ query: 'nothing at all' });
      await session.search({ query: 'nothing at all' });
      await page.locator('.recent tr', { hasText: /nothing at all.*2/s }).waitFor();
      // A load of which no call came stands with its search, and in a list of its own.
      await session.load({ toolNames: ['send_email'] });
      await page.locator('.recent tr', { hasText: 'not called: loaded send_email' }).first().waitFor();
      const uncalled = page.locator('section', {
        has: page.getByRole('heading', { name: 'Loaded, and never called' }),
      });
      await uncalled.last().getByText('1 of 1 load').waitFor();
      expect(await axeViolations(page)).toEqual([]);

      asked.length = 0;
      await goTo(page, '#/search?want=delete_email');
      await page.locator('[data-search]').pressSequentially('send an email', { delay: 20 });
      await page.locator('.ranked [data-row]').first().waitFor();
      expect(await rows()).toEqual(['send_email', 'delete_email']);
      // It is asked when nothing more is typed.
      expect(asked).toContain('send an email');
      expect(asked.length).toBeLessThan('send an email'.length);
      await says('agent: backwards has it at place 2');
      await page.locator('[data-explain]').first().click();
      await says('This scorer does not say why.');
      expect(await axeViolations(page)).toEqual([]);
      await page.locator('[data-search]').fill('broken');
      await says('The scorer "backwards" failed');
      await goTo(page, '#/cases');
      await says('Ranked with the page’s words and meaning, not with agent: backwards');

      await goTo(page, '#/tools');
      await page.getByText('Act as a user').click();
      await page.getByLabel('Request context').fill('{ "user": "ann" ');
      await says('This is no JSON');
      expect(await page.getByRole('button', { name: 'Ask the filter' }).isDisabled()).toBe(true);
      await page.getByLabel('Request context').fill('{ "user": "ann" }');
      await page.keyboard.press('Enter');
      await says('Of 3 tools, this user may find 2, load 2, be sent and call 2');
      const tools = await texts(page, '.tool-table tbody tr');
      expect(tools.map((row) => row.split(/\s/, 1)[0])).toEqual(['send_email', 'delete_email', 'ann_diary']);
      expect([tools[1], tools[2]]).toEqual([
        expect.stringContaining('denied'),
        expect.stringContaining('this user’s own'),
      ]);
      await page.getByLabel('Kind', { exact: true }).selectOption('denied');
      expect(await texts(page, '.tool-table tbody tr')).toEqual([tools[1]]);
      await goTo(page, '#/search?q=write+a+diary');
      await page.locator('.ranked [data-row]', { hasText: 'ann_diary' }).waitFor();
      await says('A tool of the server that this page does not have.');
      await goTo(page, '#/search?q=delete+an+email&want=delete_email&scorer=bm25');
      await says('This user may not find it.');
      await until(
        page,
        `!Array.from(document.querySelectorAll('.ranked .name'), (one) => one.innerText).join().includes('delete')`,
      );
      expect(await rows()).toContain('send_email');
      // The search that failed.
      expect(problems).toEqual([expect.stringContaining('status of 500')]);
    } finally {
      server.close();
      server.closeAllConnections();
    }
  },
);
