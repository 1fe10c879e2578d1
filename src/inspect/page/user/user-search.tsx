import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { InspectSearch, JsonObject } from '../../data.ts';
import { askServer } from '../shell/ask-server.ts';
import { hashOf } from '../shell/route.ts';
import type { ViewProps } from '../shell/view.ts';
import { percentText } from '../ui/numbers.ts';
import { Text } from '../ui/text.tsx';
import { useAnswer } from '../ui/use-answer.ts';

/** Milliseconds after the last key before the server is asked. */
const PAUSE = 150;

/** A search in the name of the user. */
export function UserSearch({ data, context }: Pick<ViewProps, 'data'> & { readonly context: JsonObject }): JSX.Element {
  const [query, setQuery] = useState('');
  const asked = useSettled(query.trim());
  const scorer = data.scorers[0]?.name ?? '';
  const { value, error } = useAnswer(
    async (signal) =>
      asked === '' ? undefined : askServer({ ask: 'search', query: asked, scorer, requestContext: context }, signal),
    [asked, scorer, context],
  );
  return (
    <section class="user-search" aria-labelledby="user-search-title">
      <h3 id="user-search-title">Search as this user</h3>
      <input
        type="search"
        value={query}
        placeholder="What the model would search for"
        aria-label="Search as this user"
        onInput={({ currentTarget }) => setQuery(currentTarget.value)}
      />
      {error !== undefined && (
        <p class="bad" role="alert">
          {error}
        </p>
      )}
      {asked !== '' && value && <Matches found={value} topK={data.topK} />}
    </section>
  );
}

function Matches({
  found: { matches, isWeak },
  topK,
}: {
  readonly found: InspectSearch;
  readonly topK: number;
}): JSX.Element {
  if (matches.length === 0) return <p role="status">This user finds nothing.</p>;
  return (
    <>
      {isWeak && <p class="warn">The model is told that probably nothing fits.</p>}
      <ol class="matches" data-list>
        {matches.map(({ name, score, confidence }, at) => (
          <li key={name} class={at < topK ? '' : 'muted'}>
            <a data-row href={hashOf('tools', name)}>
              <Text of={name} />
            </a>{' '}
            <span class="muted small">
              {score.toFixed(2)}
              {confidence !== undefined && ` · ${percentText(confidence)}`}
            </span>
          </li>
        ))}
      </ol>
    </>
  );
}

/** A value that has not changed for a moment. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
