import type { ComponentChildren, JSX } from 'preact';
import type { Segment } from '../search/highlight.ts';
import { shownText } from './shown-text.ts';

interface LitTextProps {
  readonly segments: readonly Segment[];
  /** Whether it is a name, which may be broken behind an underscore. */
  readonly isName?: boolean;
}

/** A text of the data, with what was found in it. */
export function LitText({ segments, isName = false }: LitTextProps): JSX.Element {
  const shown = (text: string): ComponentChildren => (isName ? breakable(shownText(text)) : shownText(text));
  return <bdi>{segments.map(({ text, by }) => (by ? <mark data-by={by}>{shown(text)}</mark> : shown(text)))}</bdi>;
}

function breakable(name: string): ComponentChildren {
  const parts = name.split('_');
  return parts.flatMap((part, at) => (at < parts.length - 1 ? [`${part}_`, <wbr key={at} />] : [part]));
}
