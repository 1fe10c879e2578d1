import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import type { Ranking } from '../engine/ranking.ts';
import { percentText } from '../ui/numbers.ts';
import { shownText } from '../ui/shown-text.ts';
import type { Answered } from '../ui/use-answer.ts';

interface ScorerChoiceProps {
  readonly label: string;
  readonly value: string;
  /** An empty one stands for none. */
  readonly names: readonly string[];
  choose(name: string): void;
  readonly ranked?: Answered<Ranking>;
}

/** The head of a ranking: its scorer, how many tools match, and whether any of them fits. */
export function ScorerChoice({ label, value, names, choose, ranked }: ScorerChoiceProps): JSX.Element {
  const id = useId();
  return (
    <div class="ranking-head">
      <label class="small muted" for={id}>
        {label}
      </label>
      <select id={id} value={value} onChange={(event) => choose(event.currentTarget.value)}>
        {names.map((name) => (
          <option key={name} value={name}>
            {name === '' ? 'nothing' : shownText(name)}
          </option>
        ))}
      </select>
      {ranked?.value && <Verdict {...ranked.value} />}
    </div>
  );
}

function Verdict({ query, count, likelihood, isWeak, isSelection }: Ranking): JSX.Element | null {
  if (query.trim() === '') return null;
  const matches = `${count.toLocaleString('en')} ${count === 1 ? 'match' : 'matches'}`;
  if (isSelection) return <span class="small muted">Named, not ranked</span>;
  const chance = likelihood === undefined ? '' : ` ${percentText(likelihood)}`;
  return (
    <span class="verdict small">
      {isWeak !== undefined && count > 0 && (
        <span
          class={`badge ${isWeak ? 'warn' : 'good'}`}
          title="How likely one of the first tools is what was asked for. Below 37 % the model is told that probably nothing fits."
        >
          {isWeak ? 'Probably nothing fits' : 'Something fits'}
          {chance}
        </span>
      )}
      <span class="muted">{count === 0 ? 'No match' : matches}</span>
    </span>
  );
}
