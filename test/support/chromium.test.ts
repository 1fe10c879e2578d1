import { describe, expect, it } from 'vitest';
import { axeViolations, noChromium, useChromium } from './chromium.ts';

const page = (body: string, policy = ''): string =>
  `data:text/html,${encodeURIComponent(`<!doctype html><html lang="en"><head><title>Test</title>${policy}</head><body>${body}</body></html>`)}`;

describe.skipIf(noChromium !== undefined)(`a page in Chromium${noChromium ? `, skipped: ${noChromium}` : ''}`, () => {
  const chromium = useChromium();

  it('has the theme and the width that are asked for', async () => {
    const { page: opened } = await chromium.open(page('<p>Text</p>'), { theme: 'dark', width: 400 });
    expect(await opened.evaluate(`matchMedia('(prefers-color-scheme: dark)').matches && innerWidth === 400`)).toBe(
      true,
    );
  });

  it('tells of errors, of lines of the console, of dialogs, and of what the policy refuses', async () => {
    const policy = `<meta http-equiv="Content-Security-Policy" content="script-src 'none'">`;
    const { problems: refused } = await chromium.open(page('<script>window.ran = 1</script>', policy));
    expect(refused).toEqual([expect.stringMatching(/^console: .*violates .* Content Security Policy/)]);
    const script = `<script>console.error('one'); alert('two'); throw new Error('three')</script>`;
    const { problems } = await chromium.open(page(script));
    expect(problems.map((problem) => problem.split('\n')[0])).toEqual([
      'console: one',
      'dialog: two',
      'error: Error: three',
    ]);
  });

  it('is read by axe under any policy', async () => {
    const policy = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'">`;
    const main = (inner: string): string => page(`<main><h1>Head</h1>${inner}</main>`, policy);
    const { page: good } = await chromium.open(main('<button>Press</button>'));
    expect(await axeViolations(good)).toEqual([]);
    const { page: bad } = await chromium.open(main('<button></button>'));
    expect(await axeViolations(bad)).toEqual([expect.stringContaining('button-name')]);
  });
});
