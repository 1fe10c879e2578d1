import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** The greatest width of an explanation, its distance from the term, and the margin of the window. */
const WIDTH = 280;
const GAP = 6;
const MARGIN = 14;
/** With less room than this below the term, the explanation is above it. */
const LEAST = 120;

/** Shows the explanation of the hovered or focused term beside it, on the top layer so that nothing clips it. */
export function Tip(): JSX.Element | null {
  const [term, setTerm] = useState<HTMLElement>();
  useEffect(() => {
    const show = ({ target }: Event): void => {
      const over = target as HTMLElement;
      // The explanation stays open while the pointer is on it.
      if (over.closest?.('.tip')) return;
      const found = over.closest?.('[data-tip]') ?? document.activeElement?.closest('[data-tip]');
      setTerm((found as HTMLElement | null) ?? undefined);
    };
    const hide = (): void => setTerm(undefined);
    addEventListener('pointerover', show);
    addEventListener('focusin', show);
    addEventListener('scroll', hide, true);
    return () => {
      removeEventListener('pointerover', show);
      removeEventListener('focusin', show);
      removeEventListener('scroll', hide, true);
    };
  }, []);
  useEffect(() => {
    if (!term) return undefined;
    const press = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      setTerm(undefined);
    };
    addEventListener('keydown', press, true);
    return () => removeEventListener('keydown', press, true);
  }, [term]);
  if (!term?.isConnected) return null;
  const { left, top, bottom } = term.getBoundingClientRect();
  const place = Math.max(MARGIN, Math.min(left, innerWidth - WIDTH - MARGIN));
  const isBelow = innerHeight - bottom > LEAST;
  const side = isBelow ? { top: `${bottom + GAP}px` } : { bottom: `${innerHeight - top + GAP}px` };
  return (
    <div class="tip small" aria-hidden="true" style={{ left: `${place}px`, ...side, maxWidth: `${WIDTH}px` }}>
      {term.dataset['tip']}
    </div>
  );
}
