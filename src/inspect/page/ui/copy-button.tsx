import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

interface CopyButtonProps {
  /** What is copied, for the name of the button. */
  readonly what: string;
  text(): string;
}

/** Puts a text on the clipboard. */
export function CopyButton({ what, text }: CopyButtonProps): JSX.Element {
  const [state, setState] = useState<'ready' | 'copied' | 'failed'>('ready');
  const copy = async (): Promise<void> => {
    setState((await copied(text())) ? 'copied' : 'failed');
    setTimeout(() => setState('ready'), 2_000);
  };
  const said = state === 'ready' ? '' : state === 'copied' ? 'Copied' : 'The browser does not let it be copied';
  return (
    <>
      <button type="button" class="small" onClick={() => void copy()}>
        {said === '' ? `Copy ${what}` : said}
      </button>
      <span class="unseen" role="status">
        {said}
      </span>
    </>
  );
}

async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copiedBySelection(text);
  }
}

/** The way of pages that have no clipboard, as in a frame. */
function copiedBySelection(text: string): boolean {
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'unseen';
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  return isCopied;
}
