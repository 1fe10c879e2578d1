import { cut, lazyRegex } from '../../kit.ts';
import type { LintedCatalog, LintedTool } from './catalog.ts';

/**
 * How bad a finding is: an `error` keeps a tool from being found, called or trusted, a `warning` makes that less likely, an
 * `info` is good to know.
 *
 * @example
 * ```ts
 * const failing: readonly LintSeverity[] = ['error', 'warning'];
 * ```
 */
export type LintSeverity = 'error' | 'warning' | 'info';

/**
 * What a rule is about.
 *
 * @example
 * ```ts
 * const line = ({ summary, help }: LintRuleDescription) => `${summary} ${help}`;
 * ```
 */
export interface LintRuleDescription {
  /** What is wrong with a tool that it finds. */
  readonly summary: string;
  /** Why it matters, and what helps. */
  readonly help: string;
}

export interface Flaw {
  readonly severity: LintSeverity;
  /** The name by which the model calls the tool; of a tool that cannot be taken, the one it would have. */
  readonly toolName: string;
  /** The other tools of the finding, by their names. */
  readonly others?: readonly string[];
  /** The place in the definition: `description`, or a parameter as `filter.state`. Left out where it is the whole tool. */
  readonly path?: string;
  /** What is wrong, in a sentence. Texts of tools are quoted, cut, and what is not seen in them is escaped. */
  readonly evidence: string;
  /** What to do about it, in a sentence. */
  readonly remedy: string;
}

/** One check of a catalog. */
export interface Run extends LintedCatalog {
  /** The tools that are checked; the others still count in searches. */
  readonly chosen: readonly LintedTool[];
  /** Lets others have their turn where that is due. */
  pause(): Promise<void>;
}

/** A rule: what it is about, and how it finds flaws. It runs in browsers too. */
export interface Rule extends LintRuleDescription {
  /** Looks at one tool. */
  readonly ofTool?: (tool: LintedTool) => ToolFlaw | undefined;
  /** Looks at tools beside others. */
  readonly ofCatalog?: (run: Run) => readonly Flaw[] | Promise<readonly Flaw[]>;
}

/** A flaw of the tool that a rule looks at. */
export type ToolFlaw = Omit<Flaw, 'toolName'>;

/** Rules by their names: the keys of the groups are all rules that there are. */
export type Rules<Name extends string> = Readonly<Record<Name, Rule>>;

/** What to do about a text that misleads the model. */
export const DISTRUST = 'Say only what the tool does. If the text is not yours, do not trust its server.';

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

export function list(names: readonly string[], most = 5): string {
  const shown = names.slice(0, most).map((name) => quote(name, 64));
  return names.length > most ? `${shown.join(', ')} and ${names.length - most} more` : shown.join(', ');
}

export function count(number: number, noun: string): string {
  return `${number.toLocaleString('en-US')} ${noun}${number === 1 ? '' : 's'}`;
}

function codeOf(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
