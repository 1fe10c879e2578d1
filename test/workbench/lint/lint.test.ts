import { readFileSync } from 'node:fs';
import { createTool } from '@mastra/core/tools';
import { ToolSearchError } from 'mastra-tool-search';
import { type LintFinding, type LintOptions, type LintRule, lint, lintRules } from 'mastra-tool-search/evaluate';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

/** A definition as a server lists it. */
function listed(name: string, description: string, properties: Record<string, object> = {}, more: object = {}) {
  return { name, description, inputSchema: { type: 'object', properties }, ...more };
}

const clean = [
  listed('send_email', 'Send an email message to a colleague.', {
    to: { type: 'string', description: 'The address.' },
  }),
  listed('get_weather', 'Tell the weather of a city for the next three days.'),
  listed('create_issue', 'Open a new issue in a repository of the team.'),
];

/** Findings as `rule severity tool`. */
async function said(tools: Parameters<typeof lint>[0], options?: LintOptions): Promise<string[]> {
  return (await lint(tools, options)).map(({ rule, severity, toolName }) => `${rule} ${severity} ${toolName}`);
}

async function only(rule: LintRule, tools: Parameters<typeof lint>[0]): Promise<LintFinding | undefined> {
  return (await lint(tools)).find((finding) => finding.rule === rule);
}

describe('lint()', () => {
  it('has nothing to say of clean tools, in each form that the processor takes', async () => {
    expect(await lint(clean)).toEqual([]);
    expect(await lint(Object.fromEntries(clean.map((one) => [one.name, one])))).toEqual([]);
    const schema = z.object({ to: z.string().describe('The address.') });
    const made = createTool({ id: 'send_email', description: 'Send an email to a colleague.', inputSchema: schema });
    expect(await lint({ made })).toEqual([]);
    expect(await lint({})).toEqual([]);
    expect(await lint([])).toEqual([]);
  });

  it('puts the worst first, then goes by names', async () => {
    const tools = [listed('b', 'Weather'), listed('a', 'Mail'), listed('d', ''), listed('c', 'Delete a tag')];
    expect(await said(tools)).toEqual([
      'missing-description error d',
      'thin-description warning a',
      'thin-description warning b',
      'thin-description info c',
    ]);
  });

  it('gives a rule another severity, or turns it off', async () => {
    const tools = [...clean, listed('nameless', '')];
    expect(await said(tools, { rules: { 'missing-description': 'info' } })).toEqual([
      'missing-description info nameless',
    ]);
    expect(await said(tools, { rules: { 'missing-description': 'off' } })).toEqual([]);
  });

  it('says only what is about some tools, in a search of all', async () => {
    const twins = [
      ...clean,
      listed('find_person', 'Find a person by name or number.'),
      listed('find_person_2', 'Find a person by name or number.'),
      listed('nameless', ''),
    ];
    expect(await said(twins, { only: ['find_person_2'] })).toEqual(['indistinguishable error find_person_2']);
    expect(await said(twins, { only: ['get_weather', 'nobody'] })).toEqual([]);
  });

  it.each<[string, unknown]>([
    ['"rule" is no option of lint. Did you mean "rules"?', { rule: {} }],
    ['"rules.missing-descriptions" is no option of lint.', { rules: { 'missing-descriptions': 'off' } }],
    ['"rules["name-clash"]" must be', { rules: { 'name-clash': 'fatal' } }],
    ['"topK" must be', { topK: 0 }],
    ['"only" must be', { only: 'send_email' }],
    ['"groups" must be', { groups: 'github' }],
  ])('refuses options: %s', async (message, options) => {
    const error: unknown = await lint(clean, options as LintOptions).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ToolSearchError);
    expect((error as Error).message).toContain(message);
  });

  it('describes every rule', () => {
    for (const { summary, help } of Object.values(lintRules)) expect([summary, help].join(' ')).toMatch(/^[A-Z].*\.$/);
    const page = readFileSync('docs/evaluate.md', 'utf8');
    expect(Object.keys(lintRules).filter((rule) => !page.includes(`\`${rule}\``))).toEqual([]);
  });
});

describe('names', () => {
  it('finds what providers refuse, and says why', async () => {
    const long = 'play_'.repeat(13);
    const found = await lint([
      ...clean,
      listed('read file', 'Read a file of the disk.'),
      listed(long, 'Play a song of the list.'),
    ]);
    expect(found.map(({ evidence }) => evidence).toReversed()).toEqual([
      'Some providers refuse the name "read file", which has " ". The tool is called "read_file".',
      expect.stringMatching(
        /^Some providers refuse the name "(?:play_){13}", which has 65 characters\. The tool is called "[play_]+_\w{8}"\.$/,
      ),
    ]);
    const digit = await only('refused-name', [listed('3d_print', 'Print a model in plastic.')]);
    expect(digit?.evidence).toBe('The name "3d_print" begins with "3", which Google\'s models refuse.');
  });

  it('finds names that are taken, or reserved, by whatever makes them equal', async () => {
    const one = listed('read_file', 'Read a file of the disk.');
    expect(await said([one, { ...one }])).toEqual(['name-clash error read_file']);
    expect(await said([one, listed('readFile', 'Show the lines of a text.')])).toEqual([
      'name-clash warning read_file',
    ]);
    expect(await said([listed('load_tool', 'Load a tool of the machine.')])).toEqual(['reserved-name error load_tool']);
    const same = createTool({ id: 'same', description: 'Do the first of two things.' });
    const other = createTool({ id: 'same', description: 'Play the other song.' });
    const [clash] = await lint({ same, other });
    expect(clash).toMatchObject({
      rule: 'name-clash',
      evidence: '2 tools are called "same". Only one of them can be called.',
    });
  });

  it('finds names of two servers, with and without their names in front', async () => {
    const of = (serverName: string) => ({ mcpMetadata: { serverName } });
    const issue = (name: string, server: string) =>
      listed(name, `Open an issue of ${server}, with labels.`, {}, of(server));
    expect(await said([issue('create_issue', 'github'), issue('create_issue', 'gitlab')])).toEqual([
      'shadowed-name error create_issue',
    ]);
    const [finding] = await lint([issue('github_create_issue', 'github'), issue('gitlab_create_issue', 'gitlab')]);
    expect(finding).toMatchObject({
      ...{ rule: 'shadowed-name', severity: 'info', toolName: 'github_create_issue', others: ['gitlab_create_issue'] },
      evidence: 'The servers "github", "gitlab" each have a tool "create_issue".',
    });
    const toolsets = {
      github: { create_issue: listed('', 'Open an issue of the team, with labels.') },
      gitlab: { create_issue: listed('', 'Report a bug of the software.') },
    };
    expect(await said(toolsets)).toEqual(['shadowed-name info github_create_issue']);
  });

  it('finds namespaces that are crowded', async () => {
    const songs = Array.from({ length: 10 }, (_, at) => listed(`song${at}_play`, `Play the ${at}th song of a list.`));
    const groups = () => 'music';
    expect(await lint(songs.slice(1), { groups, mode: 'native' })).toEqual([]);
    expect(await lint(songs, { groups, mode: 'native' })).toMatchObject([
      { rule: 'crowded-namespace', severity: 'info', server: 'music', others: { length: 9 } },
    ]);
    for (const mode of [undefined, 'load', 'call'] as const)
      expect(await lint(songs, { groups, ...(mode ? { mode } : {}) })).toEqual([]);
  });

  it('finds the names that the mode reserves', async () => {
    const names = ['search_tools', 'load_tool', 'call_tool', 'tool_search', 'tool_search_tool_bm25'];
    const tools = names.map((name) => listed(name, `Do what ${name} is there for.`));
    const reserved = async (options: LintOptions): Promise<readonly string[]> =>
      (await lint(tools, options)).flatMap(({ rule, toolName }) => (rule === 'reserved-name' ? [toolName] : []));
    expect(await reserved({})).toEqual(['load_tool', 'search_tools']);
    expect(await reserved({ mode: 'call' })).toEqual(['call_tool', 'load_tool', 'search_tools']);
    expect(await reserved({ mode: 'native' })).toEqual([
      'load_tool',
      'search_tools',
      'tool_search',
      'tool_search_tool_bm25',
    ]);
  });

  it('tell the server of the tool, where one is told', async () => {
    const of = (serverName: string) => ({ mcpMetadata: { serverName } });
    const same = [listed('same', 'A text.', {}, of('github')), listed('same', 'A text.', {}, of('github'))];
    const tools = [listed('nothing', '', {}, of('mail')), listed('other', ''), ...same];
    const found = (await lint(tools)).map(({ rule, toolName, server }) => [rule, toolName, server]);
    expect(found).toContainEqual(['missing-description', 'nothing', 'mail']);
    expect(found).toContainEqual(['missing-description', 'other', undefined]);
    expect(found).toContainEqual(['name-clash', 'same', 'github']);
  });

  it('reports what cannot be read, and goes on', async () => {
    const broken = {
      ...listed('broken', 'Mend what is broken.'),
      get inputSchema(): object {
        throw new Error('out of order');
      },
    };
    const findings = await lint({ broken, text: 'no tool', nameless: listed('nameless', '') } as never);
    expect(findings.map(({ rule, toolName }) => `${rule} ${toolName}`)).toEqual([
      'unreadable-tool broken',
      'missing-description nameless',
      'unreadable-tool text',
    ]);
  });
});

describe('hostile tools', () => {
  it('are findings, and end nothing', async () => {
    const circle: Record<string, unknown> = { type: 'object' };
    circle['properties'] = { a: circle, b: { $ref: '#/properties/b' } };
    const many = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, at) => [`p${at}`, { description: 'It. '.repeat(99) }]),
    );
    const throwing = new Proxy(
      {},
      {
        get() {
          throw new Error('no\u202e');
        },
      },
    );
    const found = await lint([
      { ...listed('circle', 'x '.repeat(500_000)), inputSchema: circle },
      listed('many', 'Ignore all '.repeat(100_000), many),
      listed('__proto__', 'Reads what a prototype has.', JSON.parse('{ "__proto__": { "type": "string" } }')),
      listed('', 'select: this, that and +more'),
      ...[null, 5, throwing],
    ] as never);
    expect(
      found.filter(({ severity }) => severity === 'error').map(({ rule, evidence }) => `${rule}: ${evidence}`),
    ).toEqual([
      expect.stringMatching(/^unreadable-tool: tools\["4"\] is not a tool \(null\)\./),
      expect.stringMatching(/^unreadable-tool: tools\["5"\] is not a tool \(number\)\./),
      expect.stringMatching(/^unreadable-tool: tools\["6"\] cannot be read: no\\u\{202e\}\./),
      expect.stringMatching(/^refused-name: Some providers refuse the name "__proto__"/),
      expect.stringMatching(/^refused-name: Some providers refuse the name "", which is empty/),
    ]);
  });
});

describe('words', () => {
  it('finds a tool that its first sentence does not find, and says which comes first and by which word', async () => {
    const tools = [
      ...clean,
      listed('note', 'Sends mail. Writes a note of the day.'),
      listed('mail', 'Sends mail fast.'),
    ];
    expect(await only('not-found-by-own-words', tools)).toMatchObject({
      ...{ toolName: 'note', severity: 'warning', others: ['mail'], path: 'description' },
      evidence: 'A search for "Sends mail." finds "mail" first, by "mail", and has this one at place 3.',
    });
  });

  it('reads the first sentence that says something', async () => {
    const tools = [...clean, listed('make_note', '## Purpose:\nWrites a note of the day.')];
    expect(await lint(tools)).toEqual([]);
  });

  it('asks tools of the same words once', async () => {
    let searches = 0;
    const names = Array.from({ length: 500 }, (_, at) => `get_item_${at}`);
    const scorer = {
      name: 'counts',
      index: () => ({
        search: () => {
          searches += 1;
          return names.map((name) => ({ name, score: 1 }));
        },
      }),
    };
    const found = await lint(
      names.map((name) => listed(name, 'Get an item of the store by its number.')),
      { scorer },
    );
    expect(found.filter(({ rule }) => rule === 'indistinguishable')).toMatchObject([{ others: { length: 499 } }]);
    expect(searches).toBeLessThan(10);
  });

  it('is an error where the model is not shown the tool', async () => {
    const others = Array.from({ length: 5 }, (_, at) =>
      listed(`mail_${at}x`, 'Sends mail.', { [`p${at}`]: { description: 'P' } }),
    );
    const [finding] = await lint([...others, listed('note', 'Sends mail. Writes a note of the day.')]);
    expect(finding).toMatchObject({ rule: 'not-found-by-own-words', severity: 'error', toolName: 'note' });
  });

  it('asks the scorer of the agent', async () => {
    const nothing = { name: 'nothing', index: () => ({ search: () => [] }) };
    const found = await lint(clean, { scorer: nothing });
    expect(found.map(({ rule, severity }) => `${rule} ${severity}`)).toEqual(
      clean.map(() => 'not-found-by-own-words error'),
    );
    expect(found[0]?.evidence).toBe('A search for "Open a new issue in a repository of the team." finds nothing.');
  });
});

describe('parameters', () => {
  it.each<[string, Record<string, object>, object | undefined]>([
    ['most of them', { from: {}, to: {}, at: { description: 'When.' } }, { severity: 'warning', path: 'from' }],
    [
      'a few',
      { from: {}, to: { description: 'Where.' }, at: { description: 'When.' } },
      { severity: 'info', path: 'from' },
    ],
    [
      'one of a name that says nothing',
      { data: {}, to: { description: 'Where.' }, at: { description: 'When.' } },
      { severity: 'warning', path: 'data', evidence: '1 of 3 parameters has no description: "data".' },
    ],
    [
      'a vague one and others',
      { url: {}, body: {} },
      { severity: 'warning', path: 'body', evidence: '2 of 2 parameters have no description: "body", "url".' },
    ],
    [
      'more than are named',
      Object.fromEntries(['a1', 'b1', 'c1', 'd1', 'e1', 'f1', 'data'].map((name) => [name, {}])),
      { path: 'data', evidence: '7 of 7 parameters have no description: "data", "a1", "b1", "c1", "d1" and 2 more.' },
    ],
    ['none', { to: { description: 'Where.' } }, undefined],
  ])('finds %s without a description', async (_, properties, expected) => {
    const finding = await only('undescribed-parameters', [listed('fly', 'Fly from a city to another.', properties)]);
    if (expected) expect(finding).toMatchObject(expected);
    else expect(finding).toBeUndefined();
  });
});
