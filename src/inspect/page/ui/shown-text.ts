import { lazyRegex } from '../../../util/text.ts';

/**
 * Invisible or reordering characters: control, zero-width and bidirectional characters, tag characters, lone surrogates.
 * Joiners and selectors within an emoji are excepted.
 */
const HIDDEN = lazyRegex(
  String.raw`(?<=\p{Extended_Pictographic}\ufe0f?)\u200d(?=\p{Extended_Pictographic})|(?<=[\p{Emoji}])\ufe0f|([\p{Default_Ignorable_Code_Point}\p{Surrogate}\ufff9-\ufffb\u2028\u2029]|(?![\n\t])\p{Control})`,
  'gu',
);
/** Stacked marks, which would cover the lines above and below. */
const STACKED = lazyRegex(String.raw`(\p{M}{3})\p{M}+`, 'gu');
const PLAIN = /^[\n\t -~]*$/;

/** Replaces each invisible character with `\u{…}`, and keeps at most three marks on one character. */
export function shownText(text: string): string {
  if (PLAIN.test(text)) return text;
  return text
    .replace(HIDDEN(), (whole: string, hidden: string | undefined) =>
      hidden === undefined ? whole : `\\u{${(hidden.codePointAt(0) ?? 0).toString(16)}}`,
    )
    .replace(STACKED(), '$1…');
}
