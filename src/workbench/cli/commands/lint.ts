import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { LintFinding, LintOptions, LintRule, LintRuleDescription } from '../../../entries/evaluate.ts';
import { asRecord, listedTools, repairName, suggestionFor } from '../../../kit.ts';
import { catalogOptions, type LoadedCatalog, loadCatalog, MODES, modeOption } from '../catalog/load.ts';
import { type Call, type Command, NAME, versionOf } from '../command.ts';
import { scorerOption, scorersOf } from '../inputs.ts';
import { type Column, counted, escaped, type Format, formatOf, several, table } from '../output.ts';
import { FAILED, OK, shown, type Terminal, UsageError } from '../terminal.ts';

export const lintCommand: Command = {
  name: 'lint',
  summary: 'Look for what keeps a model from finding, calling or trusting tools.',
  usage: 'CATALOG',
  about: ['Ends with 1 where there are errors, or more warnings than --max-warnings.'],
  options: {
    'max-warnings': { type: 'string', hint: 'N', text: 'Warnings that are allowed (any number)' },
    rule: {
      type: 'string',
      multiple: true,
      hint: 'NAME[=SEVERITY]',
      text: 'Only this rule; with error, warning, info or off, that severity for its findings',
    },
    only: { type: 'string', multiple: true, hint: 'TOOL', text: 'Only findings about this tool' },
    mode: modeOption,
    sarif: { type: 'boolean', text: 'Write SARIF 2.1.0, as for code scanning' },
    scorer: scorerOption,
    ...catalogOptions,
  },
  examples: [
    ['lint tools.json', 'all findings, the worst first'],
    ['lint tools.json --max-warnings 0 --rule undescribed-parameters=info', 'in CI'],
    ['lint tools.json --sarif > tools.sarif', 'for code scanning'],
    ['lint --mcp "npx -y @modelcontextprotocol/server-github"', 'the tools of a server'],
  ],
  run,
};

const SEVERITIES = ['error', 'warning', 'info', 'off'] as const;
const TITLES = { error: 'Errors', warning: 'Warnings', info: 'Notes' } as const;

async function run(call: Call): Promise<number> {
  const { terminal, values, positionals } = call;
  const isSarif = values.flag('sarif');
  const format = formatOf(call);
  if (isSarif && format !== 'table')
    throw new UsageError(`--sarif and --${format} are two formats. Leave one of them out.`);
  const most = values.number('max-warnings', { least: 0, isWhole: true });
  const { lint, lintRules } = await import('../../../entries/evaluate.ts');
  const rules = rulesOf(values.texts('rule'), Object.keys(lintRules) as LintRule[]);
  const asked = values.oneOf('mode', MODES);
  const { catalog } = await loadCatalog(call);
  const mode = asked ?? catalog.mode ?? 'load';
  if (mode !== 'native' && values.texts('rule').includes('crowded-namespace'))
    throw new UsageError('--rule crowded-namespace is about native mode. Add --mode native.');
  terminal.progress(`Checking ${Object.keys(catalog.tools).length} tools…`);
  const findings = await lint(toolsOf(catalog), { ...(await optionsOf(call, catalog, rules)), mode });
  const counts = countsOf(findings);
  if (isSarif) {
    const file = values.texts('mcp').length > 0 ? undefined : positionals[0];
    terminal.print(JSON.stringify(sarifOf(findings, lintRules, file), null, 2));
  } else if (format === 'json') {
    const tools = Object.keys(catalog.tools).length;
    terminal.print(JSON.stringify({ catalog: catalog.title, tools, ...counts, findings }, null, 2));
  } else {
    terminal.print(pageOf(catalog, findings, counts, format, terminal));
  }
  return counts.errors > 0 || counts.warnings > (most ?? Number.POSITIVE_INFINITY) ? FAILED : OK;
}

/** The list, in which two tools of one name are two. */
function toolsOf({ list, tools }: LoadedCatalog): Parameters<typeof import('../../../entries/evaluate.ts')['lint']>[0] {
  return list?.map((definition) => ({ ...definition, name: definition.id })) ?? tools;
}

async function optionsOf(
  call: Call,
  catalog: LoadedCatalog,
  rules: LintOptions['rules'] & object,
): Promise<LintOptions> {
  const { keywords, groups } = catalog;
  const only = call.values.texts('only');
  refuseUnknownTools(only, catalog);
  const [scorer] = await scorersOf(call, catalog);
  return {
    rules,
    ...(scorer ? { scorer } : {}),
    ...(keywords ? { keywords } : {}),
    ...(groups ? { groups } : {}),
    ...(only.length > 0 ? { only } : {}),
  };
}

/** @throws UsageError for a name that no tool has: there would be nothing to find. */
function refuseUnknownTools(only: readonly string[], { tools }: LoadedCatalog): void {
  if (only.length === 0) return;
  const names = listedTools(tools).flatMap(({ key, tool }) => {
    const id = asRecord(tool)?.['id'];
    const own = typeof id === 'string' ? id : key;
    // As the model calls it, too.
    return [key, own, repairName(own, () => false)];
  });
  for (const name of only) {
    if (names.includes(name)) continue;
    const meant = suggestionFor(name, new Set(names));
    throw new UsageError(`--only names the tool "${shown(name)}", which the catalog has not.${meant}`);
  }
}

/** The severities of rules. Where some are named without one, all others are off. */
function rulesOf(texts: readonly string[], names: readonly LintRule[]): NonNullable<LintOptions['rules']> {
  const asked = texts.map((text) => {
    const [name = '', severity] = text.split('=');
    const rule = names.find((one) => one === name);
    if (rule === undefined) {
      throw new UsageError(
        `There is no rule "${shown(name)}".${suggestionFor(name, names) || ` There are ${names.join(', ')}.`}`,
      );
    }
    const known = SEVERITIES.find((one) => one === severity);
    if (severity !== undefined && known === undefined) {
      throw new UsageError(`--rule ${rule} takes ${SEVERITIES.join(', ')}; got "${shown(severity)}".`);
    }
    return { rule, severity: known };
  });
  const only = asked.filter(({ severity }) => severity === undefined).map(({ rule }) => rule);
  const off = only.length > 0 ? names.filter((name) => !asked.some(({ rule }) => rule === name)) : [];
  return Object.fromEntries([
    ...off.map((rule) => [rule, 'off']),
    ...asked.flatMap(({ rule, severity }) => (severity === undefined ? [] : [[rule, severity]])),
  ]);
}

/** Findings by severity; where there are several servers, those of each server by themselves, the worst server first. */
function pageOf(
  { title, tools }: LoadedCatalog,
  findings: readonly LintFinding[],
  counts: Counts,
  format: Format,
  terminal: Terminal,
): string {
  const { colors } = terminal;
  const isMarkdown = format === 'markdown';
  const servers = new Map<string, LintFinding[]>();
  for (const finding of findings) {
    const { server = '' } = finding;
    servers.set(server, [...(servers.get(server) ?? []), finding]);
  }
  const sections =
    servers.size < 2
      ? bySeverity(findings, '###', format, terminal)
      : [...servers].flatMap(([server, found]) => {
          const heading = `${server === '' ? 'No server' : server}: ${sumOf(countsOf(found))}`;
          return [
            isMarkdown ? `### ${escaped(heading)}` : colors.bold(shown(heading)),
            ...bySeverity(found, '####', format, terminal),
          ];
        });
  const name = isMarkdown ? escaped(title) : shown(title);
  return [...sections, `${name}: ${sumOf(counts)} in ${several(Object.keys(tools).length, 'tool')}.`].join('\n\n');
}

function bySeverity(
  findings: readonly LintFinding[],
  level: string,
  format: Format,
  terminal: Terminal,
): readonly string[] {
  const { colors } = terminal;
  const paints = { error: colors.red, warning: colors.yellow, info: colors.blue };
  const columns: readonly Column[] = [
    { title: 'tool', paint: colors.bold },
    { title: 'finding', isWide: true },
  ];
  return (['error', 'warning', 'info'] as const).flatMap((severity) => {
    const found = findings.filter((one) => one.severity === severity);
    if (found.length === 0) return [];
    const heading = `${TITLES[severity]} (${counted(found.length)})`;
    const rows = found.map(({ toolName, evidence, remedy, rule }) => [toolName, `${evidence} ${remedy} (${rule})`]);
    return [
      format === 'markdown' ? `${level} ${heading}` : paints[severity](heading),
      table(columns, rows, format, terminal),
    ];
  });
}

/** How many findings there are of each severity. */
type Counts = Readonly<Record<'errors' | 'warnings' | 'notes', number>>;

function countsOf(findings: readonly LintFinding[]): Counts {
  const count = (severity: LintFinding['severity']): number =>
    findings.filter((one) => one.severity === severity).length;
  return { errors: count('error'), warnings: count('warning'), notes: count('info') };
}

function sumOf({ errors, warnings, notes }: Counts): string {
  return [several(errors, 'error'), several(warnings, 'warning'), several(notes, 'note')].join(', ');
}

const LEVELS = { error: 'error', warning: 'warning', info: 'note' } as const;

/**
 * Findings as SARIF 2.1.0.
 *
 * @param file - the catalog, where it is a file: a finding stands where the name of its tool first stands in it.
 */
function sarifOf(
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
