import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { KEYS } from './keys.ts';

interface HelpDialogProps {
  readonly isOpen: boolean;
  close(): void;
}

/** The keys of the page. */
export function HelpDialog({ isOpen, close }: HelpDialogProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  return (
    <dialog ref={dialog} class="help" onClose={close} aria-labelledby="help-title">
      <h2 id="help-title">Keys</h2>
      <dl>
        {KEYS.map(([keys, does]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={close}>
        Close
      </button>
    </dialog>
  );
}
