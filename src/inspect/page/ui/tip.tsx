import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** The widest that an explanation is, and what is left free beside and below its word. */
const WIDTH = 280;
const GAP = 6;
const MARGIN = 14;
/** Below this much room, an explanation stands above its word. */
const LEAST = 120;

/** Shows the explanation of the word that the pointer or the focus is on, beside it: above all else, as nothing cuts it off. */
export function Tip(): JSX.Element | null {
  const [term, setTerm] = useState<HTMLElement>();
  useEffect(() => {
    const show = ({ target }: Event): void => {
      const over = target as HTMLElement;
      // The pointer may go to the explanation.
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
