import { hash } from 'node:crypto';
import fc from 'fast-check';
import { tieredScorer } from 'mastra-tool-search';
import { lint } from 'mastra-tool-search/evaluate';
import { inspectorHtml } from 'mastra-tool-search/inspect';
import { beforeEach, describe, expect, it } from 'vitest';
import { SHA256 } from '../../src/scorers/meaning/word-vectors.js';
import { anyText } from '../support/any-text.ts';
import { SMALL_PAGE, servePage, useSmallPage } from '../support/small-page.ts';
import { between, dataIn } from './asking.ts';
import { plain } from './catalog.ts';

useSmallPage();
beforeEach(() => servePage(async () => SMALL_PAGE));

const dataOf = async (options: Parameters<typeof inspectorHtml>[0]) => dataIn(await inspectorHtml(options));

describe('the file of an inspector', () => {
  it('holds any text as data alone', async () => {
    const marks = ['<', '>', '"', "'", '&', '</script>', '<script>', '<!--', '-->', '</title>', ']]>', '\\'];
    const part = fc.oneof(fc.constantFrom(...marks), anyText());
    const text = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(''));
    const fileOf = (title: string, description: string) =>
      inspectorHtml({ tools: [plain('tool', description)], title });
    const { length } = (await fileOf('', '')).split('<');
    await fc.assert(
      fc.asyncProperty(text, text, async (title, description) => {
        const html = await fileOf(title, description);
        expect(html.split('<')).toHaveLength(length);
        expect(html).not.toMatch(/[\u2028\u2029]/);
        expect(dataIn(html)).toMatchObject({ title, tools: [{ name: 'tool' }] });
        // A description of blanks is none.
        expect([description, '']).toContain(dataIn(html).tools[0]?.description);
      }),
    );
  });

  it('has a policy that lets its own script and styles in, and nothing else', async () => {
    const html = await inspectorHtml({ tools: { one: { description: 'One.', inputSchema: {} } }, title: 'A & <b>' });
    const sha = (text: string): string => `'sha256-${hash('sha256', text, 'base64')}'`;
    expect(between(html, 'http-equiv="Content-Security-Policy" content="', '"').split('; ')).toEqual([
      ...[`default-src 'none'`, `script-src ${sha(between(html, '<script>', '</script>'))}`],
      ...[`style-src ${sha(between(html, '<style>', '</style>'))}`, 'img-src data:', `connect-src 'none'`],
      ...['worker-src blob:', `base-uri 'none'`, `form-action 'none'`],
    ]);
    expect(between(html, '<title>', '</title>')).toBe('A &#38; &#60;b&#62;');
    expect(dataIn(html)).toMatchObject({ title: 'A & <b>', tools: [{ name: 'one' }] });
    expect(dataIn(html)).not.toHaveProperty('server');
  });

  it('has the table of word vectors, as it has nobody to ask for it', async () => {
    const html = await inspectorHtml({ tools: {} });
    const table = Buffer.from(between(html, '<script type="text/plain" id="inspect-vectors">', '</script>'), 'base64');
    expect(hash('sha256', table)).toBe(SHA256);
  });

  it('does not let a script end its own element', async () => {
    servePage(async () => ({ script: 'const a = "</script><script>1</SCRIPT>"', styles: '' }));
    const html = await inspectorHtml({ tools: {} });
    expect(html).toContain('<script>const a = "<\\/script><script>1<\\/script>"</script>');
  });

  it('says where the page was not deployed with the package, and reads it again after a failure, then never', async () => {
    servePage();
    await expect(inspectorHtml({ tools: {} })).rejects.toMatchObject({
      code: 'inspector-unavailable',
      message: expect.stringContaining('dist/inspect'),
    });
    let count = 0;
    servePage(async () => {
      count += 1;
      if (count === 1) throw new Error('too many open files');
      return SMALL_PAGE;
    });
    await expect(inspectorHtml({ tools: {} })).rejects.toThrow('too many open files');
    await Promise.all([inspectorHtml({ tools: {} }), inspectorHtml({ tools: {} })]);
    expect(count).toBe(2);
  });

  it('refuses what only a server has', async () => {
    const options = { tools: {}, port: 1 } as never;
    await expect(inspectorHtml(options)).rejects.toThrow('"port" is no option of inspectorHtml.');
    const tiered = { tools: {}, scorers: [tieredScorer()], scorer: 'tiered' };
    await expect(inspectorHtml(tiered)).rejects.toThrow('"scorer" must be words and meaning or bm25');
  });
});

describe('the data of a page', () => {
  it('has the tools as the model is sent them, with what searches read, and the scorers of the page', async () => {
    const inputSchema = { type: 'object', properties: { to: { type: 'string', description: 'Who reads it.' } } };
    const mcpMetadata = { serverName: 'mail' };
    const tools = {
      send_email: { description: ' Send an email. ', inputSchema, mcpMetadata },
      later: { id: 'later', description: 'Send.', parameters: ['to'], resolve: () => ({ inputSchema: {} }) },
    };
    const data = await dataOf({ tools: tools as never, keywords: { send_email: ['post'] } });
    expect(data).toEqual({
      ...{ title: 'Tools', topK: 5, date: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) },
      tools: [
        {
          name: 'send_email',
          description: ' Send an email. ',
          inputSchema,
          group: 'mail',
          keywords: ['post'],
          lint: { isJsonSchema: true },
        },
        expect.objectContaining({ name: 'later', isLazyTool: true }),
      ],
      findings: await lint(tools as never, { keywords: { send_email: ['post'] } }),
      scorers: [
        { name: 'words and meaning', isLocal: true },
        { name: 'bm25', isLocal: true },
      ],
    });
  });

  it('leaves out a schema that is no JSON, or has no end, and says so', async () => {
    const circle: Record<string, unknown> = { type: 'object' };
    circle['properties'] = { again: circle };
    const huge = { type: 'object', description: 'x'.repeat(600_000) };
    const { tools } = await dataOf({
      tools: {
        circle: { description: 'One.', inputSchema: circle },
        huge: { description: 'y'.repeat(200_000), inputSchema: huge },
      } as never,
    });
    expect(tools).toMatchObject([
      { problem: expect.stringContaining('circular') },
      { problem: 'The input schema is too large to be shown.' },
    ]);
    expect(tools[1]?.description).toHaveLength(100_000);
    expect(tools.some((one) => 'inputSchema' in one)).toBe(false);
  });

  it('has the cases with their ids, by the names that the model calls', async () => {
    const tools = { mail: { id: 'send_email', description: 'Send.', inputSchema: {}, execute: () => 1 } } as never;
    const { cases } = await dataOf({ tools, cases: [{ query: 'write to a friend', relevant: ['mail'] }] });
    expect(cases).toEqual([
      { id: '1', query: 'write to a friend', relevant: ['send_email'], groups: [['send_email']] },
    ]);
  });
});
