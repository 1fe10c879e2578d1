import { lazyRegex } from '../../../kit.ts';

/**
 * What a reader would not see, or what would reorder what is seen: control, zero-width and bidirectional characters, tag
 * characters, halves of pairs. The parts of a joined or coloured emoji are seen.
 */
const HIDDEN = lazyRegex(
  String.raw`(?<=\p{Extended_Pictographic}\ufe0f?)\u200d(?=\p{Extended_Pictographic})|(?<=[\p{Emoji}])\ufe0f|([\p{Default_Ignorable_Code_Point}\p{Surrogate}\ufff9-\ufffb\u2028\u2029]|(?![\n\t])\p{Control})`,
  'gu',
);
/** Marks upon marks, which would cover the lines above and below. */
const STACKED = lazyRegex(String.raw`(\p{M}{3})\p{M}+`, 'gu');
const PLAIN = /^[\n\t -~]*$/;

/** A text with `\u{…}` in place of each character that a reader would not see, and no more than three marks on one. */
export function shownText(text: string): string {
  if (PLAIN.test(text)) return text;
  return text
    .replace(HIDDEN(), (whole: string, hidden: string | undefined) =>
      hidden === undefined ? whole : `\\u{${(hidden.codePointAt(0) ?? 0).toString(16)}}`,
    )
    .replace(STACKED(), '$1…');
}
