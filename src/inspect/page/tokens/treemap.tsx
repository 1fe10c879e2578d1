import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { numberText, percentText } from '../ui/numbers.ts';
import { ROVING, rove } from '../ui/roving.ts';
import { shownText } from '../ui/shown-text.ts';
import { Text } from '../ui/text.tsx';
import { useWidth } from '../ui/use-width.ts';
import type { Level } from './levels.ts';
import { squarify } from './squarify.ts';

interface Props {
  readonly label: string;
  readonly level: Level;
  readonly navigate: (hash: string) => void;
}

/** A tile with less is a bare area. */
const MIN_LABEL = { width: 44, height: 22 };
const MIN_FIGURE = 40;

/** Nodes as tiles, each as large as its tokens. The arrow keys walk through them, the largest first. */
export function Treemap({ label, level, navigate }: Props): JSX.Element {
  const nodes = level.tiles;
  const [ref, width] = useWidth<HTMLDivElement>();
  const [active, setActive] = useState(0);
  const wasOpened = useRef(false);
  // The tiles of another level are other tiles: the keys go on at the first one.
  useEffect(() => {
    if (wasOpened.current) ref.current?.querySelector<HTMLElement>('[data-roving]')?.focus();
    wasOpened.current = false;
    setActive(0);
  }, [label]);
  const height = Math.round(Math.min(560, Math.max(440, width * 0.55)));
  const tokens = nodes.map((node) => node.tokens);
  const total = level.nodes.reduce((sum, node) => sum + node.tokens, 0);
  const rects = squarify(tokens, { x: 0, y: 0, width, height });
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms.
    <div ref={ref} class="treemap" role="group" aria-label={label} style={{ height: `${height}px` }} onKeyDown={rove}>
      {width > 0 &&
        nodes.map((node, at) => {
          const rect = rects[at] ?? { x: 0, y: 0, width: 0, height: 0 };
          const hash = level.hashOf(node);
          const name = shownText(node.label);
          const share = percentText(total > 0 ? node.tokens / total : 0);
          const isLabelled = rect.width >= MIN_LABEL.width && rect.height >= MIN_LABEL.height;
          return (
            <button
              key={node.key}
              type="button"
              {...ROVING}
              tabIndex={at === Math.min(active, nodes.length - 1) ? 0 : -1}
              class={`tile tile-${Math.min(5, Math.floor((6 * at) / nodes.length))}${isLabelled ? '' : ' bare'}`}
              aria-label={`${name} ${numberText(node.tokens)} tokens, ${share}`}
              aria-disabled={hash === undefined}
              title={`${name}\n${numberText(node.tokens)} tokens, ${share}`}
              style={{
                left: `${rect.x}px`,
                top: `${rect.y}px`,
                width: `${rect.width}px`,
                height: `${rect.height}px`,
              }}
              onFocus={() => setActive(at)}
              onClick={() => {
                if (hash === undefined) return;
                wasOpened.current = true;
                navigate(hash);
              }}
            >
              {isLabelled && (
                <span class="tile-label">
                  <Text of={node.label} />
                </span>
              )}{' '}
              {isLabelled && rect.height >= MIN_FIGURE && (
                <span class="tile-figure">
                  {numberText(node.tokens)} tokens, {share}
                </span>
              )}
            </button>
          );
        })}
    </div>
  );
}
