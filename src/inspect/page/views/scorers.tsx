import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { compareScorers, differenceSentence } from '../../../workbench/evaluate/compare.ts';
import type { ScorerEvaluation } from '../../../workbench/evaluate/measure.ts';
import type { Figure } from '../../../workbench/evaluate/metrics.ts';
import type { CaseReport } from '../engine/engine.ts';
import { askServer } from '../shell/ask-server.ts';
import { usePage } from '../shell/context.ts';
import { useAnswer, Waiting } from '../ui/parts.tsx';
import { Table } from '../ui/table.tsx';
import { percentText, Term, Text } from '../ui/text.tsx';
import { Interval } from './scores.tsx';

/** A scorer with its evaluation, which a server's scorer lacks until it is requested. */
interface ScorerRow {
  readonly name: string;
  readonly evaluation?: ScorerEvaluation | undefined;
  /** Whether the scorer ranks the catalog without the page's edits. */
  readonly isUnedited?: boolean;
}

/** Compares the scorers: their figures, and the difference of each to the chosen one. */
export function ScorerTable({ report, scorer }: { readonly report: CaseReport; readonly scorer: string }): JSX.Element {
  const { data, engine, edits } = usePage();
  const others = data.scorers.filter(({ name, isLocal }) => isLocal && name !== scorer).map(({ name }) => name);
  const local = useAnswer(async () => Promise.all(others.map((name) => engine.cases(name))), [edits, scorer]);
  const [measured, measure] = useState<ReadonlyMap<string, ScorerEvaluation>>(new Map());
  if (!local.value) return <Waiting answered={local} doing="Ranking with the other scorers" />;
  const rows: readonly ScorerRow[] = [
    { name: scorer, evaluation: report.evaluation },
    ...others.map((name, at) => ({ name, evaluation: local.value?.[at]?.evaluation })),
    ...data.scorers.flatMap(({ name, isLocal }) =>
      isLocal || !data.server ? [] : [{ name, evaluation: measured.get(name), isUnedited: true }],
    ),
    ...(data.baseline ?? []).map((one) => ({ name: `${one.scorer}, saved`, evaluation: one, isUnedited: true })),
  ];
  const head = [
    'Scorer',
    <Term key="first" of="first">
      First
    </Term>,
    <Term key="among" of="among">
      Among {data.topK}
    </Term>,
    <Term key="ndcg" of="ndcg">
      nDCG@10
    </Term>,
    'Difference',
  ];
  const cells = ({ name, evaluation, isUnedited }: ScorerRow): readonly ComponentChildren[] => [
    <>
      <Text of={name} />
      {isUnedited && edits.size > 0 && <span class="small muted"> without your changes</span>}
    </>,
    ...(['hit1', 'recall', 'ndcg10'] as const).map((key) => <Share key={key} of={evaluation?.figures?.[key]} />),
    name === scorer ? (
      <span class="muted">the one that is chosen</span>
    ) : evaluation ? (
      <Text of={differenceSentence({ ...compareScorers(report.evaluation, evaluation), scorer: name }, scorer)} />
    ) : (
      <Measure scorer={name} done={(one) => measure(new Map([...measured, [name, one]]))} />
    ),
  ];
  return <Table name="Scorers side by side" class="stacked" {...{ head, rows, cells }} keyOf={({ name }) => name} />;
}

function Share({ of }: { readonly of: Figure | undefined }): JSX.Element {
  if (!of) return <span class="muted">–</span>;
  return (
    <>
      {percentText(of.mean)}
      <Interval {...of} />
    </>
  );
}

interface MeasureProps {
  readonly scorer: string;
  done(evaluation: ScorerEvaluation): void;
}

/** A button that lets the server evaluate a scorer: not automatic, because the scorer may call a paid model. */
function Measure({ scorer, done }: MeasureProps): JSX.Element {
  const { data } = usePage();
  const [isAsked, ask] = useState(false);
  const answered = useAnswer(async () => {
    if (isAsked) done(await askServer({ ask: 'evaluation', scorer }));
  }, [isAsked]);
  if (isAsked) return <Waiting answered={answered} doing="The server searches" />;
  return (
    <button type="button" onClick={() => ask(true)}>
      Search {data.cases?.length} times in the server
    </button>
  );
}
