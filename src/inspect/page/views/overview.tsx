import type { JSX } from 'preact';
import { usePage } from '../shell/context.ts';
import { hashOf } from '../shell/route.ts';
import { CasesWaiting, useAnswer, useCases, useScorer, Waiting } from '../ui/parts.tsx';
import { Card, countText, Lines, numberText, Text } from '../ui/text.tsx';
import { NoCases, pairLine, pairsOf, worstFirst } from './cases.tsx';
import { Alarm, Findings } from './findings.tsx';
import { FunnelSection } from './funnel.tsx';
import { placeText, Scores } from './scores.tsx';

/** The version of the package, defined by the bundler of the page. */
declare const PACKAGE_VERSION: string;

/** Limit of rows of a list. */
const FEW = 5;

/** An overview of the catalog: each number links to what it counts. */
export function OverviewView(): JSX.Element {
  const { data } = usePage();
  const { scorer, choice } = useScorer();
  const answered = useCases(scorer);
  const report = answered.value;
  const date = data.date === undefined ? undefined : new Date(data.date);
  return (
    <div class="overview">
      <div class="section-head">
        <h2>Overview</h2>
        <span>{choice}</span>
      </div>
      <Alarm />
      {data.server?.hasStats && <FunnelSection />}
      {!data.cases && <NoCases />}
      {data.cases && !report && <CasesWaiting answered={answered} />}
      <div data-stale={answered.isPending || undefined}>
        {report && <Scores report={report} scorer={scorer} />}
        <div class="cards">
          <Findings />
          {report && (
            <>
              <Card title="Worst cases" href={hashOf('cases', '', { scorer })}>
                {report.searched.every(({ miss }) => !miss) && (
                  <p class="good">Every case has its tool in the first place.</p>
                )}
                <Lines
                  of={worstFirst(report)
                    .slice(0, FEW)
                    .map(({ result, miss }) => ({
                      text: result.query,
                      href: hashOf('search', '', { q: result.query, want: miss?.wanted ?? '', scorer }),
                      ...{ note: placeText(result.rank), colour: 'bad' },
                    }))}
                />
              </Card>
              <Card title="Most confused" href={hashOf('cases', '', { by: 'pairs', scorer })}>
                <Lines
                  of={pairsOf(report)
                    .slice(0, FEW)
                    .map((pair) => pairLine(pair, scorer))}
                />
              </Card>
            </>
          )}
          <Heaviest />
        </div>
      </div>
      {!data.server?.hasStats && <FunnelSection />}
      <p class="muted small made">
        mastra-tool-search {PACKAGE_VERSION} · scorer <Text of={scorer} />
        {date && <time dateTime={data.date}>{` · ${date.toLocaleString()}`}</time>}
      </p>
    </div>
  );
}

function Heaviest(): JSX.Element {
  const { data, engine, edits } = usePage();
  const answered = useAnswer(() => engine.tokens(), [edits]);
  const counted = answered.value;
  const href = hashOf('tools', '', { sort: 'tokens' });
  return (
    <Card title="Heaviest tools" href={href}>
      {!counted && (
        <Waiting answered={answered} doing={`Counting the tokens of ${countText(data.tools.length, 'tool')}`} />
      )}
      {counted && (
        <>
          <p class="severities">
            <a href={href}>
              <b>{numberText(counted.reduce((total, { tokens }) => total + tokens, 0))}</b> tokens in all
            </a>
          </p>
          <Lines
            of={counted
              .toSorted((one, other) => other.tokens - one.tokens)
              .slice(0, FEW)
              .map(({ name, tokens }) => ({
                text: name,
                href: hashOf('tools', name),
                note: countText(tokens, 'token'),
              }))}
          />
        </>
      )}
    </Card>
  );
}
