import path from 'node:path';
import { expect, it } from 'vitest';
import { lint, lintRules } from '../../../src/entries/evaluate.ts';
import { command, office, withFiles } from './command.ts';

interface Result {
  readonly ruleId: string;
  readonly ruleIndex: number;
  readonly level: string;
  readonly message: { readonly text: string };
  readonly locations: readonly {
    readonly physicalLocation?: {
      readonly artifactLocation: { readonly uri: string };
      readonly region: { readonly startLine: number };
    };
    readonly logicalLocations: readonly { readonly name: string; readonly kind: string }[];
  }[];
}

it('writes SARIF 2.1.0: each finding with its rule, level, text and place', async () => {
  const text = JSON.stringify(office, null, 2);
  const lines = text.split('\n');
  await withFiles({ 'my tools/tools.json': text }, async (cwd) => {
    const { code, stdout } = await command(['lint', 'my tools/tools.json', '--sarif'], { cwd });
    expect(code).toBe(0);
    const { version, $schema, runs } = JSON.parse(stdout);
    expect([version, $schema, runs.length]).toEqual(['2.1.0', 'https://json.schemastore.org/sarif-2.1.0.json', 1]);
    const [{ tool, results }] = runs;
    const { name, rules } = tool.driver;
    expect(name).toBe('mastra-tool-search');
    expect(rules).toEqual(
      Object.entries(lintRules).map(([id, { summary, help }]) => ({
        id,
        shortDescription: { text: summary },
        help: { text: help },
      })),
    );
    const findings = await lint(office);
    expect(results).toHaveLength(findings.length);
    for (const [at, { ruleId, ruleIndex, level, message, locations }] of (results as Result[]).entries()) {
      const finding = findings[at]!;
      expect(rules[ruleIndex].id).toBe(ruleId);
      expect([ruleId, level]).toEqual([
        finding.rule,
        { error: 'error', warning: 'warning', info: 'note' }[finding.severity],
      ]);
      expect(message.text).toBe(`${finding.toolName}: ${finding.evidence} ${finding.remedy}`);
      const [{ physicalLocation, logicalLocations }] = locations as [Result['locations'][number]];
      expect(physicalLocation?.artifactLocation.uri).toBe('my%20tools/tools.json');
      expect(lines[physicalLocation!.region.startLine - 1]).toContain(`"name": "${finding.toolName}"`);
      expect(logicalLocations[0]).toEqual({ name: finding.toolName, kind: 'function' });
    }
  });
});

it('finds the server of an mcp.json, and has no file for a command', async () => {
  const memory = { command: 'mcp-server-memory', args: [] };
  await withFiles({ 'mcp.json': JSON.stringify({ mcpServers: { memory } }, null, 2) }, async (cwd) => {
    const only = ['--rule', 'undescribed-parameters=info', '--sarif'];
    const [ofFile, ofCommand] = await Promise.all([
      command(['lint', 'mcp.json', ...only], { cwd }),
      command(['lint', '--mcp', 'mcp-server-memory', ...only], { cwd }),
    ]);
    const locations = ({ stdout }: { stdout: string }): readonly unknown[] =>
      (JSON.parse(stdout).runs[0].results as Result[]).map((result) => result.locations[0]?.physicalLocation);
    expect(new Set(locations(ofCommand).map(String))).toEqual(new Set(['undefined']));
    for (const location of locations(ofFile)) {
      expect(location).toEqual({ artifactLocation: { uri: path.basename('mcp.json') }, region: { startLine: 3 } });
    }
    expect(locations(ofFile).length).toBeGreaterThan(0);
  });
});
