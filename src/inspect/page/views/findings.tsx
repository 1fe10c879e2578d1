import type { JSX } from 'preact';
import { type LintFinding, type LintRule, TRUST_RULES } from '../../../workbench/lint/check.ts';
import type { LintSeverity } from '../../../workbench/lint/rule.ts';
import { usePage } from '../shell/context.ts';
import { hashOf } from '../shell/route.ts';
import { useAnswer, Waiting } from '../ui/parts.tsx';
import { Card, countText, type Line, Lines, numberText, Text, ToolLink } from '../ui/text.tsx';

/** Limits of rules in a list, and of other tools in a finding. */
const FEW = 5;
const MOST_OTHERS = 8;

/** Severities, the worst first: singular, plural, and colour. */
export const SEVERITIES: readonly (readonly [LintSeverity, one: string, many: string, colour: string])[] = [
  ['error', 'error', 'errors', 'bad'],
  ['warning', 'warning', 'warnings', 'warn'],
  ['info', 'to know', 'to know', 'muted'],
];
const COLOURS = new Map(SEVERITIES.map(([severity, , , colour]) => [severity, colour]));

/** Whether a finding says that a text misleads the model. */
export function misleads({ rule, severity }: LintFinding): boolean {
  return TRUST_RULES.includes(rule) && severity !== 'info';
}

function findingsHash(what = ''): string {
  return hashOf('tools', '', { sort: 'findings', findings: what });
}

/** A warning at the top that texts of the catalog mislead the model; nothing if none does. */
export function Alarm(): JSX.Element | null {
  const { engine, edits } = usePage();
  const { value = [] } = useAnswer(() => engine.lint(), [edits]);
  const [first, ...others] = value.filter(misleads);
  if (!first) return null;
  return (
    <p class="panel alarm" role="alert">
      <a class="bad" href={findingsHash(first.rule)}>
        {countText(others.length + 1, 'text misleads the model', 'texts mislead the model')}
      </a>
      {': '}
      <ToolLink name={first.toolName} /> <Text of={first.evidence} />
    </p>
  );
}

/** The findings of the catalog: the counts, texts that mislead the model, and the worst of the rest. */
export function Findings(): JSX.Element {
  const { data, engine, edits } = usePage();
  const answered = useAnswer(() => engine.lint(), [edits]);
  const findings = answered.value;
  const byRule = Map.groupBy(findings ?? [], ({ rule }) => rule);
  // Findings are sorted by severity, and so are their rules.
  const others = [...byRule.keys()].filter((rule) => !TRUST_RULES.includes(rule));
  const lineOf = (rule: LintRule): Line => {
    const [first, ...more] = byRule.get(rule) ?? [];
    return {
      ...{ text: rule, href: findingsHash(rule), note: first ? numberText(more.length + 1) : '0' },
      ...(first ? { below: `${first.toolName}: ${first.evidence}` } : {}),
      colour: first ? (COLOURS.get(first.severity) ?? '') : 'muted',
    };
  };
  return (
    <Card title="Findings" href={findingsHash()}>
      {!findings && <Waiting answered={answered} doing={`Checking ${countText(data.tools.length, 'tool')}`} />}
      {findings && (
        <>
          <p class="severities">
            {SEVERITIES.map(([severity, one, many, colour]) => {
              const { length } = findings.filter((finding) => finding.severity === severity);
              return (
                <a key={severity} href={findingsHash(severity)}>
                  <b class={length > 0 ? colour : 'muted'}>{numberText(length)}</b> {length === 1 ? one : many}
                </a>
              );
            })}
          </p>
          <h4>Texts that mislead the model</h4>
          <Lines of={TRUST_RULES.map(lineOf)} />
          <h4>Other rules, the worst first</h4>
          <Lines of={others.slice(0, FEW).map(lineOf)} />
        </>
      )}
    </Card>
  );
}

/** The findings of one tool, with their remedies. */
export function ToolFindings({ name }: { readonly name: string }): JSX.Element {
  const { engine, edits } = usePage();
  const answered = useAnswer(() => engine.lint(name), [edits]);
  return (
    <section aria-labelledby="lint">
      <h3 id="lint">Findings</h3>
      {!answered.value && <Waiting answered={answered} doing="Checking" />}
      {answered.value?.length === 0 && <p class="small muted">Nothing to say.</p>}
      <ul class="rows findings">
        {answered.value?.map(({ rule, severity, evidence, remedy, others = [] }) => (
          <li key={`${rule} ${evidence}`}>
            <p>
              <span class={`badge ${COLOURS.get(severity)}`}>{rule}</span> <Text of={evidence} />
            </p>
            <p class="muted small">
              <Text of={remedy} />{' '}
              {others
                .slice(0, MOST_OTHERS)
                .flatMap((other) => (other === name ? [] : [<ToolLink key={other} name={other} />, ' ']))}
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The number of a tool's findings by severity. */
export function FindingCounts({ of }: { readonly of: readonly LintFinding[] | undefined }): JSX.Element {
  if (!of) return <>…</>;
  if (of.length === 0) return <span class="muted">0</span>;
  return (
    <>
      {SEVERITIES.map(([severity, one, many, colour]) => {
        const { length } = of.filter((finding) => finding.severity === severity);
        return length === 0 ? null : (
          <span key={severity} class={`badge ${colour}`} title={length === 1 ? one : many}>
            {length}
            <span class="unseen"> {length === 1 ? one : many}</span>
          </span>
        );
      })}
    </>
  );
}

interface EvidenceProps {
  readonly of: readonly LintFinding[] | undefined;
  /** The chosen severity or rule. */
  readonly wanted: string;
  readonly isSorted: boolean;
}

/** The evidence of the worst finding if findings are chosen or sorted by; of a misleading text, always. */
export function Evidence({ of = [], wanted, isSorted }: EvidenceProps): JSX.Element | null {
  const chosen = wanted && of.find(({ rule, severity }) => rule === wanted || severity === wanted);
  const finding = chosen || of.find(misleads) || (isSorted ? of[0] : undefined);
  if (!finding) return null;
  return (
    <p class="small muted one-line">
      <span class={COLOURS.get(finding.severity)}>{finding.rule}</span> <Text of={finding.evidence} />
    </p>
  );
}
