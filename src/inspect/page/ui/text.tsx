import type { JSX } from 'preact';
import { shownText } from './shown-text.ts';

/** A text of the data. It is shown as text, apart from the writing direction around it, and nothing in it is hidden. */
export function Text({ of }: { readonly of: string }): JSX.Element {
  return <bdi>{shownText(of)}</bdi>;
}
