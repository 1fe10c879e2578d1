import type { ComponentChildren, JSX } from 'preact';
import { type LintRule, TRUST_RULES } from '../../../workbench/lint/check.ts';
import type { LintSeverity } from '../../../workbench/lint/rule.ts';
import { usePage } from '../shell/context.ts';
import { hashOf } from '../shell/route.ts';
import { useAnswer, useCases, useScorer, Waiting } from '../ui/parts.tsx';
import { countText, type Line, Lines, numberText, Text } from '../ui/text.tsx';
import { NoCases, pairLine, pairsOf, worstFirst } from './cases.tsx';
import { FunnelSection } from './funnel.tsx';
import { placeText, Scores } from './scores.tsx';

/** The version of the package that the page is of; it is put in where the page is bundled. */
declare const PACKAGE_VERSION: string;

/** Rows of a list. */
const FEW = 5;

/** How the catalog does, in one look: each number leads to what it counts. */
export function OverviewView(): JSX.Element {
  const { data } = usePage();
  const { scorer, choice } = useScorer();
  const date = data.date === undefined ? undefined : new Date(data.date);
  return (
    <div class="overview">
      <div class="section-head">
        <h2>Overview</h2>
        <span>{choice}</span>
      </div>
      {data.server?.hasStats && <FunnelSection />}
      {data.cases ? <CaseCards scorer={scorer} /> : <NoCases />}
      <div class="cards">
        <Findings />
        <Heaviest />
      </div>
      {!data.server?.hasStats && <FunnelSection />}
      <p class="muted small made">
        mastra-tool-search {PACKAGE_VERSION} · scorer <Text of={scorer} />
        {date && <time dateTime={data.date}>{` · ${date.toLocaleString()}`}</time>}
      </p>
    </div>
  );
}

function CaseCards({ scorer }: { readonly scorer: string }): JSX.Element {
  const { data, engine } = usePage();
  const all = data.cases?.length ?? 0;
  const answered = useCases(scorer);
  const doing = `Searching for ${countText(all, 'case')}`;
  const report = answered.value;
  if (!report) return <Waiting {...{ answered, doing }} progress={async () => [await engine.progress(), all]} />;
  const worst = worstFirst(report).slice(0, FEW);
  const pairs = pairsOf(report).slice(0, FEW);
  return (
    <div data-stale={answered.isPending || undefined}>
      <Scores report={report} scorer={scorer} />
      <div class="cards">
        <Card title="Worst cases" href={hashOf('cases', '', { scorer })}>
          {worst.length === 0 && <p class="good">Every case has its tool in the first place.</p>}
          <Lines
            of={worst.map(({ result, miss }) => ({
              text: result.query,
              href: hashOf('search', '', { q: result.query, want: miss?.wanted ?? '', scorer }),
              ...{ note: placeText(result.rank), colour: 'bad' },
            }))}
          />
        </Card>
        <Card title="Most confused" href={hashOf('cases', '', { by: 'pairs', scorer })}>
          {pairs.length === 0 && <p class="good">No tool comes first in place of another.</p>}
          <Lines of={pairs.map((pair) => pairLine(pair, scorer))} />
        </Card>
      </div>
    </div>
  );
}

interface CardProps {
  readonly title: string;
  readonly href: string;
  readonly children: ComponentChildren;
}

function Card({ title, href, children }: CardProps): JSX.Element {
  return (
    <section class="panel">
      <h3>
        <a href={href}>{title}</a>
      </h3>
      {children}
    </section>
  );
}

const SEVERITIES: readonly (readonly [LintSeverity, one: string, many: string, colour: string])[] = [
  ['error', 'error', 'errors', 'bad'],
  ['warning', 'warning', 'warnings', 'warn'],
  ['info', 'to know', 'to know', 'muted'],
];
/** The colour of each severity. */
const COLOURS = new Map(SEVERITIES.map(([severity, , , colour]) => [severity, colour]));

function Findings(): JSX.Element {
  const { data, engine, edits } = usePage();
  const answered = useAnswer(() => engine.lint(), [edits]);
  const findings = answered.value;
  const href = (what: string): string => hashOf('tools', '', { sort: 'findings', findings: what });
  const byRule = Map.groupBy(findings ?? [], ({ rule }) => rule);
  // Findings come with the worst first, and so do their rules.
  const others = [...byRule.keys()].filter((rule) => !TRUST_RULES.includes(rule));
  const lineOf = (rule: LintRule): Line => {
    const [first, ...more] = byRule.get(rule) ?? [];
    return {
      ...{ text: rule, href: href(rule), note: first ? numberText(more.length + 1) : '0' },
      ...(first ? { below: `${first.toolName}: ${first.evidence}` } : {}),
      colour: first ? (COLOURS.get(first.severity) ?? '') : 'muted',
    };
  };
  return (
    <Card title="Findings" href={hashOf('tools', '', { sort: 'findings' })}>
      {!findings && <Waiting answered={answered} doing={`Checking ${countText(data.tools.length, 'tool')}`} />}
      {findings && (
        <>
          <p class="severities">
            {SEVERITIES.map(([severity, one, many, colour]) => {
              const { length } = findings.filter((finding) => finding.severity === severity);
              return (
                <a key={severity} href={href(severity)}>
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

function Heaviest(): JSX.Element {
  const { data, engine, edits } = usePage();
  const answered = useAnswer(() => engine.tokens(), [edits]);
  const counted = answered.value;
  const sum = counted?.reduce((total, { tokens }) => total + tokens, 0) ?? 0;
  return (
    <Card title="Heaviest tools" href={hashOf('tools', '', { sort: 'tokens' })}>
      {!counted && (
        <Waiting answered={answered} doing={`Counting the tokens of ${countText(data.tools.length, 'tool')}`} />
      )}
      {counted && (
        <>
          <p class="severities">
            <a href={hashOf('tools', '', { sort: 'tokens' })}>
              <b>{numberText(sum)}</b> tokens in all
            </a>
          </p>
          <Lines
            of={counted
              .toSorted((one, other) => other.tokens - one.tokens)
              .slice(0, FEW)
              .map(({ name, tokens }) => ({
                text: name,
                href: hashOf('tools', name),
                note: `${numberText(tokens)} tokens`,
              }))}
          />
        </>
      )}
    </Card>
  );
}
