import { lazyRegex } from '../../../kit.ts';
import { type LintedTool, MAX_CHARACTERS, textsOf } from '../catalog.ts';
import { DISTRUST, type LintSeverity, quote, type Rules, type ToolFlaw } from '../rule.ts';

export const instructsModel: Rules<'instructs-model'> = {
  'instructs-model': {
    summary: 'A text of the tool instructs the model beyond the use of the tool.',
    help: 'So tools are poisoned: the model may follow the text in place of the user. Say only what the tool does, or drop the server.',
    ofTool: instructingText,
  },
};

/** What a text may want of the model beyond the use of its tool. */
interface Order {
  readonly severity: LintSeverity;
  /** What the text does, as a sentence goes on after "The text". */
  readonly does: string;
  readonly patterns: readonly RegExp[];
}

/** The worst first. They are read in small letters, with one space between words. */
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
/** Letters that are set apart by one space each. */
const SET_APART = /\b[A-Za-z0-9](?: [A-Za-z0-9]\b){2,}/g;
const JOINTS = /(?<=[A-Za-z0-9])[._]+(?=[A-Za-z0-9])/g;
/** Letters of Greek and Cyrillic, and the Latin ones that they look like. */
const FOREIGN_LETTERS =
  '\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03bf\u03c1\u03bd\u03b9\u03b1\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0455\u0456\u0458\u0405\u0406\u0408\u04bb\u0501\u051b\u051d';
const LATIN_LETTERS = 'ABEZHIKMNOPTYXopviaABEKMHOPCTYXaeopcyxsijSIJhdqw';
const FOREIGN = /[\u0391-\u03c1\u0405-\u0458\u04bb\u0501\u051b\u051d]/g;
/** Characters of the shortest order. */
const SHORTEST = 6;
/** Characters around what was found, in the evidence. */
const AROUND = 30;

/** Text that instructs the model beyond the use of the tool; the worst of it. */
function instructingText(tool: LintedTool): ToolFlaw | undefined {
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

/** A part of a text with the whole words around it. */
function excerptOf(text: string, from: number, to: number): string {
  const [first, last] = [from - AROUND, to + AROUND];
  const start = first <= 0 ? 0 : first + text.slice(first, from).indexOf(' ') + 1;
  const end = last >= text.length ? text.length : to + Math.max(0, text.slice(to, last).lastIndexOf(' '));
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`;
}

/**
 * A text as a model reads it: with one space between words, without what is not seen, emphasis, marks and letters in
 * disguise; and once more with spaces for the dots and underscores between words, where it has some.
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

/** The text in plain letters. None of them is longer in small letters. */
function undisguised(text: string): string {
  return text
    .normalize('NFKD')
    .replace(MARKS(), '')
    .replace(APOSTROPHES, "'")
    .replace(FOREIGN, (letter) => LATIN_LETTERS.charAt(FOREIGN_LETTERS.indexOf(letter)) || letter);
}
