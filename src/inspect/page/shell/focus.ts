import { useEffect } from 'preact/hooks';

/** Keeps the focus near where it was when what has it goes: a button that has done its work, a row of the view before. */
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

/** An element, and all that it is in. */
function pathOf(element: HTMLElement | null): readonly HTMLElement[] {
  return element ? [element, ...pathOf(element.parentElement)] : [];
}
