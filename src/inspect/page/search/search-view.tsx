import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import type { Ranking } from '../engine/ranking.ts';
import { hashOf, type Route } from '../shell/route.ts';
import type { ViewProps } from '../shell/view.ts';
import { SearchField } from '../ui/search-field.tsx';
import { Text } from '../ui/text.tsx';
import type { Answered } from '../ui/use-answer.ts';
import { useChange } from '../ui/use-change.ts';
import { movesOf } from './moves.ts';
import { RankingList } from './ranking-list.tsx';
import { ScorerChoice } from './scorer-choice.tsx';
import { useRankings } from './use-rankings.ts';
import './search.css';

/** Tools that a list begins with, and those that it ends with. */
const FIRST = 20;
const MOST = 50;
/** Milliseconds without a key press after which the results are announced. */
const PAUSE = 700;
const EXAMPLES = 8;

/** Ranks what is typed with two scorers, side by side. */
export function SearchView(props: ViewProps): JSX.Element {
  const { data, edits, history, route, remember, announce } = props;
  const names = data.scorers.filter(({ isLocal }) => isLocal || data.server?.canSearch).map(({ name }) => name);
  const told = settingsOf(route, names);
  const [query, setQuery] = useState(told.query);
  const [first, setFirst] = useState(told.first);
  const [second, setSecond] = useState(told.second);
  const [depth, setDepth] = useState(FIRST);
  // On a narrow screen there is room for one.
  const [front, setFront] = useState<'first' | 'second'>('first');
  const [one, other] = useRankings(props, query, [first, second], depth);

  // A link that is pasted into the same tab, and the browser's way back.
  useChange(route, () => {
    setQuery(told.query);
    setFirst(told.first);
    setSecond(told.second);
  });
  // Browsers do not let the address change with every key. What was typed at another address is not for this one.
  useLayoutEffect(() => {
    const timer = setTimeout(() => remember({ q: query, a: first, b: second }), PAUSE / 2);
    return () => clearTimeout(timer);
  }, [query, first, second, remember]);
  useEffect(() => setDepth(FIRST), [query]);
  useEffect(() => {
    const { value } = one;
    if (!value || value.query.trim() === '') return undefined;
    const timer = setTimeout(() => announce(summaryOf(value)), PAUSE);
    return () => clearTimeout(timer);
  }, [one.value, announce]);

  const list = (ranked: Answered<Ranking>, beside: Answered<Ranking>, scorer: string): JSX.Element => (
    <RankingList
      {...{ ranked, scorer, query, topK: data.topK, history }}
      moves={ranked.value ? movesOf(ranked.value, beside.value) : new Map()}
      beside={second === '' ? '' : scorer === first ? second : first}
      canGrow={depth < MOST}
      grow={() => setDepth(MOST)}
    />
  );
  const firstList = useMemo(
    () => list(one, other, first),
    [one.value, one.error, other.value, other.error, first, second, depth, edits],
  );
  const secondList = useMemo(
    () => list(other, one, second),
    [one.value, one.error, other.value, other.error, first, second, depth, edits],
  );
  return (
    <div class="search">
      <SearchField label="Query" hint="What would an agent ask for?" value={query} change={setQuery} isFirst />
      {second !== '' && (
        <fieldset class="front" aria-label="The scorer that is shown">
          {[first, second].map((name, place) => {
            const side = place === 0 ? 'first' : 'second';
            return (
              <button type="button" key={side} aria-pressed={front === side} onClick={() => setFront(side)}>
                <Text of={name} />
              </button>
            );
          })}
        </fieldset>
      )}
      <div class="rankings" data-front={front} data-count={second === '' ? 1 : 2}>
        <section aria-label={`Ranking of ${first}`} data-side="first">
          <ScorerChoice label="Scorer" value={first} names={names} choose={setFirst} ranked={one} />
          {firstList}
        </section>
        {second === '' ? (
          <ScorerChoice label="Compare with" value="" names={['', ...names]} choose={setSecond} />
        ) : (
          <section aria-label={`Ranking of ${second}`} data-side="second">
            <ScorerChoice
              label="Compare with"
              value={second}
              names={['', ...names]}
              choose={setSecond}
              ranked={other}
            />
            {secondList}
          </section>
        )}
      </div>
      {query.trim() === '' && <Examples data={data} choose={setQuery} />}
    </div>
  );
}

/** Queries to begin with: those of the cases. */
function Examples({ data, choose }: Pick<ViewProps, 'data'> & { choose(query: string): void }): JSX.Element {
  const every = Math.max(1, Math.floor((data.cases?.length ?? 0) / EXAMPLES));
  const examples = (data.cases ?? []).filter((_, at) => at % every === 0).slice(0, EXAMPLES);
  return (
    <div class="examples">
      <p class="muted">
        Type what an agent would ask for: both rankings follow each key. <kbd>↓</kbd> goes into the results,{' '}
        <kbd>Enter</kbd> opens a tool, <kbd>?</kbd> shows all keys.
      </p>
      {examples.length > 0 && (
        <>
          <h3>From the cases</h3>
          <ul>
            {examples.map(({ id, query }) => (
              <li key={id}>
                <button type="button" class="quiet" onClick={() => choose(query)}>
                  <Text of={query} />
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
      <p class="muted small">
        <a href={hashOf('tools')}>All tools</a>
      </p>
    </div>
  );
}

/** What an address tells of the view. */
function settingsOf(
  { settings }: Route,
  names: readonly string[],
): { readonly query: string; readonly first: string; readonly second: string } {
  const first = known(settings.get('a'), names) ?? names[0] ?? 'bm25';
  return { query: settings.get('q') ?? '', first, second: secondOf(settings.get('b'), names, first) };
}

function known(name: string | undefined, names: readonly string[]): string | undefined {
  return name !== undefined && names.includes(name) ? name : undefined;
}

/** The scorer to compare with: the one of the address, where an empty name stands for none, else the next one. */
function secondOf(name: string | undefined, names: readonly string[], first: string): string {
  return known(name, ['', ...names]) ?? names.find((each) => each !== first) ?? '';
}

function summaryOf({ count, names: [best], isWeak }: Ranking): string {
  if (count === 0) return 'No tool matches.';
  const verdict = isWeak ? ' Probably nothing fits.' : '';
  return `${count} ${count === 1 ? 'tool matches' : 'tools match'}. First: ${best}.${verdict}`;
}
