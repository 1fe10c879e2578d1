import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { noChromium, useChromium } from '../../support/chromium.ts';
import { useInspectPage } from '../../support/inspect-page.ts';
import { texts, useInspectors } from './pages.ts';

const tools = [
  { name: 'send_email', description: 'Send an email.', inputSchema: { type: 'object' } },
  { name: 'get_time', description: 'Tell the time of a city.', inputSchema: { type: 'object' } },
];
const options = { tools, title: 'tools.json' };

describe.skipIf(noChromium !== undefined)(
  `the changes of a page${noChromium ? `, skipped: ${noChromium}` : ''}`,
  () => {
    useInspectPage();
    const chromium = useChromium();
    const start = useInspectors();

    it('are taken back field by field; what is as it was is none', async () => {
      const { url } = await start({ ...options, keywords: { send_email: ['mail'] } });
      const { page, problems } = await chromium.open(`${url}#/tools/send_email`);
      const [description, keywords] = [page.getByLabel('Description'), page.getByLabel(/^Keywords/)];
      const changes = page.getByRole('button', { name: /change/ });
      const shown = async () => [await description.inputValue(), await keywords.inputValue(), await changes.count()];
      const press = async (...keys: string[]): Promise<void> => {
        await page.getByRole('heading', { name: 'send_email' }).click();
        for (const key of keys) await page.keyboard.press(key);
      };
      const before = ['Send an email.', 'mail', 0];
      expect(await shown()).toEqual(before);
      await description.fill('One.');
      await press();
      await description.pressSequentially(' Two.');
      await keywords.fill('post, letter,, post');
      await press();
      // What is typed stays as it is typed.
      expect(await shown()).toEqual(['One. Two.', 'post, letter,, post', 1]);
      await press('u');
      expect(await shown()).toEqual(['One. Two.', 'mail', 1]);
      await press('u');
      expect(await shown()).toEqual(['One.', 'mail', 1]);
      await press('u', 'u');
      expect(await shown()).toEqual(before);
      await description.fill('Three.');
      await keywords.fill('post, letter');
      await page.getByRole('button', { name: 'Take back the edits of this tool' }).click();
      expect(await shown()).toEqual(before);
      // Where the button was, and not at the top of the page.
      expect(await page.evaluate('document.activeElement.className')).toBe('editor');
      await press('u');
      expect(await shown()).toEqual(['Three.', 'post, letter', 1]);
      await description.fill('Send an email.');
      await keywords.fill('mail');
      expect(await shown()).toEqual(before);
      expect(problems).toEqual([]);
    });

    it('are kept over a reload, shared with other tabs, and taken back all at once', async () => {
      const { url } = await start(options);
      const { page, problems } = await chromium.open(`${url}#/tools/send_email`);
      await page.getByLabel('Description').fill('Write to somebody.');
      const other = await page.context().newPage();
      await other.goto(page.url());
      await other.getByRole('button', { name: '1 change' }).waitFor();
      await other.goto(`${new URL(page.url()).origin}/#/tools/get_time`);
      await other.getByLabel(/^Keywords/).fill('clock');
      await page.getByRole('button', { name: '2 changes' }).waitFor();
      await page.reload();
      await page.getByRole('button', { name: '2 changes' }).waitFor();
      expect(await page.getByLabel('Description').inputValue()).toBe('Write to somebody.');
      await page.getByRole('heading', { name: 'send_email' }).click();
      await page.keyboard.press('c');
      await page.getByRole('button', { name: 'Take back all' }).click();
      await page.getByText('All changes are kept here').waitFor();
      await other.getByRole('button', { name: /changes?$/ }).waitFor({ state: 'detached' });
      // What is kept may be of another catalog, or anything.
      const known = '["send_email",{"keywords":["post"]}]';
      for (const [kept, count] of [
        [`[["gone",{"description":"x"}],["get_time",{"description":7,"keywords":"no"}],${known}]`, 1],
        ['{', 0],
        ['null', 0],
      ] as const) {
        await page.evaluate(`localStorage.setItem('mastra-tool-search edits / tools.json', ${JSON.stringify(kept)})`);
        await page.reload();
        await page.getByLabel('Description').waitFor();
        expect(await page.getByRole('button', { name: /^\d+ changes?$/ }).count()).toBe(count);
      }
      expect(problems).toEqual([]);
    });

    it('are taken home as a file, as JSON, and as code', async () => {
      const { url } = await start(options);
      const { page, problems } = await chromium.open(`${url}#/tools/get_time`);
      const copied = async (what: string, beginning: RegExp): Promise<string> => {
        await page.getByRole('button', { name: `Copy ${what}` }).click();
        const read = () => page.evaluate<string>('navigator.clipboard.readText()');
        await expect.poll(read).toMatch(beginning);
        return read();
      };
      await page.getByLabel('Description').fill('Say how late it is.');
      await page.getByLabel(/^Keywords/).fill('clock, hour');
      await page.getByRole('button', { name: '1 change' }).click();
      expect(await texts(page, 'dialog del')).toEqual(['Tell the time of a city.']);
      expect(await texts(page, 'dialog ins')).toEqual(['Say how late it is.', 'clock, hour']);
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download changes.json' }).click(),
      ]);
      expect(download.suggestedFilename()).toBe('changes.json');
      const changes = JSON.parse(readFileSync(await download.path(), 'utf8'));
      expect(changes).toEqual({
        changes: {
          get_time: {
            description: { before: 'Tell the time of a city.', after: 'Say how late it is.' },
            keywords: { before: [], after: ['clock', 'hour'] },
          },
        },
      });
      expect(JSON.parse(await copied('as JSON', /^\{\n {2}"changes"/))).toEqual(changes);
      expect(await copied('as search.keywords', /keywords: \{/)).toContain('"get_time": [');
      expect(problems).toEqual([]);
    });

    it('stay when the catalog is replaced, until it says the same; and the page says that the server has stopped', async () => {
      const inspector = await start(options);
      const { page } = await chromium.open(`${inspector.url}#/tools/send_email`);
      await page.getByLabel('Description').fill('Write to somebody.');
      const [mail, clock] = tools;
      await inspector.update({ ...options, tools: [mail, clock, { ...clock, name: 'get_date' }] as never });
      await page.getByText('3 tools').waitFor();
      await page.getByRole('button', { name: '1 change' }).waitFor();
      expect(await page.getByLabel('Description').inputValue()).toBe('Write to somebody.');
      await inspector.update({ ...options, tools: [{ ...mail, description: 'Write to somebody.' }] as never });
      await page.getByText('1 tool', { exact: true }).waitFor();
      expect(await page.getByRole('button', { name: /change/ }).count()).toBe(0);
      const wrong = { ...options, cases: [{ query: 'x', relevant: ['nobody'] }] };
      await expect(inspector.update(wrong)).rejects.toThrow('nobody');
      await inspector.close();
      await page.getByText('The server of this page has stopped.').waitFor();
    });
  },
);
