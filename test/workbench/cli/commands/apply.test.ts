import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { inProcess, office, runIn, withFiles } from '../command.ts';

const description = { before: 'Get the current weather of a city.', after: 'Tell how warm it is in a city.' };
const keywords = { before: [], after: ['mail'] };
const changes = { changes: { get_weather: { description }, send_email: { keywords } } };
const files = { 'tools.json': `${JSON.stringify(office, null, 2)}\n`, 'changes.json': changes, 'no.json': {} };

it('writes the changes of the inspector into a file, so that the catalog has them', () =>
  withFiles(files, async (folder) => {
    const [from, file] = ['changes.json', 'tools.json'].map((name) => path.join(folder, name)) as [string, string];
    const ran = await inProcess(['apply', from, file]);
    expect(runIn(folder, ran)).toEqual({ code: 0, stdout: 'Changed 2 tools of tools.json\n', stderr: '' });
    expect((await inProcess(['search', file, 'how warm is it', '--json'])).stdout).toContain('get_weather');
    expect((await inProcess(['search', file, 'mail', '--json'])).stdout).toContain('send_email');
    const json = await inProcess(['apply', from, file, '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ applied: ['get_weather', 'send_email'], problems: [] });
  }));

it('prints a patch that git applies, and changes nothing itself', () =>
  withFiles(files, async (folder) => {
    const [from, file] = ['changes.json', 'tools.json'].map((name) => path.join(folder, name)) as [string, string];
    const { code, stdout } = await inProcess(['apply', from, file, '--patch']);
    expect([code, readFileSync(file, 'utf8')]).toEqual([0, files['tools.json']]);
    const patch = stdout.replaceAll(
      /^(---|\+\+\+) .*$/gm,
      (line) => `${line.slice(0, 4)}${line[0] === '-' ? 'a' : 'b'}/tools.json`,
    );
    execFileSync('git', ['apply', '-'], { cwd: folder, input: patch });
    expect(readFileSync(file, 'utf8')).toContain(description.after);
  }));

it('says what does not fit, and ends with 1', () =>
  withFiles({ ...files, 'tools.json': office.slice(0, 1) }, async (folder) => {
    const paths = ['changes.json', 'tools.json'].map((name) => path.join(folder, name));
    const { code, stdout, stderr } = runIn(folder, await inProcess(['apply', ...paths]));
    expect([code, stdout]).toEqual([1, 'Changed 1 tool of tools.json\n']);
    expect(stderr).toContain('Not changed: get_weather: the file has no such tool.');
  }));

it.each([
  [[], 'Give the changes, and the file to change: apply changes.json tools.json.'],
  [['changes.json', 'tools.json', 'x'], '"x" is one argument too many.'],
  [['no.json', 'tools.json'], 'no.json has no changes. Download it from the changes of the inspector.'],
  [['changes.json', 'none.json'], 'There is no file none.json.'],
])('refuses %j with 2', (args, message) =>
  withFiles(files, async (folder) => {
    const given = args.map((arg) => (arg.endsWith('.json') ? path.join(folder, arg) : arg));
    const { code, stderr } = runIn(folder, await inProcess(['apply', ...given]));
    expect([code, stderr.split('\n')[0]]).toEqual([2, `error: ${message}`]);
  }),
);
