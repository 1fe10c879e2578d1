import type { JSX } from 'preact';
import { hashOf } from '../shell/route.ts';
import type { ViewProps } from '../shell/view.ts';
import { Bar } from '../ui/bar.tsx';
import { percentText } from '../ui/numbers.ts';
import { Text } from '../ui/text.tsx';
import { useAnswer } from '../ui/use-answer.ts';

interface ToolTwinsProps extends Pick<ViewProps, 'engine' | 'edits' | 'history'> {
  readonly name: string;
}

/** The tools that are easily taken for a tool. */
export function ToolTwins({ name, engine, edits, history }: ToolTwinsProps): JSX.Element {
  const { value: twins } = useAnswer(() => engine.twins(name), [engine, edits, name]);
  return (
    <section aria-labelledby="twins">
      <h3 id="twins">Twins</h3>
      {twins?.length === 0 ? (
        <p class="small muted">No other tool comes near it where its own first sentence is asked for.</p>
      ) : (
        <p class="small muted">
          How near others come where its own first sentence is asked for. From 100 % on, they come before it.
        </p>
      )}
      <ul class="twins" data-list>
        {twins?.map((twin) => (
          <li key={twin.name} data-row-of title={history.tool(twin.name)?.description.slice(0, 300)}>
            <a data-row class="mono" href={hashOf('tools', twin.name)}>
              <Text of={twin.name} />
            </a>
            <Bar share={twin.similarity} />
            <span class={`number small ${twin.similarity >= 1 ? 'bad' : ''}`}>{percentText(twin.similarity)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
