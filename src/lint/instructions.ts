import { lazyRegex } from '../util/lazy-regex.ts';
import type { LintFinding, LintSeverity } from './finding.ts';
import type { LintedTool } from './linted-catalog.ts';
import { quote } from './quote.ts';
import { MAX_CHARACTERS, textsOf } from './texts.ts';

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
      /\b(?:ignore|disregard|forget|override) (?:all |any |every |the |your |my |of |these ){0,4}(?:previous|prior|above|earlier|preceding|other|former|existing|system|safety) (?:\w{1,20} ){0,2}(?:instruction|prompt|direction|directive|guideline|message)/,
      /\b(?:ignore|disregard|override) (?:what )?the user(?:'s)? (?:says|said|asks|asked|wants|request|instruction|wish|message)/,
      /\b(?:regardless of|no matter) what the user (?:says|said|asks|asked|wants|requests)\b/,
      /\byour (?:new|real|actual|true) (?:task|goal|instruction|objective|role|purpose)/,
      /\byou are now (?:a|an|in|the|acting|operating|free|no longer)\b/,
    ],
  },
  {
    severity: 'error',
    does: 'wants the model to hide something from the user',
    patterns: [
      /\b(?:do not|don't|never|must not|mustn't|should not|shouldn't|without) (?:ever )?(?:tell|telling|inform|informing|alert|alerting) (?:the |any )?(?:user|human|anyone|anybody)\b/,
      /\b(?:do not|don't|never|must not|mustn't|without) (?:ever )?(?:mention|mentioning|reveal|revealing|disclose|disclosing) [^.!?]{0,60}\bto the (?:user|human)\b/,
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
      /<\/?(?:system|system[-_ ]prompt|system[-_ ]message|system[-_ ]reminder|system[-_ ]instructions?|assistant|secret|hidden|admin)>/,
      /<\|[a-z_]{2,20}\|>|\[\/?inst\]|<<\/?sys>>/,
    ],
  },
  {
    severity: 'error',
    does: 'wants secrets of the machine or of the prompt',
    patterns: [
      /\b(?:read|open|cat|include|pass|send|copy|attach|append|put|provide|forward|upload)\b[^!?]{0,60}(?:\.ssh\/|\bid_rsa\b|\bid_ed25519\b|\.aws\/credentials|\/etc\/passwd|\/etc\/shadow|\.cursor\/mcp\.json)/,
      /\b(?:include|pass|send|copy|attach|append|put|provide|forward|upload|repeat|reveal)\b[^.!?]{0,60}\b(?:your|the) system prompt\b/,
      /\b(?:send|forward|post|upload|copy) [^.!?]{0,40}\b(?:conversation|chat history|messages|credentials|passwords|api keys)\b[^.!?]{0,40} to (?:https?:|[\w.+-]{1,40}@)/,
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
const UNSEEN = lazyRegex(String.raw`[\p{Cf}\p{Default_Ignorable_Code_Point}]+`, 'gu');
const BEYOND_ASCII = /[\u0080-\uffff]/;
/** Characters of the shortest order. */
const SHORTEST = 6;
/** Characters around what was found, in the evidence. */
const AROUND = 30;

/** Text that instructs the model beyond the use of the tool; the worst of it. */
export function instructingText(tool: LintedTool): readonly LintFinding[] {
  const { texts: given, isCut } = textsOf(tool);
  const cut = isCut
    ? ` Only the first ${MAX_CHARACTERS.toLocaleString('en-US')} characters of the definition are read.`
    : '';
  const texts = given
    .filter(({ text }) => text.length >= SHORTEST)
    .map(({ path, text }) => ({ path, text: readable(text) }));
  for (const { severity, does, patterns } of ORDERS) {
    for (const { path, text } of texts) {
      const found = patterns.map((pattern) => pattern.exec(text.toLowerCase())).find((match) => match !== null);
      if (!found) continue;
      const [said] = found;
      const excerpt = text.slice(Math.max(0, found.index - AROUND), found.index + said.length + AROUND);
      return [
        {
          ...{ rule: 'instructs-model', severity, toolName: tool.name, path },
          evidence: `The text ${does}: ${quote(excerpt, 160)}.${cut}`,
          remedy:
            severity === 'info'
              ? 'Say what the tool is for; the order of work belongs into the instructions of the agent.'
              : 'Say only what the tool does. If the text is not yours, do not trust its server.',
        },
      ];
    }
  }
  if (!isCut) return [];
  return [
    {
      ...{ rule: 'instructs-model', severity: 'warning', toolName: tool.name },
      evidence: `The definition is too long to be read to its end.${cut}`,
      remedy: 'Cut it. If it is not yours, do not trust its server.',
    },
  ];
}

/** A text as a model reads it: with one space between words, and without what is not seen. */
function readable(text: string): string {
  const seen = BEYOND_ASCII.test(text) ? text.replace(UNSEEN(), '').replace(APOSTROPHES, "'") : text;
  return seen.replace(SPACES, ' ');
}
