import { lazyRegex } from '../../../kit.ts';
import { type LintedText, type LintedTool, textsOf } from '../catalog.ts';
import { count, quote, type Rules, type ToolFlaw } from '../rule.ts';

export const hiddenCharactersRule: Rules<'hidden-characters'> = {
  'hidden-characters': {
    summary: 'A text has characters that a person does not see, or takes for others.',
    help: 'The model reads them, and they may carry orders; words with them are not found. Take them out, or drop the server.',
    ofTool: hiddenCharacters,
  },
};

/** What is neither printable ASCII nor white space: most texts have none. */
const UNUSUAL = /[^\t\n\r -~]/;
/** A character that is not seen: a control, a format, a private one, half of a pair, or what Unicode says may be ignored. */
const IS_UNSEEN = lazyRegex(String.raw`[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]`, 'u');
/** Scripts that need joiners, or write without spaces. */
const JOINING = lazyRegex(
  String.raw`[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Mongolian}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]`,
  'u',
);
const RIGHT_TO_LEFT = lazyRegex(
  String.raw`[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]`,
  'u',
);
const PICTURE = lazyRegex(String.raw`[\p{Emoji}\p{Emoji_Component}\p{So}\p{Sm}]`, 'u');
const IDEOGRAPH = lazyRegex(String.raw`\p{Script=Han}`, 'u');
/** The flags of England, Scotland and Wales, which tag characters spell. */
const FLAGS =
  /\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}/gu;
/** A word that mixes Latin letters with letters of other scripts that look like them. */
const LATIN = /[A-Za-z]/;
const LOOKALIKES =
  /[\u0391\u0392\u0395-\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03bf\u0405\u0406\u0408\u0410\u0412\u0415\u041a\u041c-\u041e\u0420-\u0422\u0425\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0455\u0456\u0458\u04bb\u0501\u051b\u051d]/;
const WORDS = lazyRegex(String.raw`\p{L}+`, 'gu');
/** What texts get from word processors and printers: the soft hyphen, the next line, the form feed. */
const HARMLESS: readonly number[] = [0xad, 0x85, 0x0c];
/** So many unseen characters carry a message. */
const MANY = 8;

type Kind =
  | 'tag character'
  | 'direction override'
  | 'direction mark'
  | 'control character'
  | 'variation selector'
  | 'private character'
  | 'invisible character';

/** Kinds that no honest text has. */
const HOSTILE: readonly Kind[] = ['tag character', 'direction override', 'control character', 'variation selector'];

function hiddenCharacters(tool: LintedTool): ToolFlaw | undefined {
  const texts = textsOf(tool).texts.filter(({ text }) => UNUSUAL.test(text));
  return unseen(texts) ?? mixedScripts(texts);
}

function unseen(texts: readonly LintedText[]): ToolFlaw | undefined {
  const found = texts.flatMap(({ path, text }) => unseenIn(text).map((one) => ({ ...one, path, text })));
  const worst = found.find(({ kind }) => HOSTILE.includes(kind)) ?? found[0];
  if (worst === undefined) return undefined;
  const isHostile = found.length >= MANY || HOSTILE.includes(worst.kind);
  const isHarmless = found.every(({ code }) => HARMLESS.includes(code));
  const said = messageIn(found.map(({ code }) => code));
  const spelled = said === '' ? '' : ` They spell ${quote(said)}.`;
  return {
    ...{ severity: isHarmless ? 'info' : isHostile ? 'error' : 'warning', path: worst.path },
    // With the neighbourhood of the place.
    evidence: `${count(found.length, worst.kind)} in ${quote(worst.text.slice(Math.max(0, worst.at - 20), worst.at + 40))}.${spelled}`,
    remedy: 'Take out what is not seen. If it is not yours, do not trust the server.',
  };
}

/** The message that tag characters spell. */
function messageIn(codes: readonly number[]): string {
  return codes
    .filter((code) => code >= 0xe0020 && code <= 0xe007e)
    .map((code) => String.fromCodePoint(code - 0xe0000))
    .join('');
}

interface Unseen {
  readonly kind: Kind;
  readonly code: number;
  readonly at: number;
}

function unseenIn(text: string): readonly Unseen[] {
  const found: Unseen[] = [];
  const isRightToLeft = RIGHT_TO_LEFT().test(text);
  let before = '';
  let at = 0;
  // Blanks for the flags, so that all else stays in its place.
  for (const character of text.replace(FLAGS, (flag) => ' '.repeat(flag.length))) {
    const kind =
      UNUSUAL.test(character) && IS_UNSEEN().test(character) ? kindOf(character, before, isRightToLeft) : undefined;
    if (kind) found.push({ kind, code: character.codePointAt(0) ?? 0, at });
    at += character.length;
    before = character;
  }
  return found;
}

/** The kind of an unseen character; undefined where the character before it, or the script, has a use for it. */
function kindOf(character: string, before: string, isRightToLeft: boolean): Kind | undefined {
  const code = character.codePointAt(0) ?? 0;
  const isIn = (first: number, last: number): boolean => code >= first && code <= last;
  if (isIn(0xe0000, 0xe007f)) return 'tag character';
  if (isIn(0xe0100, 0xe01ef)) return IDEOGRAPH().test(before) ? undefined : 'variation selector';
  if (isIn(0xfe00, 0xfe0f)) return before === '' || LATIN.test(before) ? 'variation selector' : undefined;
  if (isIn(0x202a, 0x202e) || isIn(0x2066, 0x2069)) return 'direction override';
  if (code === 0x200e || code === 0x200f || code === 0x061c) return isRightToLeft ? undefined : 'direction mark';
  if (isIn(0x200b, 0x200d))
    return JOINING().test(before) || PICTURE().test(before) || before === '\ufe0f' ? undefined : 'invisible character';
  if (code < 0xa0) return code === 0x0b || code === 0x0c || code === 0x85 ? 'invisible character' : 'control character';
  if (isIn(0xe000, 0xf8ff) || code >= 0xf0000) return 'private character';
  return 'invisible character';
}

function mixedScripts(texts: readonly LintedText[]): ToolFlaw | undefined {
  for (const { path, text } of texts) {
    if (!LOOKALIKES.test(text)) continue;
    const word = text.match(WORDS())?.find((one) => LATIN.test(one) && LOOKALIKES.test(one));
    const odd = word && LOOKALIKES.exec(word)?.[0];
    if (!word || !odd) continue;
    const code = `U+${(odd.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
    return {
      ...{ severity: path === 'name' ? 'error' : 'warning', path },
      evidence: `${quote(word)} has ${quote(odd)} (${code}), which looks like a Latin letter and is none.`,
      remedy: 'Write the word in one script. If it is not yours, do not trust the server.',
    };
  }
  return undefined;
}
