import { describe, expect, it } from 'vitest';
import { parseQuery } from '../src/scorers/words/query.ts';
import { splitIdentifier, words } from '../src/scorers/words/words.ts';
import { clean } from '../src/util/text.ts';
import { Session } from './meta-tools/session.ts';
import { isLinear, isQuadratic } from './support/growth.ts';
import { tool, toolRecord } from './support/harness.ts';
import { regexesInSource, regexOf } from './support/regexes.ts';

/** A beginning, what is repeated, and an end. */
type Shape = readonly [start: string, unit: string, end: string];

/** What costs each expression of src the most: almost a match, from as many places as can be, and none in the end. */
const WORST: Readonly<Record<string, readonly Shape[]>> = {
  // cut.ts
  '/[\\uD800-\\uDBFF]$/': [['', '\ud83d', 'x']],
  '/^[\\uD800-\\uDBFF][\\uDC00-\\uDFFF]$/': [['', '😀', '']],
  // errors.ts
  '/\\/\\/[^/\\s]*@/g': [
    ['', '/', ''],
    ['//', 'a', ''],
    ['', '//a', ''],
  ],
  // clean.ts
  '/[\\p{Default_Ignorable_Code_Point}\\p{Surrogate}\\ufff9-\\ufffb]+/gu': [['', '\u200b', 'x']],
  '/[\\p{Control}\\u2028\\u2029]+/gu': [['', '\n', 'x']],
  '/^[ -~]*$/': [['', 'a', 'é']],
  // cli/output.ts
  '/[\\x7f-\\x9f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069]/g': [['', '\u202e', 'x']],
  // mcp-config.ts
  '/(?:"(?:\\\\.|[^"\\\\])*"|\'[^\']*\'|\\\\[ "\'\\\\]|[^\\s"\'])+/gs': [
    ['', '\\', '"'],
    ['"', '\\"', ''],
    ['', '"\'', ''],
    ['', 'a', '"'],
  ],
  '/"((?:\\\\.|[^"\\\\])*)"|\'([^\']*)\'|\\\\([ "\'\\\\])/gs': [
    ['"', '\\"', ''],
    ['', '"\'', ''],
    ['', '\\', ''],
  ],
  '/\\\\([ "\'\\\\])/g': [['', '\\', 'x']],
  // cli/catalog
  '/("(?:\\\\.|[^"\\\\])*"?)|\\/\\/[^\\n]*|\\/\\*.*?(?:\\*\\/|$)/gs': [
    ['"', '\\', ''],
    ['', '"', ''],
    ['', '/*', ''],
    ['', '//', ''],
  ],
  '/("(?:\\\\.|[^"\\\\])*"?)|,(?=\\s*[\\]}])/gs': [
    ['"', '\\', ''],
    [',', ' ', 'x'],
    ['', ', ', 'x'],
  ],
  '/\\$\\{([^}]*)(?:\\}|$)/g': [
    ['', '${', ''],
    ['${', 'a', ''],
  ],
  '/^\\w+=/': [['', 'a', '']],
  // inspect/page
  '/^[\\n\\t -~]*$/': [['', 'a', 'é']],
  '/(?<=\\p{Extended_Pictographic}\\ufe0f?)\\u200d(?=\\p{Extended_Pictographic})|(?<=[\\p{Emoji}])\\ufe0f|([\\p{Default_Ignorable_Code_Point}\\p{Surrogate}\\ufff9-\\ufffb\\u2028\\u2029]|(?![\\n\\t])\\p{Control})/gu':
    [['', '\u200d', 'x']],
  '/(?<=[.!?])\\s|\\n/': [['', '.', 'x']],
  '/(\\p{M}{3})\\p{M}+/gu': [['', '\u0301', 'x']],
  '/[\\n,]/': [['', ',', 'x']],
  '/\\W+/g': [['', '!', 'x']],
  '/\\W/g': [['', '!', 'x']],
  '/^[1-9]$/': [['', '1', 'x']],
  '/^[a-z ]+$/': [['', 'a', '!']],
  // workbench/changes.ts
  '/^[[{]\\s*\\n([\\t ]+)/': [
    ['[', '\n', 'x'],
    ['[', ' ', 'x'],
    ['[\n', ' ', ''],
  ],
  // inspect
  '/[<\\u2028\\u2029]/g': [['', '<', '']],
  '/[&<>"\']/g': [['', '<', '']],
  '/<\\/script/gi': [['', '</scrip', '']],
  '/^(?:localhost|127\\.0\\.0\\.1|\\[::1\\])(?::\\d{1,5})?$/i': [['localhost:', '1', '']],
  '/^application\\/json\\s*(?:;|$)/i': [['application/json', ' ', 'x']],
  '/\\?(.*)/s': [['', '?', '']],
  // signature.ts
  '/^[\\w$-]+$/': [['', 'a', '!']],
  '/^[<>=!]+$/': [['', '<', 'x']],
  // document.ts
  '/<[^<>]*>/g': [
    ['', '<', ''],
    ['<', 'a', ''],
  ],
  // prompts.ts
  '/[<>]/g': [['', '<', '']],
  // scorers
  '/([a-z])[\\u0300-\\u036f]+/g': [
    ['a', '\u0301', 'x'],
    ['', 'a\u0301', 'x'],
    ['', 'a', 'x'],
  ],
  '/^[\\0-\\x7f]*$/': [['', 'a', 'é']],
  '/_(?=[\\u3040-\\u9fff])/g': [['', '_', 'x']],
  '/[^A-Za-z\\d]/g': [['', '_', 'x']],
  '/^[_.\\-/:]+/': [['', '_', 'x']],
  '/(?<=[.!?])\\s+|(?<=[。！？])\\s*|\\n+/u': [
    ['', ' ', 'x'],
    ['', '. ', ''],
    ['', '。', ''],
    ['', '\n', 'x'],
  ],
  '/_+|(?<=\\p{Ll})(?=\\p{Lu})|(?<=[^_])(?=\\p{Lu}\\p{Ll})/u': [
    ['', '_', 'x'],
    ['', 'aA', ''],
    ['', 'A', 'a'],
  ],
  '/\\s+/': [['', ' ', 'x']],
  // sources
  '/^(?:[A-Za-z_]\\w{0,62}\\.)?[A-Za-z_]\\w{0,39}$/': [
    ['', 'a', '!'],
    ['a.', 'a', '!'],
  ],
  // lint
  '/[ \\t\\r\\n]+/g': [['', ' ', 'x']],
  '/["\\\\]/g': [['', '"', '']],
  '/[\\p{C}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}]/gu': [['', '\u200b', 'x']],
  '/[^A-Za-z0-9_-]/u': [['', 'a', 'ü']],
  '/[\\t\\n\\r \\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000]{3,}/g': [
    ['', ' ', ''],
    ['', '  x', ''],
  ],
  '/[_-]/g': [['', '_', '']],
  '/^[A-Za-z_]/': [['', '1', '']],
  '/^v?\\d+$/': [['', '1', 'x']],
  '/[^\\t\\n\\r -~]/': [['', 'é', '']],
  '/[\\p{C}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}]/u': [['', 'é', '']],
  '/[\\p{Script=Arabic}\\p{Script=Devanagari}\\p{Script=Bengali}\\p{Script=Gurmukhi}\\p{Script=Gujarati}\\p{Script=Tamil}\\p{Script=Telugu}\\p{Script=Kannada}\\p{Script=Malayalam}\\p{Script=Sinhala}\\p{Script=Mongolian}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}\\p{Script=Tibetan}]/u':
    [['', 'é', '']],
  '/[\\p{Script=Arabic}\\p{Script=Hebrew}\\p{Script=Syriac}\\p{Script=Thaana}]/u': [['', 'é', '']],
  '/[\\p{Emoji}\\p{Emoji_Component}\\p{So}\\p{Sm}]/u': [['', 'é', '']],
  '/\\p{Script=Han}/u': [['', 'é', '']],
  '/\\u{1f3f4}\\u{e0067}\\u{e0062}(?:\\u{e0065}\\u{e006e}\\u{e0067}|\\u{e0073}\\u{e0063}\\u{e0074}|\\u{e0077}\\u{e006c}\\u{e0073})\\u{e007f}/gu':
    [
      ['', '\u{1f3f4}', ''],
      ['', '\u{1f3f4}\u{e0067}\u{e0062}', ''],
    ],
  '/[A-Za-z]/': [['', 'é', '']],
  '/[\\u0391\\u0392\\u0395-\\u0397\\u0399\\u039a\\u039c\\u039d\\u039f\\u03a1\\u03a4\\u03a5\\u03a7\\u03bf\\u0405\\u0406\\u0408\\u0410\\u0412\\u0415\\u041a\\u041c-\\u041e\\u0420-\\u0422\\u0425\\u0430\\u0435\\u043e\\u0440\\u0441\\u0443\\u0445\\u0455\\u0456\\u0458\\u04bb\\u0501\\u051b\\u051d]/':
    [['', 'é', '']],
  '/\\p{L}+/gu': [['', 'é', '1']],
  '/\\b(?:ignore|disregard|forget|override) (?:all |any |every |the |your |my |of |these ){0,4}(?:previous|prior|above|earlier|preceding|other|former|existing|system|safety) (?:\\w{1,20} ){0,2}(?:instruction|prompt|direction|directive|guideline|message)/':
    [
      ['', 'ignore all ', 'x'],
      ['ignore previous ', 'a', ' '],
      ['', 'ignore previous a ', 'x'],
    ],
  "/\\b(?:ignore|disregard|override) (?:what )?the user(?:'s)? (?:says|said|asks|asked|wants|request|instruction|wish|message)/":
    [['', 'ignore the user ', 'x']],
  '/\\b(?:regardless of|no matter) what the user (?:says|said|asks|asked|wants|requests)\\b/': [
    ['', 'no matter what the user ', 'x'],
  ],
  '/\\byour (?:new|real|actual|true) (?:task|goal|instruction|objective|role|purpose)/': [['', 'your new ', 'x']],
  '/\\byou are now (?:a|an|in|the|acting|operating|free|no longer)\\b/': [['', 'you are now ', 'x']],
  "/\\b(?:do not|don't|never|must not|mustn't|should not|shouldn't|without) (?:ever )?(?:tell|telling|inform|informing|alert|alerting) (?:the |any )?(?:user|human|anyone|anybody)\\b/":
    [
      ['', 'do not ', 'x'],
      ['', "don't tell ", 'x'],
    ],
  "/\\b(?:do not|don't|never|must not|mustn't|without) (?:ever )?(?:mention|mentioning|reveal|revealing|disclose|disclosing) [^.!?]{0,60}\\bto the (?:user|human)\\b/":
    [
      ['', 'never mention ', 'x'],
      ['never mention ', 'a', '!'],
    ],
  "/\\b(?:do not|don't|never|must not|mustn't|without) let(?:ting)? the (?:user|human) (?:know|see|notice)\\b/": [
    ['', 'do not let the user ', 'x'],
  ],
  '/\\b(?:hide|conceal|keep) (?:this|it|that|them) (?:\\w{1,20} ){0,2}from the (?:user|human)\\b/': [
    ['', 'hide this ', 'x'],
    ['hide this ', 'a', ' '],
  ],
  '/\\bthe (?:user|human) (?:must|should) (?:not|never) (?:know|notice|learn|find out)\\b/': [
    ['', 'the user must never ', 'x'],
  ],
  "/\\bwithout the (?:user|human)(?:'s)? (?:knowing|knowledge|consent|noticing)\\b/": [
    ['', "without the user's ", 'x'],
  ],
  '/<\\/?(?:system|system[-_ ]prompt|system[-_ ]message|system[-_ ]reminder|system[-_ ]instructions?|assistant|secret|hidden|admin)>/':
    [
      ['', '<system', ''],
      ['', '<', ''],
    ],
  '/<\\|[a-z_]{2,20}\\|>|\\[\\/?inst\\]|<<\\/?sys>>/': [
    ['', '<|', 'x'],
    ['<|', 'a', '|'],
    ['', '[', ''],
  ],
  '/\\b(?:read|open|cat|include|pass|send|copy|attach|append|put|provide|forward|upload)\\b[^!?]{0,60}(?:\\.ssh\\/|\\bid_rsa\\b|\\bid_ed25519\\b|\\.aws\\/credentials|\\/etc\\/passwd|\\/etc\\/shadow|\\.cursor\\/mcp\\.json)/':
    [
      ['', 'read ', 'x'],
      ['read ', 'a', '!'],
    ],
  '/\\b(?:include|pass|send|copy|attach|append|put|provide|forward|upload|repeat|reveal)\\b[^.!?]{0,60}\\b(?:your|the) system prompt\\b/':
    [
      ['', 'pass ', 'x'],
      ['', 'pass the system ', 'x'],
    ],
  '/\\b(?:send|forward|post|upload|copy) [^.!?]{0,40}\\b(?:conversation|chat history|messages|credentials|passwords|api keys)\\b[^.!?]{0,40} to (?:https?:|[\\w.+-]{1,40}@)/':
    [
      ['', 'send messages ', 'x'],
      ['send messages to ', 'a', ' '],
      ['', 'send messages to a', ''],
    ],
  '/\\b(?:before|prior to|after|instead of) (?:you )?(?:(?:us|call|runn|invok|execut)ing |use |call |run |invoke )?(?:any|all|every|each) (?:other |of the )?tools?\\b/':
    [
      ['', 'before ', 'x'],
      ['', 'before using any other ', 'x'],
    ],
  '/\\b(?:any|all|every) other tools? (?:must|should|is|are)\\b/': [['', 'any other tool ', 'x']],
  '/\\bwhen(?:ever)? (?:this|the) [^.!?]{0,30}\\btool is (?:available|present|installed|loaded)\\b/': [
    ['', 'when the ', 'x'],
    ['', 'when the tool is ', 'x'],
  ],
  '/<\\/?important>/': [['', '<', 'important']],
  '/\\b(?:must|always|you should always) (?:always |first )?(?:call|use|invoke|run) this (?:tool|function)\\b/': [
    ['', 'always ', 'x'],
    ['', 'must always call this ', 'x'],
  ],
  '/\\b(?:call|use|run|invoke) this (?:tool |function )?first\\b/': [['', 'call this ', 'x']],
  '/\\s+/g': [['', ' ', 'x']],
  '/[\\u2018\\u2019\\u02bc]/g': [['', 'é', '']],
  '/[\\p{M}\\p{Cf}\\p{Default_Ignorable_Code_Point}]+/gu': [['', 'é', '']],
  '/[A-Za-z][\\w-]{3,63}/g': [
    ['', 'a', ''],
    ['', 'ab', '!'],
  ],
  '/[a-z0-9][_-][A-Za-z0-9]|[a-z][A-Z]/': [['', 'é', '']],
  '/\\b(?:ignore|disregard|forget|override) (?:all |any |every |the |your |my |of |these ){0,4}(?:previous|prior|above|earlier|preceding|other|former|existing|system|safety) (?:\\w{1,20} ){0,2}(?:instruction|prompt|directive|guideline)(?!s? (?:of|for|in) (?:a|an|another)\\b)/':
    [
      ['', 'ignore all ', 'x'],
      ['ignore previous ', 'a', ' '],
      ['', 'ignore previous a ', 'x'],
    ],
  '/\\byour (?:new|real|actual|true) (?:task|goal|instruction|objective|role|purpose)s? (?:is|are) (?:to|now)\\b/': [
    ['', 'your new task ', 'x'],
  ],
  '/(?:^|[.!?:;>,)"\\]] ?|\\b(?:and|that) )you are now (?:a|an|in|the|acting|operating|free|no longer)\\b/': [
    ['', '. you are now ', 'x'],
  ],
  "/\\b(?:do not|don't|never|must not|mustn't|should not|shouldn't|without) (?:ever )?(?:tell|telling|inform|informing|alert|alerting) (?:the |any )?(?:user|human|anyone|anybody)(?: ?(?:[.,;:!?)\"'\\]]|$)| (?:about|of|and|or|but|anything|what|why|how|this|it|you|because|since|as)\\b| that (?:you|we|i|this)\\b)/":
    [['', "don't tell the user ", 'x']],
  "/\\b(?:do not|don't|never|must not|mustn't|without) (?:ever )?(?:mention|mentioning|reveal|revealing|disclose|disclosing) (?:this|that|it|these|those|them|your|any of|the (?:instruction|prompt|tool|step|note|fact))[^.!?]{0,60}\\bto the (?:user|human)\\b/":
    [
      ['', 'never mention this ', 'x'],
      ['never mention this ', 'a', '!'],
    ],
  '/<(system|system[-_ ]prompt|system[-_ ]message|system[-_ ]reminder|system[-_ ]instructions?|assistant|secret|hidden|admin)>[^<]{1,400}<\\/\\1>/':
    [
      ['', '<system>', ''],
      ['<system>', 'a', ''],
    ],
  '/\\[inst\\][^[]{1,400}\\[\\/inst\\]|<<sys>>[^<]{1,400}<<\\/sys>>|<\\|[a-z_]{2,20}\\|> ?(?:system|user|assistant)\\b/':
    [
      ['', '[inst]', ''],
      ['', '<<sys>>', ''],
      ['<|', 'a', '|'],
    ],
  '/\\b(?:read|open|cat|include|pass|send|copy|attach|provide|forward|upload|contents? of)\\b[^!?]{0,60}(?<! (?:in|into|to|under) [~$/\\w]{0,20})(?:\\.ssh\\/|\\bid_rsa\\b|\\bid_ed25519\\b|\\.aws\\/credentials|\\/etc\\/passwd|\\/etc\\/shadow|\\.cursor\\/mcp\\.json)/':
    [
      ['', 'read ', 'x'],
      ['read ', 'a', '!'],
      ['', 'read .ssh/ ', 'x'],
    ],
  '/\\b(?:include|pass|send|copy|attach|append|put|provide|forward|upload|repeat|reveal)\\b[^.!?]{0,60}\\byour system prompt\\b/':
    [
      ['', 'pass ', 'x'],
      ['', 'pass your system ', 'x'],
    ],
  '/[*`]/g': [['', '*', '']],
  '/\\b[A-Za-z0-9](?: [A-Za-z0-9]\\b){2,}/g': [
    ['', 'a ', ''],
    ['', 'a', ''],
  ],
  '/(?<=[A-Za-z0-9])[._]+(?=[A-Za-z0-9])/g': [
    ['', 'a_', ''],
    ['a', '.', ''],
  ],
  '/[\\u0391-\\u03c1\\u0405-\\u0458\\u04bb\\u0501\\u051b\\u051d]/g': [['', 'а', '']],
  '/[.!?\\n]/': [['', 'é', '']],
  "/\\b(?:(?:do not|don't|never|stop|no longer) (?:\\w{1,20} ){0,2}(?:use|using|call|calling|run|running)|instead of|rather than|in place of|replaces?|supersedes?|deprecated)\\b/i":
    [['', 'instead o', 'x']],
  '/_ids?$/': [['', '_id', 'x']],
  '/\\b(?:must|always|whenever|when|before|after|first)\\b/i': [['', 'whe', 'x']],
  // suggest-keywords/validation.ts
  '/[<>{}[\\]`\\\\|]|:\\/\\/|www\\.|@/': [
    ['', ':/', 'x'],
    ['', 'ww', 'x'],
  ],
  // preselect
  '/(?<=[.!?;])\\s+|(?<=[。！？；])|\\n+/': [
    ['', ' ', 'x'],
    ['', '. ', ''],
    ['', '。', ''],
    ['', '\n', 'x'],
  ],
  '/(?:,\\s*|\\s)(?=(?:and then|and also|after that|then)\\s)|,\\s+(?=(?:and|also|but|so)\\s)/i': [
    ['', ', ', 'x'],
    [',', ' ', 'x'],
    ['', ' then', ''],
  ],
  // registry
  '/^(?:Error: )?Tool "([\\s\\S]{1,256}?)" not found\\b/': [
    ['Tool "', 'x', ''],
    ['Tool "', '" not foun', ''],
  ],
  '/[^!-~]|[%:{}]/g': [['', 'ü', '']],
  '/%([0-9a-f]{4})/g': [['', '%000', '']],
  '/[%\\0]|\\p{Surrogate}/gu': [['', '\ud83d', '']],
  // query.ts
  '/^\\s*select\\s*:/i': [
    ['', ' ', 'select'],
    ['select', ' ', 'x'],
  ],
  '/[\\s,;，、；،؛]+/u': [['', ' ', 'x']],
  '/[\\p{L}\\p{N}]/u': [['', '-', '']],
  '/^[^\\p{L}\\p{M}\\p{N}_]+/u': [['', '!', 'x']],
  '/[\\p{L}\\p{M}\\p{N}_+#]/u': [['', '!', '']],
  '/[^"\'`]/': [['', '"', '']],
  '/^[^\\p{L}\\p{N}]*\\+/u': [
    ['', '!', 'x'],
    ['', '!', ''],
  ],
  '/^[^\\p{L}\\p{N}]*\\p{L}/u': [['', '!', '1']],
  '/^["\'`]+/': [['', '"', 'x']],
  '/[.!?:;\\n。！？：；]/': [['', ',', '']],
  // words.ts
  '/^[a-z]{1,64}$/': [['', 'a', '!']],
  '/^[A-Za-z\\d]\\w*$/': [['', 'a', '!']],
  '/^\\d+$/': [['', '1', 'x']],
  '/[\\p{L}\\p{M}\\p{N}]+/gu': [['', 'a', '!']],
  '/(\\p{Script=Latin})\\p{Mn}+/gu': [
    ['a', '\u0301', ''],
    ['', 'a', ''],
  ],
  '/(?<!\\p{M})(\\p{M}{30})\\p{M}+/gu': [
    ['', '\u0301', ''],
    ['', `${'\u0301'.repeat(30)}a`, ''],
  ],
  "/(?:(?:ca|wo)?n['\\u2019]t|(?<=[\\p{L}\\p{N}])['\\u2019](?:s|m|d|re|ve|ll))(?![\\p{L}\\p{M}\\p{N}])/giu": [
    ['', "can't", 'x'],
    ['a', "'", 's'],
  ],
  "/(?:(?:ca|wo)?n't|(?<=[a-z\\d])'(?:s|m|d|re|ve|ll))(?![a-z\\d])/gi": [
    ['', "can't", 'x'],
    ['a', "'", 's'],
  ],
  '/(?<![A-Za-z\\d])[A-Z\\d][A-Za-z\\d]*|[A-Z]+(?![a-z])(?:\\d[a-z\\d]*)?|[A-Z]?[a-z\\d]+/g': [
    ['', 'A', '!'],
    ['a', 'A', 'a'],
    ['a', 'AB', 'b1'],
    ['', '1a', ''],
  ],
  '/[A-Z]+(?![a-z])(?:\\d[a-z\\d]*)?|[A-Z]?[a-z\\d]+/g': [
    ['', 'A', 'a'],
    ['', 'A1', '!'],
    ['', 'aA', ''],
  ],
  '/[\\u0080-\\uffff]/': [['', 'a', 'é']],
  '/[\\ufe00-\\ufe0f]/g': [['', '\ufe0f', '']],
  '/[\\u0e00-\\u0eff\\u1000-\\u109f\\u1780-\\u17ff\\u3005-\\u303b\\u3040-\\u30fa\\u30fd-\\u30ff\\u31f0-\\u31ff\\u3400-\\u9fff\\ua9e0-\\ua9ff\\uaa60-\\uaa7f\\uf900-\\ufaff]|[\\ud82b\\ud82c\\ud840-\\ud88d]/':
    [['', 'a', '']],
  '/[\\u02f0-\\u1fff\\u20a0-\\u20ff\\u2ce0-\\u2dff\\u3020-\\u302f\\u3098-\\u309a\\ua600-\\uabff\\ufb00-\\ufe2f\\ud800-\\udfff]/':
    [['', 'a', '']],
  '/[\\uac00-\\ud7a3]/': [['', 'a', '']],
  '/[\\uac00-\\ud7a3][\\uac00-\\ud7a3\\p{M}]*|[^\\uac00-\\ud7a3]+/gu': [
    ['', '가', ''],
    ['', 'a', '가'],
  ],
  '/(?<=[\\p{Ll}\\p{N}])(?=\\p{Lu})|(?<=\\p{Lu})(?=\\p{Lu}\\p{Ll})/u': [
    ['', 'aA', ''],
    ['', 'A', ''],
  ],
  // sources/postgres/near-words.ts
  '/^[a-z0-9]+$/': [['', 'a', 'é']],
  '/^[a-z]+$/': [['', 'a', '!']],
  '/[\\u00a0-\\u00a9\\u00ab-\\u00b1\\u00b4\\u00b6-\\u00b8\\u00bb\\u00bf\\u2010-\\u2027\\u2030-\\u205e\\u2190-\\u245f\\u2500-\\u2775\\u2794-\\u27bf]|\\ufe0f|[\\ud83c-\\ud83e][\\udc00-\\udfff]/g':
    [['', '\ud83d', '']],
  '/^\\p{Ll}/u': [['', 'A', '']],
  // names.ts
  '/^\\p{Lu}\\p{Ll}+$/u': [['A', 'a', '!']],
  '/^\\p{Lu}|[\\d@/:.]/u': [['', 'a', '']],
  // native
  '/^(?:anthropic|bedrock\\.anthropic|vertex\\.anthropic|googleVertex\\.anthropic)\\.messages$/': [
    ['', 'anthropic.', ''],
  ],
  '/^openai\\.responses$/': [['', 'openai.', '']],
  '/(?:^|[./])claude-([a-z]+)-(\\d{1,2})(?:[-.](\\d{1,2}))?(?!\\d)/': [
    ['claude-', 'a', ''],
    ['', '/claude-a', ''],
    ['claude-a-', '1', ''],
  ],
  '/-nano(?![a-z0-9])/': [['', '-nano', 'a']],
  '/^gpt-(\\d{1,2})(?:\\.(\\d{1,2}))?(?![\\d.])/': [['gpt-', '1', '']],
  '/[^A-Za-z0-9_-]/gu': [['', 'ü', '']],
  '/tool[ _-]?search|tool[ _-]?references?\\b|defer_loading|deferLoading|deferred tool|namespace for function_call/i': [
    ['', 'tool reference', 'x'],
    ['', 'tool', ''],
  ],
  '/tool_addition|tool_removal|tool_definition|inline[ _-]tools?|mid-conversation|additional_?tools|role [\'"]?system|tool_reference_unresolved|available_tools_limit|tool_name_conflict|invalid (?:anthropic|openai) provider options|any expected variant/i':
    [['', 'inline tool', 'x']],
  '/must (?:follow|precede)|tool_reference_unresolved|available_tools_limit|tool_name_conflict|provider options|Duplicate/i':
    [['', 'must precede', 'x']],
  '/bound to a different conversation/i': [['', 'bound to a different ', '']],
  '/namespace for function_call|not found|was found without|without its required/i': [['', 'was found ', '']],
  '/missing namespace for function_call/i': [['', 'missing namespace ', '']],
  '/\\p{Surrogate}/gu': [['', '\ud83d', '']],
  // catalog
  '/.{1,100}(?![\\p{L}\\p{N}])|.{1,100}/gsu': [['', 'a', '']],
  '/^[A-Za-z0-9_-]+$/': [['', 'a', '!']],
  '/^[A-Za-z_][A-Za-z0-9_-]{0,62}$/': [['', 'a', '!']],
  '/[^a-zA-Z0-9_-]/g': [['', 'ü', '']],
  '/^[a-zA-Z_]/': [['', 'a', '']],
  '/^tool-[0-9a-z]{1,7}$/': [['tool-', 'a', '']],
};

/** What many expressions stumble over. */
const USUAL: readonly Shape[] = ['a', '-', '"', ' ', '\u0301', '+'].map((unit) => ['x', unit, 'x']);

const textOf = ([start, unit, end]: Shape, length: number): string =>
  start + unit.repeat(Math.ceil(length / unit.length)) + end;

/** Tried, cut at its matches, and cut out, whichever of these src does. */
async function isLinearFor(literal: string, shapes: readonly Shape[]): Promise<boolean> {
  const regex = regexOf(literal);
  const all = new RegExp(regex, regex.global ? regex.flags : `${regex.flags}g`);
  for (const shape of shapes) {
    for (const apply of [
      (text: string) => text.search(regex),
      (text: string) => text.replace(all, ''),
      (text: string) => text.split(regex),
    ]) {
      const texts = new Map<number, string>();
      const work = (length: number): unknown => {
        const text = texts.get(length) ?? textOf(shape, length);
        texts.set(length, text);
        return apply(text);
      };
      if (!(await isLinear(work))) return false;
    }
  }
  return true;
}

describe('a regular expression of src', () => {
  const literals = [...new Set(regexesInSource().map(({ text }) => text))];

  it('is a literal with its worst input in the table, and the table has no others', () => {
    expect(literals.length).toBeGreaterThan(40);
    expect(literals.toSorted()).toEqual(Object.keys(WORST).toSorted());
  });

  it('is made at its first use where it has classes of Unicode, as those make an import slow', () => {
    expect(regexesInSource().filter(({ text, isLazy }) => text.includes(String.raw`\p{`) && !isLazy)).toEqual([]);
  });

  it.each(literals)('takes time that grows with its input, not with the square of it: %s', async (literal) => {
    expect(await isLinearFor(literal, [...(WORST[literal] ?? []), ...USUAL])).toBe(true);
  });

  it.each([
    { literal: '/[^\\p{L}\\p{N}]+$/u', what: 'the end of a pattern', shape: ['x', '-', 'x'] as Shape },
    { literal: `/^["'\`]+|["'\`]+$/g`, what: 'quotes at both ends', shape: ['x', '"', 'x'] as Shape },
    {
      literal: '/^[^\\p{L}\\p{M}\\p{N}_+]+|[^\\p{L}\\p{M}\\p{N}_+#]+$/gu',
      what: 'punctuation at both ends',
      shape: ['x', '!', 'x'] as Shape,
    },
    {
      literal: '/(?<=\\p{Script=Latin}\\p{Mn}*)\\p{Mn}/gu',
      what: 'marks behind a letter',
      shape: ['x', '\u0301', ''] as Shape,
    },
  ])('is told from one that grows with the square: $literal, $what', async ({ literal, shape }) => {
    expect(await isQuadratic((length) => textOf(shape, length).replace(regexOf(literal), ''), 1_000)).toBe(true);
  });
});

describe('text that a model or a user writes', () => {
  const tools = toolRecord(tool('read_file', 'Read a file.'), tool('send_email', 'Send an email.'));
  const texts: readonly { what: string; shape: Shape }[] = [
    { what: 'separators in a pattern', shape: ['a', '-', 'a*'] },
    { what: 'words in a pattern', shape: ['', 'a-', '*'] },
    { what: 'quotes in a select:', shape: ['select:x', '"', 'x'] },
    { what: 'names in a select:', shape: ['select:', 'a,', ''] },
    { what: 'patterns in a select:', shape: ['select:', 'a-*,', ''] },
    { what: 'plus signs', shape: ['', '+', 'a'] },
    { what: 'required words', shape: ['', '+a ', ''] },
    { what: 'punctuation', shape: ['a', '!', 'a'] },
    { what: 'marks of Latin', shape: ['a', '\u0301', ''] },
    { what: 'marks out of order', shape: ['a', '\u0301\u0323\u0345', ''] },
    { what: 'marks of Hebrew', shape: ['א', '\u05b0\u05bc', ''] },
    { what: 'changes of case', shape: ['', 'aA', ''] },
    { what: 'words without spaces', shape: ['', '天气', ''] },
  ];
  const options = { length: 12_500, noise: 5 };

  it.each(texts)('takes meta-tools and search() time that grows with its length: $what', async ({ shape }) => {
    const session = new Session({ tools });
    const { tools: sent } = await session.step();
    const ways: ((text: string) => unknown)[] = [
      (query) => sent['search_tools']?.execute?.({ query } as never, {} as never),
      (toolName) => sent['load_tool']?.execute?.({ toolName } as never, {} as never),
      (text) => session.processor.search(text),
    ];
    for (const way of ways) expect(await isLinear((length) => way(textOf(shape, length)), options)).toBe(true);
  });

  it.each(texts)(
    'takes parseQuery(), words(), splitIdentifier() and clean() time that grows with its length: $what',
    async ({ shape }) => {
      for (const read of [parseQuery, words, splitIdentifier, (text: string) => clean(text, 100)]) {
        expect(await isLinear((length) => read(textOf(shape, length)), { length: 2_500, noise: 1 })).toBe(true);
      }
    },
  );
});
