import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { InspectTool } from '../../data.ts';
import { hashOf } from '../shell/route.ts';
import { countText, percentText } from '../ui/numbers.ts';
import { ROVING, rove } from '../ui/roving.ts';
import { shownText } from '../ui/shown-text.ts';
import { Text } from '../ui/text.tsx';
import { useWidth } from '../ui/use-width.ts';
import type { Cluster, Link } from './clusters.ts';
import { captionOf, LETTER, layOut, type PlacedCluster } from './layout.ts';

interface Props {
  readonly clusters: readonly Cluster[];
  readonly tools: ReadonlyMap<string, InspectTool>;
  /** The number of a tool's colour; undefined for that of all others. */
  readonly colourOf: (name: string) => number | undefined;
}

const DOT = 7;

/** The map itself: a dot for each tool. The arrow keys walk from dot to dot, a press opens the tool. */
export function MapDrawing({ clusters, tools, colourOf }: Props): JSX.Element {
  const [ref, width] = useWidth<HTMLDivElement>();
  const { clusters: placed, height } = useMemo(() => layOut(clusters, Math.max(width, 1)), [clusters, width]);
  const [active, setActive] = useState('');
  const names = placed.flatMap(({ cluster }) => cluster.names);
  const stop = names.includes(active) ? active : names[0];
  const chosen = placed.find(({ cluster }) => cluster.names.includes(active));
  return (
    <div ref={ref} class="map-frame">
      {width > 0 && (
        // biome-ignore lint/a11y/useSemanticElements: a drawing with many parts that are buttons.
        <svg width={width} height={height} role="group" aria-label="Map of tools" onKeyDown={rove}>
          {placed.map(({ cluster, centre, radius, room, points }) => (
            <g key={cluster.names[0]}>
              <circle class="cluster" cx={centre.x} cy={centre.y} r={radius} />
              {cluster.links.map((link) => (
                <Edge
                  key={`${link.one} ${link.other}`}
                  link={link}
                  points={points}
                  isActive={[link.one, link.other].includes(active)}
                />
              ))}
              {cluster.names.map((name) => {
                const { x, y } = points.get(name) ?? centre;
                return (
                  <a
                    key={name}
                    {...ROVING}
                    class={`dot-of series-${colourOf(name) ?? 'other'}`}
                    href={hashOf('tools', name)}
                    tabIndex={name === stop ? 0 : -1}
                    aria-label={shownText(name)}
                    onFocus={() => setActive(name)}
                    onMouseEnter={() => setActive(name)}
                  >
                    <circle cx={x} cy={y} r={DOT} />
                  </a>
                );
              })}
              <text class="caption" x={centre.x} y={centre.y + radius + 14}>
                {shownText(fitting(captionOf(cluster), room))}
              </text>
            </g>
          ))}
        </svg>
      )}
      {chosen && <Card name={active} tool={tools.get(active)} place={chosen} width={width} />}
    </div>
  );
}

interface EdgeProps {
  readonly link: Link;
  readonly points: PlacedCluster['points'];
  readonly isActive: boolean;
}

function Edge({ link, points, isActive }: EdgeProps): JSX.Element | null {
  const [from, to] = [points.get(link.one), points.get(link.other)];
  if (!from || !to) return null;
  const kind = link.confused > 0 ? 'confused' : 'alike';
  return <line class={`edge ${kind}${isActive ? ' active' : ''}`} x1={from.x} y1={from.y} x2={to.x} y2={to.y} />;
}

interface CardProps {
  readonly name: string;
  readonly tool: InspectTool | undefined;
  readonly place: PlacedCluster;
  readonly width: number;
}

const CARD_WIDTH = 320;

/** What is said of the tool under the pointer or the focus: below its cluster, which it must not hide, and to screen readers. */
function Card({ name, tool, place: { cluster, centre, radius, points }, width }: CardProps): JSX.Element {
  const { x } = points.get(name) ?? centre;
  const links = cluster.links.filter(({ one, other }) => one === name || other === name);
  const left = Math.max(0, Math.min(x - CARD_WIDTH / 2, width - Math.min(CARD_WIDTH, width)));
  return (
    <div
      class="map-card"
      role="status"
      style={{ left: `${left}px`, top: `${centre.y + radius + 4}px`, maxWidth: `${Math.min(CARD_WIDTH, width)}px` }}
    >
      <strong>
        <Text of={name} />
      </strong>
      {tool?.group && (
        <span class="muted">
          {' '}
          of <Text of={tool.group} />
        </span>
      )}
      <p>
        <Text of={fitting(tool?.description ?? '', 900)} />
      </p>
      <ul>
        {links.slice(0, 4).map((link) => (
          <li key={`${link.one} ${link.other}`}>
            <Text of={link.one === name ? link.other : link.one} />{' '}
            <span class="muted small">
              {link.similarity > 0 && `${percentText(link.similarity)} alike`}
              {link.similarity > 0 && link.confused > 0 && ', '}
              {link.confused > 0 && `confused in ${countText(link.confused, 'case')}`}
              {link.words.length > 0 && ': '}
              <Text of={link.words.join(', ')} />
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** A text that takes about so many units, cut where it is longer. */
function fitting(text: string, units: number): string {
  const most = Math.max(3, Math.floor(units / LETTER));
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}
