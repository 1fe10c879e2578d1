import { useEffect } from 'preact/hooks';

/** Moves the focus to a near element when the focused one is removed: a button after its work, a row of the previous view. */
export function useKeptFocus(): void {
  useEffect(() => {
    let trail: readonly HTMLElement[] = [];
    const note = ({ target }: Event): void => {
      trail = pathOf(target as HTMLElement | null);
    };
    const observer = new MutationObserver(() => {
      const [focused] = trail;
      if (!focused || focused.isConnected || document.activeElement !== document.body) return;
      const near = trail.find(({ isConnected }) => isConnected);
      trail = [];
      if (!near || near === document.body) return;
      near.tabIndex = -1;
      near.focus({ preventScroll: true });
    });
    observer.observe(document.body, { childList: true, subtree: true });
    addEventListener('focusin', note);
    addEventListener('pointerdown', note);
    return () => {
      observer.disconnect();
      removeEventListener('focusin', note);
      removeEventListener('pointerdown', note);
    };
  }, []);
}

/** An element and its ancestors. */
function pathOf(element: HTMLElement | null): readonly HTMLElement[] {
  return element ? [element, ...pathOf(element.parentElement)] : [];
}
