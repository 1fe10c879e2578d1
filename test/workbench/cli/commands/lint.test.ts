import path from 'node:path';
import { expect, it } from 'vitest';
import { lint } from '../../../../src/entries/evaluate.ts';
import { realTools } from '../../../support/real-tools.ts';
import { command, inProcess, office, type Ran, runIn, widest, withFiles } from '../command.ts';

const described = office.map((tool) => ({ ...tool, inputSchema: { type: 'object', properties: {} } }));
const flawed = [...described, { name: 'nothing said', inputSchema: { type: 'object', properties: {} } }];

const run = (tools: unknown, ...args: string[]): Promise<Ran> =>
  withFiles({ 'tools.json': tools }, async (folder) =>
    runIn(folder, await inProcess(['lint', path.join(folder, 'tools.json'), ...args])),
  );

it('prints findings by severity, and ends with 1 where there are errors', async () => {
  const { code, stdout } = await run(flawed, '--rule', 'missing-description', '--rule', 'refused-name');
  expect(code).toBe(1);
  expect(stdout).toMatch(/^Errors \(2\)\n\ntool +finding\nnothing_said +/);
  expect(stdout).toContain('(missing-description)');
  expect(stdout.trimEnd().endsWith('tools.json: 2 errors, 0 warnings, 0 notes in 4 tools.')).toBe(true);
});

it('finds nothing in a clean catalog', async () => {
  expect(await run(described)).toEqual({
    code: 0,
    stdout: 'tools.json: 0 errors, 0 warnings, 0 notes in 3 tools.\n',
    stderr: '',
  });
});

it('says as JSON what lint says', async () => {
  const { stdout } = await run(office, '--json');
  const findings = await lint(office);
  expect(findings.length).toBeGreaterThan(0);
  expect(JSON.parse(stdout)).toEqual({
    ...{ catalog: 'tools.json', tools: 3, errors: 0, warnings: findings.length, notes: 0 },
    findings: JSON.parse(JSON.stringify(findings)),
  });
});

it('counts warnings where it is told to, with the severities that it is told', async () => {
  const codes = await Promise.all([
    run(office),
    run(office, '--max-warnings', '3'),
    run(office, '--max-warnings', '0'),
    run(office, '--max-warnings', '0', '--rule', 'undescribed-parameters=info'),
    run(office, '--rule', 'undescribed-parameters=error'),
    run(office, '--rule', 'undescribed-parameters=off', '--max-warnings', '0'),
    run(office, '--only', 'send_email', '--max-warnings', '1'),
  ]);
  expect(codes.map(({ code }) => code)).toEqual([0, 0, 1, 0, 1, 0, 0]);
});

it('prints the findings of each server by itself where there are several, the worst first', async () => {
  const of = (tool: object, serverName: string): object => ({ ...tool, mcpMetadata: { serverName } });
  const nameless = { name: 'do_it', inputSchema: { type: 'object', properties: {} } };
  const tools = [of(office[1] ?? {}, 'weather'), of(nameless, 'office'), office[2], of(office[0] ?? {}, 'office')];
  const { stdout } = await run(tools);
  const headings = stdout
    .split('\n')
    .filter((line) => /^(?:office|weather|No server|Errors|Warnings|Notes)\b/.test(line));
  expect(headings).toEqual([
    'office: 1 error, 1 warning, 0 notes',
    ...['Errors (1)', 'Warnings (1)'],
    'weather: 0 errors, 1 warning, 0 notes',
    'Warnings (1)',
    'No server: 0 errors, 1 warning, 0 notes',
    'Warnings (1)',
  ]);
  const markdown = await run(tools, '--markdown');
  expect(markdown.stdout).toContain('### office: 1 error, 1 warning, 0 notes\n\n#### Errors (1)\n\n| tool |');
  const json = JSON.parse((await run(tools, '--json')).stdout);
  expect(json.findings.map(({ server }: { server?: string }) => server)).toEqual([
    'office',
    'weather',
    undefined,
    'office',
  ]);
});

it('looks for crowded namespaces in native mode alone, as a flag or the module says', async () => {
  const many = Array.from({ length: 10 }, (_, at) => ({
    ...{ name: `song${at}_play`, description: `Play the ${at}th song of a list.` },
    mcpMetadata: { serverName: 'music' },
  }));
  const found = async (...args: string[]): Promise<boolean> =>
    (await run(many, ...args)).stdout.includes('(crowded-namespace)');
  expect([await found(), await found('--mode', 'call'), await found('--mode', 'native')]).toEqual([false, false, true]);
  expect(await found('--mode', 'native', '--rule', 'crowded-namespace')).toBe(true);
  const module = `export const mode = 'native'; export default ${JSON.stringify(many)};`;
  await withFiles({ 'tools.mjs': module }, async (folder) => {
    const { stdout } = await inProcess(['lint', path.join(folder, 'tools.mjs')]);
    expect(stdout).toContain('(crowded-namespace)');
  });
});

it('sees two tools of one name', async () => {
  const { stdout } = await run([...described, described[0]], '--rule', 'name-clash');
  expect(stdout).toContain('(name-clash)');
});

it.each([
  [['--rule', 'missing-descriptions'], 'There is no rule "missing-descriptions". Did you mean "missing-description"?'],
  [['--rule', 'missing-description=bad'], '--rule missing-description takes error, warning, info, off; got "bad".'],
  [['--only', 'send_mail'], '--only names the tool "send_mail", which the catalog has not. Did you mean "send_email"?'],
  [['other.json'], '"other.json" is one argument too many. Run the command again for another catalog.'],
  [['--mode', 'natif'], '--mode must be one of load, call, native; got "natif".'],
  [['--rule', 'crowded-namespace'], '--rule crowded-namespace is about native mode. Add --mode native.'],
  [['--sarif', '--json'], '--sarif and --json are two formats. Leave one of them out.'],
])('refuses %j with 2', async (args, message) => {
  const { code, stderr } = await run(described, ...args);
  expect([code, stderr.split('\n')[0]]).toEqual([2, `error: ${message}`]);
});

it('keeps to 80 columns over real and hostile tools', async () => {
  const real = realTools()
    .slice(0, 150)
    .map(({ id, description, inputSchema }) => ({ id, description, inputSchema }));
  const hostile = {
    name: 'x\u001b[31m\u202e'.repeat(20),
    description: `\u001b]0;t\u0007 ${'天気'.repeat(80)}`,
    inputSchema: { properties: { 'a\n|b': {} } },
  };
  await withFiles({ 'tools.json': [...real, hostile] }, async (cwd) => {
    const { stdout } = await command(['lint', 'tools.json'], { cwd });
    expect(widest(stdout)).toBeLessThanOrEqual(80);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are looked for.
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  });
});
