import { expect, it } from 'vitest';
import { startInspector } from '../../../../src/inspect/start-inspector.ts';
import type { ToolScorer } from '../../../../src/scorers/scorer.ts';
import { noChromium, useChromium } from '../../../support/chromium.ts';
import { useInspectPage } from '../../../support/inspect-page.ts';

const inputSchema = { type: 'object' };
const tools = [
  { name: 'send_email', description: 'Send an email.', inputSchema },
  { name: 'send_letter', description: 'Send a letter by post.', inputSchema },
];

/** Ranks by the alphabet, from its end, and notes what it is asked. */
function backwards(asked: string[]): ToolScorer {
  return {
    name: 'backwards',
    index: (documents) => ({
      search({ text }) {
        asked.push(text);
        if (text.includes('broken')) throw new Error('It broke.');
        const names = documents.map(({ name }) => name).sort();
        return names.reverse().map((name, place) => ({ name, score: 10 - place }));
      },
    }),
  };
}

const chromium = useChromium();
useInspectPage();

it.skipIf(noChromium !== undefined)('asks the server for its own scorers, when nothing more is typed', async () => {
  const asked: string[] = [];
  const inspector = await startInspector({ tools, scorers: [backwards(asked)] });
  try {
    const { page } = await chromium.open(inspector.url);
    await page.getByLabel('Query').pressSequentially('send an email', { delay: 20 });
    const ranking = page.getByRole('region', { name: 'Ranking of backwards' });
    await ranking.locator('[data-row]').first().waitFor();
    expect(await ranking.locator('[data-row]').allTextContents()).toEqual(['send_letter', 'send_email']);
    expect(asked).toContain('send an email');
    expect(asked.length).toBeLessThan('send an email'.length);
    await ranking.locator('[data-explain]').first().click();
    await ranking.getByText('This scorer does not say why.').waitFor();
    await page.getByLabel('Query').fill('broken');
    await ranking.getByText('The scorer "backwards" failed').waitFor();
  } finally {
    await inspector.close();
  }
});
