import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { LintFinding, LintOptions, LintRule, LintRuleDescription } from '../../../entries/evaluate.ts';
import { listedTools, repairName } from '../../../kit.ts';
import { asRecord, given } from '../../../util/record.ts';
import { suggestionFor } from '../../../util/suggest.ts';
import { grouped } from '../../grouped.ts';
import { catalogOptions, type LoadedCatalog, loadCatalog, MODES, modeOption } from '../catalog/load.ts';
import { type Call, type Command, NAME, packageVersion } from '../command.ts';
import { scorerOption, scorersOf, WORDS } from '../inputs.ts';
import { type Cell, counted, formatOf, numbers, type Page, printResult, several } from '../output.ts';
import { FAILED, OK, shown, type Terminal, UsageError } from '../terminal.ts';

/** Limit of listed findings: as many as a reader of a pull request reads. */
const MOST = 25;
/** From this many tools on, a check shows its progress. */
const LARGE = 5_000;

export const lintCommand: Command = {
  name: 'lint',
  summary: 'Look for what keeps a model from finding, calling or trusting tools.',
  usage: 'CATALOG',
  about: [
    `Counts the findings of each rule, and lists the worst ${MOST}; --all lists all of them, as --json and --sarif do. Ends with 1 where there are errors, or more warnings than --max-warnings.`,
  ],
  options: {
    'max-warnings': { hint: 'N', text: 'Warnings that are allowed (any number)' },
    rule: {
      ...{ multiple: true, hint: 'NAME[=SEVERITY]' },
      text: 'Only this rule; with error, warning, info or off, that severity for its findings',
    },
    only: { multiple: true, hint: 'TOOL', text: 'Only findings about this tool' },
    all: { text: `List all findings, not the worst ${MOST} alone` },
    mode: modeOption,
    sarif: { text: 'Write SARIF 2.1.0, as for code scanning' },
    scorer: {
      ...scorerOption,
      text: 'The ranking: a name, or a module with your own; else that of CATALOG, else bm25',
    },
    ...catalogOptions,
  },
  examples: [
    ['lint tools.json', 'the worst findings'],
    ['lint tools.json --markdown > comment.md', 'for a comment on a pull request'],
    ['lint tools.json --max-warnings 0 --rule undescribed-parameters=info', 'in CI'],
    ['lint tools.json --sarif > tools.sarif', 'for code scanning'],
    ['lint --mcp "npx -y @modelcontextprotocol/server-github"', 'the tools of a server'],
  ],
  run,
};

/** Severities, the worst first, with their titles and their names in SARIF. */
const SEVERITIES = [
  ['error', 'Errors', 'error'],
  ['warning', 'Warnings', 'warning'],
  ['info', 'Notes', 'note'],
] as const;

async function run(call: Call): Promise<number> {
  const { terminal, values, positionals } = call;
  const isSarif = values.flag('sarif');
  const format = formatOf(call);
  if (isSarif && format !== 'table')
    throw new UsageError(`--sarif and --${format} are two formats. Leave one of them out.`);
  const most = values.whole('max-warnings', 0) ?? Number.POSITIVE_INFINITY;
  const { lint, lintRules } = await import('../../../entries/evaluate.ts');
  const rules = rulesOf(values.texts('rule'), Object.keys(lintRules) as LintRule[]);
  const asked = values.oneOf('mode', MODES);
  const { catalog } = await loadCatalog(call);
  const mode = asked ?? catalog.mode ?? 'load';
  if (mode !== 'native' && values.texts('rule').includes('crowded-namespace'))
    throw new UsageError('--rule crowded-namespace is about native mode. Add --mode native.');
  const { list, tools, title, keywords, groups } = catalog;
  const count = Object.keys(tools).length;
  terminal.progress(`Checking ${counted(count)} tools…`);
  const onProgress: LintOptions['onProgress'] = ({ done, total }) => {
    if (done % 100 === 0) terminal.progress(`Comparing tools (${counted(done)}/${counted(total)})…`);
  };
  const only = values.texts('only');
  refuseUnknownTools(only, catalog);
  const [scorer] = await scorersOf(call, catalog, [WORDS]);
  // In the list, two tools of one name stay two, so that lint reports them.
  const checked = list?.map((definition) => ({ ...definition, name: definition.id })) ?? tools;
  const findings = await lint(checked, {
    ...{ rules, mode },
    ...given({ scorer, keywords, groups, only: only.length > 0 ? only : undefined }),
    ...(count > LARGE ? { onProgress } : {}),
  });
  const counts = countsOf(findings);
  if (isSarif) {
    const file = values.texts('mcp').length > 0 ? undefined : positionals[0];
    terminal.print(JSON.stringify(sarifOf(findings, lintRules, file), null, 2));
  } else {
    printResult(call, { catalog: title, tools: count, ...counts, findings }, (page) => {
      page.heading(`${title}: ${sumOf(counts)} in ${several(count, 'tool')}`);
      page.table([{ title: 'rule', paint: terminal.colors.bold }, ...KINDS.map(numbers)], rowsOf(findings));
      const listed = values.flag('all') ? findings : findings.slice(0, MOST);
      write(listed, findings, page, terminal);
      const more = findings.length - listed.length;
      if (more > 0) page.text(`And ${several(more, 'finding')} more: --all lists them.`, terminal.colors.dim);
    });
  }
  return counts.errors > 0 || counts.warnings > most ? FAILED : OK;
}

/** @throws UsageError for a name that no tool has, because nothing would be checked. */
function refuseUnknownTools(only: readonly string[], { tools }: LoadedCatalog): void {
  if (only.length === 0) return;
  const names = listedTools(tools).flatMap(({ key, tool }) => {
    const id = asRecord(tool)?.['id'];
    const own = typeof id === 'string' ? id : key;
    // The name by which the model calls the tool counts as well.
    return [key, own, repairName(own, () => false)];
  });
  for (const name of only) {
    if (names.includes(name)) continue;
    const meant = suggestionFor(name, new Set(names));
    throw new UsageError(`--only names the tool "${shown(name)}", which the catalog has not.${meant}`);
  }
}

/** The severities of rules. If a rule is named without one, all rules that are not named are off. */
function rulesOf(texts: readonly string[], names: readonly LintRule[]): NonNullable<LintOptions['rules']> {
  const severities = [...SEVERITIES.map(([severity]) => severity), 'off'] as const;
  const asked = texts.map((text) => {
    const [name = '', severity] = text.split('=');
    const rule = names.find((one) => one === name);
    if (rule === undefined) {
      const others = suggestionFor(name, names) || ` There are ${names.join(', ')}.`;
      throw new UsageError(`There is no rule "${shown(name)}".${others}`);
    }
    const known = severities.find((one) => one === severity);
    if (severity !== undefined && known === undefined)
      throw new UsageError(`--rule ${rule} takes ${severities.join(', ')}; got "${shown(severity)}".`);
    return [rule, known] as const;
  });
  const isOnly = asked.some(([, severity]) => severity === undefined);
  const off = isOnly ? names.filter((name) => !asked.some(([rule]) => rule === name)) : [];
  return Object.fromEntries([
    ...off.map((rule) => [rule, 'off']),
    ...asked.filter(([, severity]) => severity !== undefined),
  ]);
}

const KINDS = ['errors', 'warnings', 'notes'] as const;

/** The rules with the counts of their findings, the worst first. */
function rowsOf(findings: readonly LintFinding[]): readonly (readonly Cell[])[] {
  const rules = [...grouped(findings, ({ rule }) => rule)].map(([rule, found]) => ({ rule, counts: countsOf(found) }));
  const worse = KINDS.map(
    (kind) => (one: (typeof rules)[number], other: (typeof rules)[number]) => other.counts[kind] - one.counts[kind],
  );
  return rules
    .toSorted((one, other) => worse.reduce((order, by) => order || by(one, other), 0))
    .map(({ rule, counts }) => [rule, ...KINDS.map((kind) => counts[kind] || '')]);
}

/** Writes findings by severity; with several servers, a section per server with the counts of all its findings. */
function write(listed: readonly LintFinding[], all: readonly LintFinding[], page: Page, terminal: Terminal): void {
  const servers = grouped(all, ({ server = '' }) => server);
  if (servers.size < 2) writeBySeverity(listed, '####', page, terminal);
  else
    for (const [server, found] of grouped(listed, ({ server = '' }) => server)) {
      const counts = countsOf(servers.get(server) ?? []);
      page.heading(`${server === '' ? 'No server' : server}: ${sumOf(counts)}`, { level: '####' });
      writeBySeverity(found, '#####', page, terminal);
    }
}

function writeBySeverity(findings: readonly LintFinding[], level: string, page: Page, { colors }: Terminal): void {
  const paints = { error: colors.red, warning: colors.yellow, info: colors.blue };
  for (const [severity, title] of SEVERITIES) {
    const found = findings.filter((one) => one.severity === severity);
    if (found.length > 0) page.heading(title, { level, paint: paints[severity] });
    page.table(
      [
        { title: 'tool', paint: colors.bold },
        { title: 'finding', isWide: true },
      ],
      found.map(({ toolName, evidence, remedy, rule }) => [toolName, `${evidence} ${remedy} (${rule})`]),
    );
  }
}

type Counts = Readonly<Record<(typeof KINDS)[number], number>>;

function countsOf(findings: readonly LintFinding[]): Counts {
  const count = (severity: LintFinding['severity']): number =>
    findings.filter((one) => one.severity === severity).length;
  return { errors: count('error'), warnings: count('warning'), notes: count('info') };
}

function sumOf({ errors, warnings, notes }: Counts): string {
  return [several(errors, 'error'), several(warnings, 'warning'), several(notes, 'note')].join(', ');
}

/**
 * Findings as SARIF 2.1.0.
 *
 * @param file - the catalog, if it is a file: a finding's place is the first line with the name of its tool.
 */
function sarifOf(
  findings: readonly LintFinding[],
  rules: Readonly<Record<LintRule, LintRuleDescription>>,
  file: string | undefined,
): object {
  const place = placesIn(file);
  const levels = new Map(SEVERITIES.map(([severity, , level]) => [severity, level]));
  const driver = {
    ...{ name: NAME, version: packageVersion(), informationUri: `https://www.npmjs.com/package/${NAME}` },
    rules: Object.entries(rules).map(([id, { summary, help }]) => {
      return { id, shortDescription: { text: summary }, help: { text: help } };
    }),
  };
  const results = findings.map(({ rule, severity, toolName, path: name, evidence, remedy }) => {
    const tool = { name: toolName, kind: 'function' };
    const parameter = { name, kind: 'parameter', fullyQualifiedName: `${toolName}.${name}` };
    return {
      ...{ ruleId: rule, ruleIndex: Object.keys(rules).indexOf(rule), level: levels.get(severity) },
      message: { text: `${toolName}: ${evidence} ${remedy}` },
      locations: [{ ...place(toolName), logicalLocations: name === undefined ? [tool] : [tool, parameter] }],
    };
  });
  return {
    version: '2.1.0',
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    runs: [{ tool: { driver }, columnKind: 'utf16CodeUnits', results }],
  };
}

/** The first line of a file with a name in quotes; else line 1. */
function placesIn(file: string | undefined): (name: string) => object {
  if (file === undefined || !existsSync(file)) return () => ({});
  const lines = readFileSync(file, 'utf8').split('\n');
  const uri = encodeURI(path.relative('', path.resolve(file)).split(path.sep).join('/'));
  return (name) => {
    // In an mcp.json, only the server's name occurs, which is a prefix of the tool's name.
    const parts = [name, ...[...name].flatMap((letter, at) => (letter === '_' ? [name.slice(0, at)] : [])).reverse()];
    const quoted = parts.flatMap((part) => [JSON.stringify(part), `'${part}'`]);
    const at = quoted.map((text) => lines.findIndex((line) => line.includes(text))).find((line) => line >= 0);
    return { physicalLocation: { artifactLocation: { uri }, region: { startLine: (at ?? 0) + 1 } } };
  };
}
