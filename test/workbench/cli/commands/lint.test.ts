import { lint, lintRules } from 'mastra-tool-search/evaluate';
import { expect, it } from 'vitest';
import { realTools } from '../../../support/real-tools.ts';
import { json, office, run, runOn, widest, withFiles, withServer } from '../command.ts';

const described = office.map((tool) => ({ ...tool, inputSchema: { type: 'object', properties: {} } }));
const flawed = [...described, { name: 'nothing said', inputSchema: { type: 'object', properties: {} } }];
const lintOf = (tools: unknown, options = '') => runOn({ 'tools.json': tools }, `lint tools.json ${options}`);

it('prints findings by severity, and ends with 1 where there are errors', async () => {
  const { code, stdout } = await lintOf(flawed, '--rule missing-description --rule refused-name');
  expect(code).toBe(1);
  expect(stdout).toMatch(/^tools\.json: 2 errors, 0 warnings, 0 notes in 4 tools\n\nrule +errors +warnings +notes\n/);
  expect(stdout).toMatch(
    /^missing-description +1\n.*^Errors\n\ntool +finding\nnothing_said .*\(missing-description\)/ms,
  );
  const clean = 'tools.json: 0 errors, 0 warnings, 0 notes in 3 tools\n';
  expect(await lintOf(described)).toEqual({ code: 0, stdout: clean, stderr: '' });
  expect((await lintOf([...described, described[0]], '--rule name-clash')).stdout).toContain('(name-clash)');
  const real = realTools().slice(0, 150);
  const listed = real.map(({ id, description, inputSchema }) => ({ id, description, inputSchema }));
  expect(widest((await lintOf(listed)).stdout)).toBeLessThanOrEqual(80);
});

it('counts the findings of each rule, and lists the worst as far as somebody reads them', async () => {
  const untold = Array.from({ length: 40 }, (_, at) => ({ name: `tool_${at}`, inputSchema: { type: 'object' } }));
  const brief = { name: 'brief', description: 'Mail.', inputSchema: { type: 'object' } };
  await withFiles({ 'tools.json': [brief, ...untold] }, async () => {
    const rules = '--rule missing-description --rule thin-description';
    const { stdout } = await run(`lint tools.json ${rules}`);
    expect(stdout).toMatch(/^missing-description +40\nthin-description +1\n/m);
    expect([stdout.match(/\(missing-description\)/g)?.length, stdout.match(/\(thin/g)]).toEqual([25, null]);
    expect(stdout).toMatch(/\n\nAnd 16 findings more: --all lists them\.\n$/);
    const all = (await run(`lint tools.json ${rules} --all`)).stdout;
    expect([all.match(/\((?:missing|thin)-description\)/g)?.length, all.includes('more:')]).toEqual([41, false]);
    const comment = (await run(`lint tools.json ${rules} --markdown`)).stdout;
    expect(comment).toMatch(/^### tools\.json: 40 errors, 1 warning, 0 notes in 41 tools\n\n\| rule \| errors \|/);
    expect(comment).toMatch(/^\| missing-description \| 40 \| {2}\| {2}\|\n\| thin-description \| {2}\| 1 \| {2}\|$/m);
    expect((await json(`lint tools.json ${rules}`)).findings).toHaveLength(41);
  });
});

it.each([
  ['', 0],
  ['--max-warnings 3', 0],
  ['--max-warnings 0', 1],
  ['--max-warnings 0 --rule undescribed-parameters=info', 0],
  ['--rule undescribed-parameters=error', 1],
  ['--rule undescribed-parameters=off --max-warnings 0', 0],
  ['--only send_email --max-warnings 1', 0],
])('counts warnings where it is told to, with the severities that it is told: %s', async (options, code) => {
  expect((await lintOf(office, options)).code).toBe(code);
});

it('prints the findings of each server by itself where there are several, the worst first', () => {
  const of = (tool: object, serverName: string): object => ({ ...tool, mcpMetadata: { serverName } });
  const nameless = { name: 'do_it', inputSchema: { type: 'object', properties: {} } };
  const tools = [of(office[1] ?? {}, 'weather'), of(nameless, 'office'), office[2], of(office[0] ?? {}, 'office')];
  return withFiles({ 'tools.json': tools }, async () => {
    const { stdout } = await run('lint tools.json');
    expect(stdout.match(/^(?:office|weather|No server|Errors|Warnings|Notes)\b.*/gm)).toEqual([
      ...['office: 1 error, 1 warning, 0 notes', 'Errors', 'Warnings'],
      ...['weather: 0 errors, 1 warning, 0 notes', 'Warnings'],
      ...['No server: 0 errors, 1 warning, 0 notes', 'Warnings'],
    ]);
    const heading = '#### office: 1 error, 1 warning, 0 notes\n\n##### Errors\n\n| tool |';
    expect((await run('lint tools.json --markdown')).stdout).toContain(heading);
    const { findings, ...counts } = await json('lint tools.json');
    const servers = findings.map(({ server }: { server?: string }) => server);
    expect(servers).toEqual(['office', 'weather', undefined, 'office']);
    expect(counts).toEqual({ catalog: 'tools.json', tools: 4, errors: 1, warnings: 3, notes: 0 });
    expect(findings).toEqual(JSON.parse(JSON.stringify(await lint(tools as never))));
  });
});

it('looks for crowded namespaces in native mode alone, as a flag or the module says', () => {
  const many = Array.from({ length: 10 }, (_, at) => ({
    ...{ name: `song${at}_play`, description: `Play the ${at}th song of a list.` },
    mcpMetadata: { serverName: 'music' },
  }));
  const module = `export const mode = 'native'; export default ${JSON.stringify(many)};`;
  return withFiles({ 'tools.json': many, 'tools.mjs': module }, async () => {
    for (const [args, isFound] of [
      ['tools.json', false],
      ['tools.json --mode call', false],
      ['tools.json --mode native', true],
      ['tools.json --mode native --rule crowded-namespace', true],
      ['tools.mjs', true],
    ] as const)
      expect([args, (await run(`lint ${args}`)).stdout.includes('(crowded-namespace)')]).toEqual([args, isFound]);
  });
});

it('writes SARIF 2.1.0: each finding with its rule, level, text and place: in the file, at its server, or nowhere', () => {
  const text = JSON.stringify(office, null, 2);
  const lineOf = (name: string): number => text.split('\n').findIndex((line) => line.includes(`"name": "${name}"`)) + 1;
  return withFiles({ 'my tools/tools.json': text }, async () => {
    const { code, stdout } = await run('lint "my tools/tools.json" --sarif');
    const { version, $schema, runs } = JSON.parse(stdout);
    expect([code, version, $schema]).toEqual([0, '2.1.0', 'https://json.schemastore.org/sarif-2.1.0.json']);
    const rules = Object.entries(lintRules).map(([id, { summary, help }]) => {
      return { id, shortDescription: { text: summary }, help: { text: help } };
    });
    const results = (await lint(office)).map(({ rule, severity, toolName, evidence, remedy }) => ({
      ...{ ruleId: rule, ruleIndex: Object.keys(lintRules).indexOf(rule) },
      level: { error: 'error', warning: 'warning', info: 'note' }[severity],
      message: { text: `${toolName}: ${evidence} ${remedy}` },
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: 'my%20tools/tools.json' },
            region: { startLine: lineOf(toolName) },
          },
          logicalLocations: expect.arrayContaining([{ name: toolName, kind: 'function' }]),
        },
      ],
    }));
    expect(runs).toMatchObject([{ tool: { driver: { name: 'mastra-tool-search', rules } }, results }]);
    await withServer(
      () => ({ result: { tools: office } }),
      (url) =>
        withFiles({ 'mcp.json': JSON.stringify({ mcpServers: { office: { url } } }, null, 2) }, async () => {
          const placesOf = async (catalog: string): Promise<readonly unknown[]> => {
            const said = JSON.parse((await run(`lint ${catalog} --sarif`)).stdout);
            type Result = { locations: [{ physicalLocation?: object }] };
            return said.runs[0].results.map(({ locations }: Result) => locations[0].physicalLocation);
          };
          const place = { artifactLocation: { uri: 'mcp.json' }, region: { startLine: 3 } };
          expect(await placesOf('mcp.json')).toEqual([place, place, place]);
          expect(await placesOf(`--mcp ${url}`)).toEqual([undefined, undefined, undefined]);
        }),
    );
  });
});
