import type { JSX } from 'preact';
import type { MatchExplanation, WordExplanation } from '../../../kit.ts';
import type { WordPoints } from '../engine/local-scorers.ts';
import type { RankedTool } from '../engine/ranking.ts';
import { Bar } from '../ui/bar.tsx';
import { percentText, shortNumber } from '../ui/numbers.ts';
import { Text } from '../ui/text.tsx';
import { BY, fieldsOf, sumOf, tierOf } from './explanation-text.ts';

interface ExplanationProps {
  readonly tool: RankedTool;
  readonly scorer: string;
}

/** Why a tool stands where it does. */
export function Explanation({ tool, scorer }: ExplanationProps): JSX.Element {
  const { explanation, points, score } = tool;
  return (
    <div class="explanation small">
      {explanation ? (
        <WordTable words={explanation.words} />
      ) : points ? (
        <PointTable points={points} />
      ) : (
        <p class="muted">This scorer does not say why.</p>
      )}
      <p class="muted">
        {explanation
          ? `${sumOf(explanation, score, scorer)} ${coverageOf(explanation)}`
          : `Score ${shortNumber(score)}.`}
        {tool.fate === 'tail' && ' That is less than 5 % of the best one: the model is not shown it.'}
      </p>
    </div>
  );
}

function coverageOf({ coverage, nameCoverage, isNamed }: MatchExplanation): string {
  const named = isNamed ? ' The query has its name, which puts it first.' : '';
  return `The tool covers ${percentText(coverage)} of the query, and the query ${percentText(nameCoverage)} of its name.${named}`;
}

function WordTable({ words }: { readonly words: readonly WordExplanation[] }): JSX.Element {
  const most = Math.max(...words.map(({ score }) => score), 1e-9);
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Word</th>
          <th scope="col">Found</th>
          <th scope="col">Where, with its weight</th>
          <th scope="col" class="number">
            Adds
          </th>
        </tr>
      </thead>
      <tbody>
        {words.map((word) => (
          <tr key={word.word} class={word.by === 'nothing' ? 'muted' : undefined}>
            <th scope="row" class="mono">
              <Text of={word.word} />
            </th>
            <td>
              {word.found !== '' && word.found !== word.word && (
                <>
                  <b class="mono">
                    <Text of={word.found} />
                  </b>{' '}
                </>
              )}
              <span class="muted">{BY[word.by]}</span>
            </td>
            <td>
              {fieldsOf(word).map(([field, weight]) => (
                <span key={field} class="field">
                  <Text of={field} /> <span class="muted">{shortNumber(weight)}</span>
                </span>
              ))}
            </td>
            <td class="adds">
              <Bar share={word.score / most} />
              <span class="number">{shortNumber(word.score)}</span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function PointTable({ points }: { readonly points: readonly WordPoints[] }): JSX.Element {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Word</th>
          <th scope="col">Where</th>
          <th scope="col" class="number">
            Points
          </th>
        </tr>
      </thead>
      <tbody>
        {points.map(({ word, points: earned }) => (
          <tr key={word} class={earned === 0 ? 'muted' : undefined}>
            <th scope="row" class="mono">
              <Text of={word} />
            </th>
            <td>{tierOf(earned)}</td>
            <td class="number">{earned}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
