// Imports the built package under its own name, as ESM and as CommonJS, and compares what they export.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { runPage } from '../docs/run-page.ts';

const require = createRequire(import.meta.url);
const name = 'mastra-tool-search';
const { exports } = require(`${name}/package.json`);
const entries = Object.keys(exports).filter((entry) => entry !== './package.json');

const read = [];
registerHooks({
  load(url, context, next) {
    read.push(url);
    return next(url, context);
  },
});
const readTables = () => read.filter((url) => url.includes('word-vectors'));

for (const entry of entries) {
  const specifier = entry.replace('.', name);
  const names = Object.keys(await import(specifier)).sort();
  assert.ok(names.length > 0);
  assert.deepEqual(Object.keys(require(specifier)).sort(), names);
  console.log(`smoke: ESM and CommonJS of ${specifier} export ${names.join(', ')}`);
}

// The table of word vectors is read with the first index: one file for all entries of both formats.
assert.deepEqual(readTables(), []);
for (const load of [(entry) => import(`${name}${entry}`), async (entry) => require(`${name}${entry}`)]) {
  const tools = { get_weather: { id: 'get_weather', description: 'Current weather.', execute() {} } };
  const { ToolSearchProcessor } = await load('');
  const find = (search) => new ToolSearchProcessor({ tools, search }).search('umbrella');
  assert.deepEqual(
    (await find({})).map((match) => match.name),
    ['get_weather'],
  );
  assert.deepEqual(await find({ embedder: false }), []);
}
assert.equal(readTables().length, 1);
assert.deepEqual(globSync('dist/**/*word-vectors*'), [path.join('dist', 'word-vectors.js')]);

// The skill for coding agents leads to pages that are in the package.
const skill = require.resolve(`${name}/package.json`).replace('package.json', 'dist/docs/SKILL.md');
const links = [...readFileSync(skill, 'utf8').matchAll(/\]\(([^)#]+)[^)]*\)/g)].map(([, link]) => link);
assert.ok(links.length > 15);
for (const link of links) accessSync(path.join(path.dirname(skill), link), constants.R_OK);
// Each page is in the package once: in docs.
assert.deepEqual(globSync('dist/**/*.md'), [path.join('dist', 'docs', 'SKILL.md')]);

const imported = await import(name);
const required = require(name);
for (const { ToolSearchProcessor } of [imported, required]) {
  const processor = new ToolSearchProcessor({ tools: {} });
  const { tools } = await processor.processInputStep({ tools: {}, messages: [], messageList: messageList() });
  assert.deepEqual(Object.keys(tools), ['search_tools', 'load_tool']);
}

// An error of one entry is an error of every other, and what one makes the others take.
for (const load of [(entry) => import(`${name}${entry}`), async (entry) => require(`${name}${entry}`)]) {
  const { ToolSearchProcessor, ToolSearchError, bm25Scorer, wordsAndMeaningScorer } = await load('');
  const { miniSearchScorer } = await load('/minisearch');
  const { hybridScorer } = await load('/semantic');
  const { toolSynonyms } = await load('/synonyms');
  assert.throws(() => hybridScorer([]), ToolSearchError);
  const tools = { get_weather: { id: 'get_weather', description: 'Current weather.', execute() {} } };
  for (const scorer of [
    bm25Scorer(),
    bm25Scorer({ synonyms: toolSynonyms }),
    wordsAndMeaningScorer({ synonyms: toolSynonyms }),
    miniSearchScorer(),
    hybridScorer([bm25Scorer(), miniSearchScorer()]),
  ]) {
    const found = await new ToolSearchProcessor({ tools, search: { scorer } }).search('weather');
    assert.deepEqual(
      found.map((match) => match.name),
      ['get_weather'],
    );
  }
}

// The page of the inspector is found from each build.
for (const load of [(entry) => import(`${name}${entry}`), async (entry) => require(`${name}${entry}`)]) {
  const tools = { get_weather: { description: 'Current weather.', inputSchema: {} } };
  const { inspectorHtml } = await load('/inspect');
  assert.match(await inspectorHtml({ tools }), /get_weather/);
  const { ToolSearchProcessor } = await load('');
  const handler = await new ToolSearchProcessor({ tools }).inspector({ authorize: () => true });
  assert.equal((await handler(new Request('http://localhost/tools'))).status, 200);
}

// The command, as it is installed.
const { bin, version } = require(`${name}/package.json`);
const command = fileURLToPath(new URL(`../../${bin[name]}`, import.meta.url));
const server = fileURLToPath(
  new URL('../../node_modules/@modelcontextprotocol/server-memory/dist/index.js', import.meta.url),
);
accessSync(command, constants.X_OK);
const run = (...args) => execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
assert.equal(run('--version'), `${version}\n`);
for (const scorer of ['words and meaning', 'bm25', 'tiered', 'minisearch', 'synonyms']) {
  assert.match(run('search', '--mcp', `node ${server}`, 'search nodes', '--scorer', scorer), /^1 +search_nodes /m);
}
assert.equal(spawnSync(command, ['search', 'nothing.json', 'x']).status, 2);
accessSync(path.join(path.dirname(command), '..', 'LICENSES.md'));
const licences = readFileSync(path.join(path.dirname(command), 'LICENSES.txt'), 'utf8');
for (const bundled of ['picocolors', 'fast-wrap-ansi', '@modelcontextprotocol/sdk', 'ajv', 'preact']) {
  assert.match(licences, new RegExp(`^${bundled} [\\d.]+ \\(`, 'm'));
}
const tools = fileURLToPath(new URL('../fixtures/mcp-dev/tools.jsonl', import.meta.url));
assert.match(run('lint', tools, '--only', 'github_create_issue'), / in 1,485 tools$/m);
assert.match(run('tokens', tools, '--samples', '1'), /^native, Anthropic +\d/m);

// The inspector, from its start to Ctrl-C.
const inspector = spawn(command, ['inspect', tools, '--no-open'], { stdio: ['ignore', 'pipe', 'ignore'] });
const [line] = await once(inspector.stdout, 'data');
assert.equal((await fetch(String(line).trim())).status, 200);
inspector.kill('SIGINT');
assert.deepEqual(await once(inspector, 'exit'), [0, null]);
console.log(`smoke: ${bin[name]} searches, lints, counts and inspects`);

// The first page, as a newcomer does it, with what is published.
const folder = mkdtempSync(path.join(tmpdir(), 'packed-'));
try {
  const cwd = fileURLToPath(new URL('../../', import.meta.url));
  execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], { cwd });
  execFileSync('tar', ['-xzf', path.join(folder, `${name}-${version}.tgz`), '-C', folder]);

  // `npm publish` takes the manifest as it is: what npm finds wrong in it is left out of what it publishes, such as a command.
  const packed = path.join(folder, 'package');
  const manifest = readFileSync(path.join(packed, 'package.json'), 'utf8');
  execFileSync('npm', ['pkg', 'fix'], { cwd: packed, stdio: 'ignore' });
  assert.equal(readFileSync(path.join(packed, 'package.json'), 'utf8'), manifest);

  const page = await runPage('docs/getting-started.md', packed);
  try {
    const told = page.blocks.filter(({ said }) => said.length > 0);
    const commands = ['node search.ts', 'node main.ts', 'node --test office.test.ts'];
    assert.deepEqual(
      told.flatMap((block) => block.commands),
      commands,
    );
    // Around the lines of tests, `node --test` tells what servers say, and counts.
    for (const { said, printed } of told) {
      assert.deepEqual(
        printed.filter((line) => said.includes(line)),
        said,
      );
    }
    for (const { said, printed } of told.slice(0, 2)) assert.deepEqual(printed, [...said, '']);
    // Real servers did what the users asked.
    assert.equal(page.file('tea.txt'), 'Tea at six.');
    assert.match(page.file('bob.jsonl'), /likes tea/);
    assert.throws(() => page.file('ada.jsonl'), /ENOENT/);
  } finally {
    page.remove();
  }
  console.log('smoke: docs/getting-started.md prints what it says');
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function messageList() {
  return { addSystem() {}, clearSystemMessages() {} };
}
