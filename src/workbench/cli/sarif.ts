import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { LintFinding, LintRule, LintRuleDescription } from '../../entries/evaluate.ts';
import { NAME, versionOf } from './version.ts';

const LEVELS = { error: 'error', warning: 'warning', info: 'note' } as const;

/**
 * Findings as SARIF 2.1.0.
 *
 * @param file - the catalog, where it is a file: a finding stands where the name of its tool first stands in it.
 */
export function sarifOf(
  findings: readonly LintFinding[],
  rules: Readonly<Record<LintRule, LintRuleDescription>>,
  file: string | undefined,
): object {
  const ids = Object.keys(rules) as LintRule[];
  const place = placesIn(file);
  return {
    version: '2.1.0',
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    runs: [
      {
        tool: {
          driver: {
            name: NAME,
            version: versionOf(),
            informationUri: `https://www.npmjs.com/package/${NAME}`,
            rules: ids.map((id) => ({
              id,
              shortDescription: { text: rules[id].summary },
              help: { text: rules[id].help },
            })),
          },
        },
        columnKind: 'utf16CodeUnits',
        results: findings.map(({ rule, severity, toolName, path: parameter, evidence, remedy }) => ({
          ruleId: rule,
          ruleIndex: ids.indexOf(rule),
          level: LEVELS[severity],
          message: { text: `${toolName}: ${evidence} ${remedy}` },
          locations: [
            {
              ...place(toolName),
              logicalLocations: [
                { name: toolName, kind: 'function' },
                ...(parameter === undefined
                  ? []
                  : [{ name: parameter, kind: 'parameter', fullyQualifiedName: `${toolName}.${parameter}` }]),
              ],
            },
          ],
        })),
      },
    ],
  };
}

/** Where a name first stands in a file, as a whole word in quotes; else its first line. */
function placesIn(file: string | undefined): (name: string) => object {
  if (file === undefined || !existsSync(file)) return () => ({});
  const lines = readFileSync(file, 'utf8').split('\n');
  const uri = encodeURI(path.relative('', path.resolve(file)).split(path.sep).join('/'));
  return (name) => {
    // In an mcp.json, the name of the server stands before that of the tool.
    const parts = [name, ...[...name].flatMap((letter, at) => (letter === '_' ? [name.slice(0, at)] : [])).reverse()];
    const quoted = parts.flatMap((part) => [JSON.stringify(part), `'${part}'`]);
    const at = quoted.map((text) => lines.findIndex((line) => line.includes(text))).find((line) => line >= 0);
    return { physicalLocation: { artifactLocation: { uri }, region: { startLine: (at ?? 0) + 1 } } };
  };
}
