import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { json, office, refuses, run, withFiles } from '../command.ts';

const mail = { name: 'send_email', description: 'Send an email.', inputSchema: { type: 'object' } };
const clock = { name: 'get_time', description: 'Tell the time.', inputSchema: { type: 'object' } };
const description = { before: 'Send an email.', after: 'Write an email to somebody.' };
const keywords = { before: [], after: ['mail', 'letter'] };
const changes = { send_email: { description, keywords } };
const changed = { ...mail, description: description.after, metadata: { keywords: keywords.after } };

/** The text of a file after changes, and what the command says of them. */
const applied = (file: unknown, some: object = changes): Promise<{ text: string; problems: readonly string[] }> =>
  withFiles({ 'tools.json': file, 'changes.json': { changes: some } }, async () => {
    const { problems } = await json('apply changes.json tools.json');
    return { text: readFileSync('tools.json', 'utf8'), problems };
  });

it.each([
  ['a list', [mail, clock], [changed, clock]],
  ['the answer of a server', { tools: [mail, clock] }, { tools: [changed, clock] }],
  ['a whole response', { result: { tools: [mail, clock] } }, { result: { tools: [changed, clock] } }],
  ['functions of OpenAI', [{ type: 'function', function: mail }], [{ type: 'function', function: changed }]],
  ['declarations of Google', [{ functionDeclarations: [clock, mail] }], [{ functionDeclarations: [clock, changed] }]],
  [
    'tools by their names',
    { send_email: { ...mail, name: undefined } },
    { send_email: { ...changed, name: undefined } },
  ],
])('writes the changes of the inspector into %s', async (_, before, after) => {
  expect(await applied(before)).toEqual({ text: JSON.stringify(after), problems: [] });
});

it('keeps the form of the file, and changes nothing a second time', async () => {
  for (const indent of [2, 4, '\t', undefined]) {
    const written = (tool: object) => `${JSON.stringify({ tools: [tool, clock] }, null, indent)}\n`;
    expect(await applied(written(mail))).toEqual({ text: written(changed), problems: [] });
    expect(await applied(written(changed))).toEqual({ text: written(changed), problems: [] });
  }
  const lines = (tool: object) => `${JSON.stringify(clock)}\n${JSON.stringify(tool)}\n`;
  expect((await applied(lines(mail))).text).toBe(lines(changed));
});

it('writes to the keywords beside the tools where the file has some, and takes from where the words stand', async () => {
  const own = { ...mail, metadata: { keywords: ['old', 'own'], team: 'a' } };
  const words = { before: ['post', 'old', 'own'], after: ['own', 'letter'] };
  const before = { tools: [own], keywords: { send_email: ['post'] } };
  const { text } = await applied(before, { send_email: { keywords: words } });
  expect(JSON.parse(text)).toEqual({
    tools: [{ ...mail, metadata: { keywords: ['own'], team: 'a' } }],
    keywords: { send_email: ['letter'] },
  });
});

it('leaves alone what is not as it was, says so, and ends with 1', async () => {
  const another = [{ ...mail, description: 'Another.' }];
  const others = { gone: { keywords }, get_time: { keywords: { before: ['hour'], after: [] } } };
  expect(await applied([...another, clock], { ...changes, ...others })).toEqual({
    text: JSON.stringify([...another, clock]),
    problems: [
      'send_email: its description is another than before the change',
      'gone: the file has no such tool',
      'get_time: its keyword "hour" stands elsewhere',
    ],
  });
  await withFiles({ 'tools.json': [mail], 'changes.json': { changes: { ...changes, ...others } } }, async () => {
    const { code, stdout, stderr } = await run('apply changes.json tools.json');
    expect([code, stdout]).toEqual([1, 'Changed 1 tool of tools.json\n']);
    expect(stderr).toContain('Not changed: gone: the file has no such tool.');
  });
});

const sky = { before: 'Get the current weather of a city.', after: 'Tell how warm it is in a city.' };
const files = {
  'tools.json': `${JSON.stringify(office, null, 2)}\n`,
  'changes.json': { changes: { get_weather: { description: sky }, send_email: { keywords } } },
};

it('writes what the catalog then has, or prints a patch that git applies and changes nothing itself', () =>
  withFiles(files, async () => {
    const patch = await run('apply changes.json tools.json --patch');
    expect([patch.code, readFileSync('tools.json', 'utf8')]).toEqual([0, files['tools.json']]);
    const said = { code: 0, stdout: 'Changed 2 tools of tools.json\n', stderr: '' };
    expect(await run('apply changes.json tools.json')).toEqual(said);
    const written = readFileSync('tools.json', 'utf8');
    expect((await json('search tools.json "how warm is it"')).queries[0].results[0].name).toBe('get_weather');
    expect((await json('search tools.json letter')).queries[0].results[0].name).toBe('send_email');
    const again = { file: 'tools.json', applied: ['get_weather', 'send_email'], problems: [] };
    expect(await json('apply changes.json tools.json')).toEqual(again);
    writeFileSync('tools.json', files['tools.json']);
    execFileSync('git', ['apply', '-'], { input: patch.stdout });
    expect(readFileSync('tools.json', 'utf8')).toBe(written);
  }));

it.each([null, [], {}, { changes: [] }, { changes: { a: 1 } }, { changes: { a: { keywords: ['x'] } } }])(
  'refuses what has no changes: %j',
  (content) =>
    refuses(
      { 'no.json': JSON.stringify(content), 'tools.json': office },
      'apply no.json tools.json',
      'no.json has no changes. Download it from the changes of the inspector.',
    ),
);
