import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { LocalFilesystem, Workspace } from '@mastra/core/workspace';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { call, calls, rig, tool, toolRecord } from '../support/agent.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'skills-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it.each([
  ['a text', 'allowed-tools: get_order, refund_payment # both'],
  [
    'a list with quotes, comments and blank lines',
    'allowed-tools:\n  - "get_order"\n\n  # Money.\n  - refund_payment # note',
  ],
  ['a list without indentation', 'allowed-tools:\n- get_order\n- refund_payment'],
  ['a list in brackets on several lines', 'allowed-tools: [get_order,\n  refund_payment\n]'],
  ['a folded text', 'allowed-tools: >-\n  get_order\n  refund_payment'],
  ['a text of several lines', 'allowed-tools: |\n  get_order\n  refund_payment'],
  ['a key in quotes', '"allowed-tools": get_order refund_payment'],
])('loads the tools of a skill that names them as %s, and none of the next key', async (how, front) => {
  for (const newline of ['\n', '\r\n']) {
    const basePath = path.join(folder, `${how} ${newline.length}`);
    const skill = path.join(basePath, 'skills', 'refund-order');
    await mkdir(skill, { recursive: true });
    const lines = ['---', 'name: refund-order', 'description: Refund', front, 'license: send_email', '---', 'Do it.'];
    await writeFile(path.join(skill, 'SKILL.md'), lines.join('\n').replaceAll('\n', newline));
    const workspace = new Workspace({ filesystem: new LocalFilesystem({ basePath }), skills: ['skills'] });
    const { agent, events } = rig(
      { tools: toolRecord(...['get_order', 'refund_payment', 'send_email'].map((id) => tool(id))), skills: true },
      { script: calls(call('skill', { name: 'refund-order' })), agent: { workspace } },
    );
    await agent.generate('go');
    expect(events.filter(({ type }) => type === 'load')).toMatchObject([
      { by: 'skill', loaded: ['get_order', 'refund_payment'], notFound: [] },
    ]);
  }
});
