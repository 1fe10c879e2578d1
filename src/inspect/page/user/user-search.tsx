import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { InspectPermitted, JsonObject } from '../../data.ts';
import { askServer } from '../shell/ask-server.ts';
import { hashOf } from '../shell/route.ts';
import type { ViewProps } from '../shell/view.ts';
import { percentText } from '../ui/numbers.ts';
import { Text } from '../ui/text.tsx';
import { useAnswer } from '../ui/use-answer.ts';

/** Milliseconds after the last key before the server is asked. */
const PAUSE = 150;
const DEPTH = 50;

/** What a search says, whoever was asked. */
interface UserFinds {
  readonly tools: readonly { readonly name: string; readonly score: number; readonly confidence?: number }[];
  readonly isWeak?: boolean | undefined;
}

interface Props extends Pick<ViewProps, 'data' | 'engine' | 'edits'> {
  readonly context: JsonObject;
  readonly permitted: InspectPermitted;
}

/** A search in the name of the user: with the server's own scorer, else with one of the page among what the user may find. */
export function UserSearch({ data, engine, edits, context, permitted }: Props): JSX.Element {
  const [query, setQuery] = useState('');
  const asked = useSettled(query.trim());
  const { name: scorer = '', isLocal } = data.scorers[0] ?? {};
  const { value, error } = useAnswer(
    async (signal): Promise<UserFinds | undefined> => {
      if (asked === '') return undefined;
      if (!isLocal) {
        const { matches, isWeak } = await askServer(
          { ask: 'search', query: asked, scorer, requestContext: context },
          signal,
        );
        return { tools: matches, isWeak };
      }
      return engine.rank(asked, scorer, DEPTH, permitted.search);
    },
    [asked, scorer, context, permitted, engine, edits],
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
  found: { tools, isWeak },
  topK,
}: {
  readonly found: UserFinds;
  readonly topK: number;
}): JSX.Element {
  if (tools.length === 0) return <p role="status">This user finds nothing.</p>;
  return (
    <>
      {isWeak && <p class="warn">The model is told that probably nothing fits.</p>}
      <ol class="matches" data-list>
        {tools.map(({ name, score, confidence }, at) => (
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
