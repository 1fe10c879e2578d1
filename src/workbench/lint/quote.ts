import { cut, lazyRegex } from '../../kit.ts';

/** Characters of a quoted text. */
const MAX_QUOTE = 120;

/** What is not seen: control and format characters, private ones, line ends, halves of pairs, and all that Unicode says may be ignored. */
const UNSEEN = lazyRegex(String.raw`[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]`, 'gu');

/** A text of a tool in quotes: of bounded length, on one line, with the code in place of each character that is not seen. */
export function quote(text: string, maxLength: number = MAX_QUOTE): string {
  const short = cut(text, maxLength);
  return `"${onOneLine(short.replace(/["\\]/g, String.raw`\$&`))}${short.length < text.length ? '…' : ''}"`;
}

/** The beginning of a message, which may have a text of a tool in it. */
export function message(text: string, maxLength: number): string {
  return onOneLine(cut(text, maxLength));
}

function onOneLine(text: string): string {
  return text.replace(/[ \t\r\n]+/g, ' ').replace(UNSEEN(), codeOf);
}

/** Quoted names, the first few of them. */
export function list(names: readonly string[], most = 5): string {
  const shown = names.slice(0, most).map((name) => quote(name, 64));
  return names.length > most ? `${shown.join(', ')} and ${names.length - most} more` : shown.join(', ');
}

/** A count with its noun. */
export function count(number: number, noun: string): string {
  return `${number.toLocaleString('en-US')} ${noun}${number === 1 ? '' : 's'}`;
}

/** The code of a character, as Unicode writes it. */
export function codeOf(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
