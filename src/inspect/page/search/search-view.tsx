import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { hashOf } from '../shell/route.ts';
import type { ViewProps } from '../shell/view.ts';
import { Text } from '../ui/text.tsx';
import { useAnswer } from '../ui/use-answer.ts';

/** Ranks what is typed. */
export function SearchView({ engine, edits, route, remember }: ViewProps): JSX.Element {
  const [query, setQuery] = useState(route.settings.get('q') ?? '');
  const { value } = useAnswer(() => engine.rank(query, 'bm25', 50), [query, edits, engine]);
  return (
    <>
      <input
        data-search
        type="search"
        aria-label="Query"
        value={query}
        onInput={(event) => {
          setQuery(event.currentTarget.value);
          remember({ q: event.currentTarget.value });
        }}
      />
      <ol data-list>
        {value?.tools.map(({ name }) => (
          <li key={name} data-row-of>
            <a data-row href={hashOf('tools', name)}>
              <Text of={name} />
            </a>
          </li>
        ))}
      </ol>
    </>
  );
}
