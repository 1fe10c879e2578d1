import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { hashOf } from '../shell/route.ts';
import { shownText } from './shown-text.ts';

/** A text of the data. It is shown as text, apart from the writing direction around it, and nothing in it is hidden. */
export function Text({ of }: { readonly of: string }): JSX.Element {
  return <bdi>{shownText(of)}</bdi>;
}

/** The name of a tool, as a link to it. */
export function ToolLink({ name, isRow }: { readonly name: string; readonly isRow?: boolean }): JSX.Element {
  return (
    <a class="mono" href={hashOf('tools', name)} title={shownText(name)} {...(isRow ? { 'data-row': '' } : {})}>
      <ShortName of={name} />
    </a>
  );
}

/** A line of a list: a text with what is to say of it. */
export interface Line {
  readonly text: string;
  /** Where it leads; left out where it leads nowhere. */
  readonly href?: string | undefined;
  readonly note?: string;
  /** What stands below, on one line. */
  readonly below?: string | undefined;
  /** The class of the note. */
  readonly colour?: string;
  readonly isCurrent?: boolean;
}

/** Links below each other, which the arrow keys walk through. */
export function Lines({ of }: { readonly of: readonly Line[] }): JSX.Element {
  return (
    <ul class="rows" data-list>
      {of.map(({ text, href, note = '', below, colour = 'muted', isCurrent }, at) => (
        <li key={`${at} ${text}`}>
          {href === undefined ? (
            <Text of={text} />
          ) : (
            <a data-row href={href} aria-current={isCurrent || undefined}>
              <Text of={text} />
            </a>
          )}{' '}
          <span class={`small number ${colour}`}>{note}</span>
          {below !== undefined && (
            <p class="small muted one-line">
              <Text of={below} />
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}

interface CardProps {
  readonly title: string;
  readonly href: string;
  readonly children: ComponentChildren;
}

/** A part of a view, whose title leads to all of it. */
export function Card({ title, href, children }: CardProps): JSX.Element {
  return (
    <section class="panel">
      <h3>
        <a href={href}>{title}</a>
      </h3>
      {children}
    </section>
  );
}

/** Characters of a name in a row. */
const MAX_NAME = 80;

/** A name, which may be broken behind an underscore; a very long one without its middle. */
export function ShortName({ of }: { readonly of: string }): JSX.Element {
  const name = of.length > MAX_NAME ? `${of.slice(0, MAX_NAME - 20)}…${of.slice(-20)}` : of;
  const parts = shownText(name).split('_');
  return <bdi>{parts.flatMap((part, at) => (at === 0 ? [part] : ['_', <wbr key={at} />, part]))}</bdi>;
}

/** A share from 0 to 1 as a bar. The number stands beside it, for those who do not see it. */
export function Bar({ share }: { readonly share: number }): JSX.Element {
  return (
    <svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
      <rect class="bar-all" width="100" height="10" />
      <rect class="bar-part" width={100 * Math.min(1, Math.max(0, share))} height="10" />
    </svg>
  );
}

/** A text in lines, which scrolls by itself. */
export function Code({ label, children }: { label: string; children: ComponentChildren }): JSX.Element {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys.
    <section class="code" tabIndex={0} aria-label={label}>
      <pre>{children}</pre>
    </section>
  );
}

/** The words of the page, each in a sentence. */
const TERMS = {
  first:
    'The share of the cases in which a wanted tool comes first. On 95 of 100 other draws of the cases, a share lies in the interval beside it.',
  among: 'The share of what the cases want that is among the results the model is shown.',
  ndcg: 'nDCG@10: how high the wanted tools stand among the first ten. 100 % is all of them in front.',
  nothing: 'Cases that want a tool, and find none: nothing matches, or the model is told so, and not shown the tool.',
  verdicts: 'Cases of which the model is told that nothing fits, and a wanted tool is shown; or the other way round.',
  confidence: 'How likely a tool is what was asked for, between 0 and 100 %.',
  findings: 'Flaws that lint finds in the definition.',
  tokens: 'What the definition costs in a prompt, estimated.',
  won: 'Cases that want this tool, and it comes first.',
  lost: 'Cases that want this tool, and one that they do not want comes first.',
  wonBy: 'The tool that came first instead.',
  rest: 'What a tool has for covering all of the request, and for its name.',
  meaning: 'How close the tool comes to the request by the table of word vectors, whatever its words are.',
  tool: 'For doing what the request asks for, as reading or deleting, and for a short description.',
} as const;

/** What makes a word of the page explain itself: {@link Tip} does it beside it, where the pointer or the focus is. */
export function explained(of: string): { readonly 'data-tip'?: string; readonly 'aria-description'?: string } {
  const text = Object.hasOwn(TERMS, of) ? TERMS[of as keyof typeof TERMS] : undefined;
  return text === undefined ? {} : { 'data-tip': text, 'aria-description': text };
}

/** A word of the page that explains itself. */
export function Term({ of, children }: { of: keyof typeof TERMS; children: ComponentChildren }): JSX.Element {
  return (
    <button type="button" class="term" {...explained(of)}>
      {children}
    </button>
  );
}

/** A button that copies a text, and says so. */
export function CopyButton({ what, text }: { readonly what: string; readonly text: string }): JSX.Element {
  const [said, say] = useState('');
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      say('Copied');
    } catch {
      say('The browser does not let it be copied');
    }
    setTimeout(() => say(''), 2_000);
  };
  return (
    <>
      <button type="button" onClick={() => void copy()}>
        {said === '' ? `Copy ${what}` : said}
      </button>
      <span class="unseen" role="status">
        {said}
      </span>
    </>
  );
}

/** Hands a text to the browser as a file. */
export function download(name: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/octet-stream' }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1_000);
}

/** Whole numbers with separators: 12,345. */
export function numberText(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/** A share from 0 to 1 in percent; small ones with a digit behind the point. */
export function percentText(share: number): string {
  const percent = 100 * share;
  return `${percent > 0 && percent < 9.95 ? percent.toFixed(1) : Math.round(percent)} %`;
}

/** A count with its noun: 1 case, 2 cases. */
export function countText(count: number, one: string, many = `${one}s`): string {
  return `${numberText(count)} ${count === 1 ? one : many}`;
}
