import { hash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { InspectData } from '../../src/inspect/data.ts';
import { pageOf } from '../../src/inspect/html.ts';
import { inspectorHtml } from '../../src/inspect/start-inspector.ts';
import { anyText } from '../support/any-text.ts';
import { SMALL_PAGE, useSmallPage } from '../support/small-page.ts';

const dataOf = (title: string, description = ''): InspectData => ({
  title,
  tools: [{ name: 'tool', description }],
  scorers: [{ name: 'bm25', isLocal: true }],
  topK: 5,
});
const between = (html: string, start: string, end: string): string => html.split(start)[1]?.split(end)[0] ?? '';
const dataIn = (html: string): unknown =>
  JSON.parse(between(html, '<script type="application/json" id="inspect-data">', '</script>'));

describe('the file of an inspector', () => {
  useSmallPage();

  it('holds any text as data alone', () => {
    const markup = fc.constantFrom(
      '<',
      '>',
      '"',
      "'",
      '&',
      '</script>',
      '<script>',
      '<!--',
      '-->',
      '</title>',
      ']]>',
      '\\',
    );
    const text = fc.array(fc.oneof(markup, anyText()), { maxLength: 8 }).map((parts) => parts.join(''));
    const { length } = pageOf(dataOf(''), SMALL_PAGE).html.split('<');
    fc.assert(
      fc.property(text, text, (title, description) => {
        const { html } = pageOf(dataOf(title, description), SMALL_PAGE);
        expect(html.split('<')).toHaveLength(length);
        expect(html).not.toMatch(/[\u2028\u2029]/);
        expect(dataIn(html)).toEqual(dataOf(title, description));
      }),
    );
  });

  it('has a policy that lets its own script and styles in, and nothing else', async () => {
    const html = await inspectorHtml({ tools: { one: { description: 'One.', inputSchema: {} } }, title: 'A & <b>' });
    const sha = (text: string): string => `'sha256-${hash('sha256', text, 'base64')}'`;
    expect(between(html, 'http-equiv="Content-Security-Policy" content="', '"').split('; ')).toEqual([
      `default-src 'none'`,
      `script-src ${sha(between(html, '<script>', '</script>'))}`,
      `style-src ${sha(between(html, '<style>', '</style>'))}`,
      'img-src data:',
      `connect-src 'none'`,
      'worker-src blob:',
      `base-uri 'none'`,
      `form-action 'none'`,
    ]);
    expect(between(html, '<title>', '</title>')).toBe('A &#38; &#60;b&#62;');
    expect(dataIn(html)).toMatchObject({ title: 'A & <b>', tools: [{ name: 'one' }] });
    expect(dataIn(html)).not.toHaveProperty('server');
  });

  it('does not let a script end its own element', () => {
    const { html } = pageOf(dataOf(''), { script: 'const a = "</script><script>1</SCRIPT>"', styles: '' });
    expect(html).toContain('<script>const a = "<\\/script><script>1<\\/script>"</script>');
  });

  it('refuses what only a server has', async () => {
    const options = { tools: {}, port: 1 } as never;
    await expect(inspectorHtml(options)).rejects.toThrow('"port" is no option of inspectorHtml.');
  });
});
