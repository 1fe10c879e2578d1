import './map.css';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { InspectTool } from '../../data.ts';
import { hashOf } from '../shell/route.ts';
import type { ViewProps } from '../shell/view.ts';
import { countText, percentText } from '../ui/numbers.ts';
import { PageScorer } from '../ui/page-scorer.tsx';
import { Paged } from '../ui/paged.tsx';
import { Text } from '../ui/text.tsx';
import { useAnswer } from '../ui/use-answer.ts';
import { useSettings } from '../ui/use-settings.ts';
import { Waiting } from '../ui/waiting.tsx';
import { type Cluster, clustersOf } from './clusters.ts';
import { MapDrawing } from './map-drawing.tsx';
import { serverColours } from './server-colours.ts';
import { MIN_SIMILARITY } from './similarity.ts';

/** Tools on the map. */
const MOST_TOOLS = 240;
const DEFAULT_SIMILARITY = '70';

/** The tools that say nearly the same, and those that searches confuse, in clusters. */
export function MapView(props: ViewProps): JSX.Element {
  const { data, engine, edits } = props;
  const [get, set] = useSettings(props);
  const alike = useAnswer(() => engine.alike(), [engine, edits]);
  const scorer = data.scorers.find(({ isLocal }) => isLocal)?.name;
  const cases = useAnswer(async () => (scorer ? engine.cases(scorer) : undefined), [engine, edits, scorer]);
  const least = Number(get('alike') || DEFAULT_SIMILARITY) / 100;
  const tools = useMemo(() => new Map(data.tools.map((tool) => [tool.name, tool])), [data]);
  const clusters = useMemo(() => {
    const pairs = alike.value?.filter(({ similarity }) => similarity >= least);
    return pairs && clustersOf(pairs, cases.value?.evaluation.confusions ?? [], MOST_TOOLS);
  }, [alike.value, cases.value, least]);
  if (!clusters) return <Waiting answered={alike} doing={`Comparing ${countText(data.tools.length, 'tool')}`} />;
  const { shown, left } = clusters;
  const count = shown.reduce((sum, { names }) => sum + names.length, 0);
  const groupOf = (name: string): string => tools.get(name)?.group ?? '';
  const groups = shown.flatMap(({ names }) => names.map(groupOf));
  const colours = serverColours(groups);
  return (
    <section class="map" aria-labelledby="map-title">
      <h2 id="map-title">
        {countText(count, 'tool')} that {count === 1 ? 'is' : 'are'} easily taken for another
      </h2>
      <div class="controls">
        <label>
          Alike by{' '}
          <input
            type="range"
            min={100 * MIN_SIMILARITY}
            max="100"
            step="5"
            value={100 * least}
            onInput={({ currentTarget }) =>
              set('alike', currentTarget.value === DEFAULT_SIMILARITY ? '' : currentTarget.value)
            }
          />{' '}
          {percentText(least)}
        </label>
      </div>
      <p class="muted">
        Names and descriptions that share their telling words, the name of the server left out.
        {data.cases?.length ? ' A red line: a case in which one came first and the other was wanted.' : ''}
        {scorer && data.cases?.length ? (
          <>
            {' '}
            <PageScorer {...{ data, scorer }} />
          </>
        ) : null}
        {left > 0 && ` ${countText(left, 'tool')} more had no room: the most confused and the most alike are here.`}
      </p>
      {shown.length === 0 ? (
        <p>No two tools are so alike, and no case confuses two.</p>
      ) : (
        <>
          <Legend colours={colours} hasOthers={groups.some((group) => !colours.has(group))} />
          <MapDrawing clusters={shown} colourOf={(name) => colours.get(groupOf(name))} tools={tools} />
          <details>
            <summary>As a list</summary>
            <ClusterList clusters={shown} tools={tools} />
          </details>
        </>
      )}
    </section>
  );
}

interface LegendProps {
  readonly colours: ReadonlyMap<string, number>;
  /** Whether a dot has none of these colours. */
  readonly hasOthers: boolean;
}

/** The servers that have a colour of their own. */
function Legend({ colours, hasOthers }: LegendProps): JSX.Element {
  return (
    <ul class="legend" aria-label="Colours">
      {[...colours].map(([server, colour]) => (
        <li key={server}>
          <span class={`swatch series-${colour}`} aria-hidden="true" />{' '}
          <Text of={server === '' ? 'no server' : server} />
        </li>
      ))}
      {hasOthers && (
        <li>
          <span class="swatch series-other" aria-hidden="true" /> others
        </li>
      )}
    </ul>
  );
}

function ClusterList({
  clusters,
  tools,
}: {
  readonly clusters: readonly Cluster[];
  readonly tools: ReadonlyMap<string, InspectTool>;
}): JSX.Element {
  return (
    <Paged rows={clusters} size={30} noun="clusters">
      {(rows) => (
        <ol class="clusters" data-list>
          {rows.map((cluster) => (
            <li key={cluster.names[0]}>
              <h3>
                <Text of={cluster.words.join(', ')} />
              </h3>
              <ul>
                {cluster.names.map((name) => (
                  <li key={name}>
                    <a data-row href={hashOf('tools', name)}>
                      <Text of={name} />
                    </a>{' '}
                    <span class="muted small">
                      <Text of={tools.get(name)?.group ?? ''} />
                    </span>
                  </li>
                ))}
              </ul>
            </li>
          ))}
        </ol>
      )}
    </Paged>
  );
}
