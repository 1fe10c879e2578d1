import type { JSX } from 'preact';
import type { CaseReport } from '../engine/engine.ts';
import type { ViewProps } from '../shell/view.ts';
import { PageScorer } from '../ui/page-scorer.tsx';
import { type Answered, useAnswer } from '../ui/use-answer.ts';

/** What the cases say of one scorer of the page. */
export interface ShownCases {
  readonly answered: Answered<CaseReport | undefined>;
  /** The choice of the scorer; nothing where there is only one. */
  readonly picker: JSX.Element | null;
}

/**
 * The cases under a scorer that the user chooses among those that run in the page.
 *
 * @param chosen - the name of the scorer, from the settings of the view.
 */
export function useCases(
  { data, engine, edits }: Pick<ViewProps, 'data' | 'engine' | 'edits'>,
  chosen: string,
  choose: (scorer: string) => void,
): ShownCases {
  const names = data.scorers.filter(({ isLocal }) => isLocal).map(({ name }) => name);
  const scorer = names.includes(chosen) ? chosen : (names[0] ?? '');
  const answered = useAnswer(async () => (scorer === '' ? undefined : engine.cases(scorer)), [engine, edits, scorer]);
  const picker =
    names.length < 2 ? null : (
      <>
        <label>
          Scorer{' '}
          <select value={scorer} onChange={({ currentTarget }) => choose(currentTarget.value)}>
            {names.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <PageScorer {...{ data, scorer }} />
      </>
    );
  return { answered, picker };
}

/** Stands for a view that needs cases, where there are none. */
export function NoCases({ what }: { readonly what: string }): JSX.Element {
  return (
    <section class="empty">
      <h2>No cases</h2>
      <p>
        Cases are queries with the tools that they should find. With them, this page shows {what}: pass{' '}
        <code>--cases FILE</code>, with a line such as{' '}
        <code>{'{ "query": "write to a colleague", "relevant": ["send_email"] }'}</code> for each.
      </p>
    </section>
  );
}
