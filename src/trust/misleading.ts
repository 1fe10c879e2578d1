import { lazyRegex } from '../util/text.ts';
import { count, type DefinitionTexts, MAX_CHARACTERS, quote, type ReadText, textsOf } from './texts.ts';

/** The severity of a lint finding. */
type Severity = 'error' | 'warning' | 'info';

/** A finding about a definition: one of its texts may mislead the model. */
export interface Misleading {
  readonly severity: Severity;
  /** The place of the text in the definition. Absent if the finding is about the definition as a whole. */
  readonly path?: string;
  /** A sentence that says what is wrong. Quoted texts are cut, and their invisible characters are escaped. */
  readonly evidence: string;
  readonly remedy: string;
}

/** The remedy of a finding about an instructing text. */
export const DISTRUST = 'Say only what the tool does. If the text is not yours, do not trust its server.';

/** A kind of instruction, beyond the use of the tool, that a text may give the model. */
interface Order {
  readonly severity: Severity;
  /** The predicate of the evidence sentence. Its subject is "The text". */
  readonly does: string;
  readonly patterns: readonly RegExp[];
}

/** The worst kind comes first. Patterns match lower-case text with single spaces. */
const ORDERS: readonly Order[] = [
  {
    severity: 'error',
    does: 'wants the model to drop its instructions',
    patterns: [
      /\b(?:ignore|disregard|forget|override) (?:all |any |every |the |your |my |of |these ){0,4}(?:previous|prior|above|earlier|preceding|other|former|existing|system|safety) (?:\w{1,20} ){0,2}(?:instruction|prompt|directive|guideline)(?!s? (?:of|for|in) (?:a|an|another)\b)/,
      /\b(?:ignore|disregard|override) (?:what )?the user(?:'s)? (?:says|said|asks|asked|wants|request|instruction|wish|message)/,
      /\b(?:regardless of|no matter) what the user (?:says|said|asks|asked|wants|requests)\b/,
      /\byour (?:new|real|actual|true) (?:task|goal|instruction|objective|role|purpose)s? (?:is|are) (?:to|now)\b/,
      /(?:^|[.!?:;>,)"\]] ?|\b(?:and|that) )you are now (?:a|an|in|the|acting|operating|free|no longer)\b/,
    ],
  },
  {
    severity: 'error',
    does: 'wants the model to hide something from the user',
    patterns: [
      /\b(?:do not|don't|never|must not|mustn't|should not|shouldn't|without) (?:ever )?(?:tell|telling|inform|informing|alert|alerting) (?:the |any )?(?:user|human|anyone|anybody)(?: ?(?:[.,;:!?)"'\]]|$)| (?:about|of|and|or|but|anything|what|why|how|this|it|you|because|since|as)\b| that (?:you|we|i|this)\b)/,
      /\b(?:do not|don't|never|must not|mustn't|without) (?:ever )?(?:mention|mentioning|reveal|revealing|disclose|disclosing) (?:this|that|it|these|those|them|your|any of|the (?:instruction|prompt|tool|step|note|fact))[^.!?]{0,60}\bto the (?:user|human)\b/,
      /\b(?:do not|don't|never|must not|mustn't|without) let(?:ting)? the (?:user|human) (?:know|see|notice)\b/,
      /\b(?:hide|conceal|keep) (?:this|it|that|them) (?:\w{1,20} ){0,2}from the (?:user|human)\b/,
      /\bthe (?:user|human) (?:must|should) (?:not|never) (?:know|notice|learn|find out)\b/,
      /\bwithout the (?:user|human)(?:'s)? (?:knowing|knowledge|consent|noticing)\b/,
    ],
  },
  {
    severity: 'error',
    does: 'pretends to be a part of the prompt',
    patterns: [
      /<(system|system[-_ ]prompt|system[-_ ]message|system[-_ ]reminder|system[-_ ]instructions?|assistant|secret|hidden|admin)>[^<]{1,400}<\/\1>/,
      /\[inst\][^[]{1,400}\[\/inst\]|<<sys>>[^<]{1,400}<<\/sys>>|<\|[a-z_]{2,20}\|> ?(?:system|user|assistant)\b/,
    ],
  },
  {
    severity: 'error',
    does: 'wants secrets of the machine or of the prompt',
    patterns: [
      /\b(?:read|open|cat|include|pass|send|copy|attach|provide|forward|upload|contents? of)\b[^!?]{0,60}(?<! (?:in|into|to|under) [~$/\w]{0,20})(?:\.ssh\/|\bid_rsa\b|\bid_ed25519\b|\.aws\/credentials|\/etc\/passwd|\/etc\/shadow|\.cursor\/mcp\.json)/,
      /\b(?:include|pass|send|copy|attach|append|put|provide|forward|upload|repeat|reveal)\b[^.!?]{0,60}\byour system prompt\b/,
      /\b(?:send|forward|post|upload|copy) [^.!?]{0,40}\b(?:conversation|chat history|messages|credentials|passwords|api keys)\b[^.!?]{0,40} to (?:https?:|[\w.+-]{1,40}@)/,
    ],
  },
  {
    severity: 'warning',
    does: 'may be an order to the model',
    patterns: [
      /\b(?:ignore|disregard|forget|override) (?:all |any |every |the |your |my |of |these ){0,4}(?:previous|prior|above|earlier|preceding|other|former|existing|system|safety) (?:\w{1,20} ){0,2}(?:instruction|prompt|direction|directive|guideline|message)/,
      /\byour (?:new|real|actual|true) (?:task|goal|instruction|objective|role|purpose)/,
      /\byou are now (?:a|an|in|the|acting|operating|free|no longer)\b/,
      /\b(?:do not|don't|never|must not|mustn't|should not|shouldn't|without) (?:ever )?(?:tell|telling|inform|informing|alert|alerting) (?:the |any )?(?:user|human|anyone|anybody)\b/,
      /\b(?:do not|don't|never|must not|mustn't|without) (?:ever )?(?:mention|mentioning|reveal|revealing|disclose|disclosing) [^.!?]{0,60}\bto the (?:user|human)\b/,
      /<\/?(?:system|system[-_ ]prompt|system[-_ ]message|system[-_ ]reminder|system[-_ ]instructions?|assistant|secret|hidden|admin)>/,
      /<\|[a-z_]{2,20}\|>|\[\/?inst\]|<<\/?sys>>/,
      /\b(?:read|open|cat|include|pass|send|copy|attach|append|put|provide|forward|upload)\b[^!?]{0,60}(?:\.ssh\/|\bid_rsa\b|\bid_ed25519\b|\.aws\/credentials|\/etc\/passwd|\/etc\/shadow|\.cursor\/mcp\.json)/,
      /\b(?:include|pass|send|copy|attach|append|put|provide|forward|upload|repeat|reveal)\b[^.!?]{0,60}\b(?:your|the) system prompt\b/,
    ],
  },
  {
    severity: 'warning',
    does: 'speaks of all tools in place of this one',
    patterns: [
      /\b(?:before|prior to|after|instead of) (?:you )?(?:(?:us|call|runn|invok|execut)ing |use |call |run |invoke )?(?:any|all|every|each) (?:other |of the )?tools?\b/,
      /\b(?:any|all|every) other tools? (?:must|should|is|are)\b/,
      /\bwhen(?:ever)? (?:this|the) [^.!?]{0,30}\btool is (?:available|present|installed|loaded)\b/,
      /<\/?important>/,
    ],
  },
  {
    severity: 'info',
    does: 'tells the model to call a tool always or first',
    patterns: [
      /\b(?:must|always|you should always) (?:always |first )?(?:call|use|invoke|run) this (?:tool|function)\b/,
      /\b(?:call|use|run|invoke) this (?:tool |function )?first\b/,
    ],
  },
];

const SPACES = /\s+/g;
const APOSTROPHES = /[\u2018\u2019\u02bc]/g;
const MARKS = lazyRegex(String.raw`[\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}]+`, 'gu');
const BEYOND_ASCII = /[\u0080-\uffff]/;
const EMPHASIS = /[*`]/g;
/** Letter-spaced words: `i g n o r e`. */
const SET_APART = /\b[A-Za-z0-9](?: [A-Za-z0-9]\b){2,}/g;
const JOINTS = /(?<=[A-Za-z0-9])[._]+(?=[A-Za-z0-9])/g;
/** Greek and Cyrillic letters. `LATIN_LETTERS` has the Latin letter that each looks like, at the same index. */
const FOREIGN_LETTERS =
  '\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03bf\u03c1\u03bd\u03b9\u03b1\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0455\u0456\u0458\u0405\u0406\u0408\u04bb\u0501\u051b\u051d';
const LATIN_LETTERS = 'ABEZHIKMNOPTYXopviaABEKMHOPCTYXaeopcyxsijSIJhdqw';
const FOREIGN = /[\u0391-\u03c1\u0405-\u0458\u04bb\u0501\u051b\u051d]/g;
/** Minimum length of a text that is checked, in characters. */
const SHORTEST = 6;
/** Limit of the characters that an excerpt shows on each side of a match. */
const AROUND = 30;

/**
 * Returns the worst instruction to the model in the texts of a tool. If there is none, but the definition is too long
 * to be read whole, that is the finding.
 */
export function instructingText(tool: DefinitionTexts): Misleading | undefined {
  const { texts: given, isCut } = textsOf(tool);
  const cut = isCut
    ? ` Only the first ${MAX_CHARACTERS.toLocaleString('en-US')} characters of the definition are read.`
    : '';
  const texts = given
    .filter(({ text }) => text.length >= SHORTEST)
    .flatMap(({ path, text }) => readable(text).map((one) => ({ path, text: one })));
  for (const { severity, does, patterns } of ORDERS) {
    for (const { path, text } of texts) {
      const found = patterns.map((pattern) => pattern.exec(text.toLowerCase())).find((match) => match !== null);
      if (!found) continue;
      const excerpt = quote(excerptOf(text, found.index, found.index + found[0].length), 160);
      const remedy =
        severity === 'info'
          ? 'Say what the tool is for; the order of work belongs into the instructions of the agent.'
          : DISTRUST;
      return { severity, path, evidence: `The text ${does}: ${excerpt}.${cut}`, remedy };
    }
  }
  if (!isCut) return undefined;
  return {
    severity: 'warning',
    evidence: `The definition is too long to be read to its end.${cut}`,
    remedy: 'Cut it. If it is not yours, do not trust its server.',
  };
}

/** Cuts a text around a match, at the borders of words. */
function excerptOf(text: string, from: number, to: number): string {
  const [first, last] = [from - AROUND, to + AROUND];
  const start = first <= 0 ? 0 : first + text.slice(first, from).indexOf(' ') + 1;
  const end = last >= text.length ? text.length : to + Math.max(0, text.slice(to, last).lastIndexOf(' '));
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`;
}

/**
 * Normalises a text for the patterns: removes invisible characters, emphasis and marks, replaces lookalike letters,
 * joins letter-spaced words and collapses white space. If dots or underscores join words, a second text has spaces
 * instead of them.
 */
function readable(text: string): readonly string[] {
  const seen = BEYOND_ASCII.test(text) ? undisguised(text) : text;
  const joined = seen
    .replace(EMPHASIS, '')
    .replace(SET_APART, (letters) => letters.replaceAll(' ', ''))
    .replace(SPACES, ' ');
  const apart = joined.replace(JOINTS, ' ');
  return apart === joined ? [joined] : [joined, apart];
}

/**
 * Removes marks and replaces lookalike letters. The lower-case form of the result has the same length, so an index into
 * it is valid for the result.
 */
function undisguised(text: string): string {
  return text
    .normalize('NFKD')
    .replace(MARKS(), '')
    .replace(APOSTROPHES, "'")
    .replace(FOREIGN, (letter) => LATIN_LETTERS.charAt(FOREIGN_LETTERS.indexOf(letter)) || letter);
}

/** A cheap first test: most texts are only printable ASCII and white space. */
const UNUSUAL = /[^\t\n\r -~]/;
/**
 * An invisible character: control, format, private use, unassigned, lone surrogate, line or paragraph separator, or
 * default ignorable.
 */
const IS_UNSEEN = lazyRegex(String.raw`[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]`, 'u');
/** Scripts in which zero-width characters are regular: the script needs joiners, or is written without spaces. */
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
/** The emoji flags of England, Scotland and Wales, which consist of tag characters. */
const FLAGS =
  /\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}/gu;
const LATIN = /[A-Za-z]/;
/** Greek and Cyrillic letters that look like Latin ones. A word that has both kinds is suspicious. */
const LOOKALIKES =
  /[\u0391\u0392\u0395-\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03bf\u0405\u0406\u0408\u0410\u0412\u0415\u041a\u041c-\u041e\u0420-\u0422\u0425\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0455\u0456\u0458\u04bb\u0501\u051b\u051d]/;
const WORDS = lazyRegex(String.raw`\p{L}+`, 'gu');
/** Code points that word processors and printers leave in texts: soft hyphen, next line, form feed. */
const HARMLESS: readonly number[] = [0xad, 0x85, 0x0c];
/** From this number on, invisible characters are an error: they may carry a message. */
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

export function hiddenCharacters(tool: DefinitionTexts): Misleading | undefined {
  const texts = textsOf(tool).texts.filter(({ text }) => UNUSUAL.test(text));
  return unseen(texts) ?? mixedScripts(texts);
}

function unseen(texts: readonly ReadText[]): Misleading | undefined {
  const found = texts.flatMap(({ path, text }) => unseenIn(text).map((one) => ({ ...one, path, text })));
  const worst = found.find(({ kind }) => HOSTILE.includes(kind)) ?? found[0];
  if (worst === undefined) return undefined;
  const isHostile = found.length >= MANY || HOSTILE.includes(worst.kind);
  const isHarmless = found.every(({ code }) => HARMLESS.includes(code));
  const said = messageIn(found.map(({ code }) => code));
  const spelled = said === '' ? '' : ` They spell ${quote(said)}.`;
  return {
    ...{ severity: isHarmless ? 'info' : isHostile ? 'error' : 'warning', path: worst.path },
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
  // Each flag is replaced by as many blanks, so that the index of every other character stays the same.
  for (const character of text.replace(FLAGS, (flag) => ' '.repeat(flag.length))) {
    const kind =
      UNUSUAL.test(character) && IS_UNSEEN().test(character) ? kindOf(character, before, isRightToLeft) : undefined;
    if (kind) found.push({ kind, code: character.codePointAt(0) ?? 0, at });
    at += character.length;
    before = character;
  }
  return found;
}

/**
 * Classifies an invisible character. Undefined if the character is regular after `before`, or in a right-to-left text.
 */
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

function mixedScripts(texts: readonly ReadText[]): Misleading | undefined {
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
