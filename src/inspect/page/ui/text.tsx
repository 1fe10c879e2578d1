import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { hashOf } from '../shell/route.ts';
import { shownText } from './shown-text.ts';

/** Shows a text of the data as text, isolated from the writing direction around it, with invisible characters made visible. */
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

/** A line of a list: a text and remarks on it. */
export interface Line {
  readonly text: string;
  /** The target of the line's link; absent if it has none. */
  readonly href?: string | undefined;
  readonly note?: string;
  /** A text below, on one line. */
  readonly below?: string | undefined;
  /** The class of the note. */
  readonly colour?: string;
  readonly isCurrent?: boolean;
}

/** A list of links, through which the arrow keys move. */
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

/** A part of a view whose title links to the whole. */
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

/** Limit of characters of a name in a row. */
const MAX_NAME = 80;

/** A name that may wrap after an underscore; a very long one is shown without its middle. */
export function ShortName({ of }: { readonly of: string }): JSX.Element {
  const name = of.length > MAX_NAME ? `${of.slice(0, MAX_NAME - 20)}…${of.slice(-20)}` : of;
  const parts = shownText(name).split('_');
  return <bdi>{parts.flatMap((part, at) => (at === 0 ? [part] : ['_', <wbr key={at} />, part]))}</bdi>;
}

/** A share from 0 to 1 as a bar. Screen readers get the number beside it. */
export function Bar({ share }: { readonly share: number }): JSX.Element {
  return (
    <svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
      <rect class="bar-all" width="100" height="10" />
      <rect class="bar-part" width={100 * Math.min(1, Math.max(0, share))} height="10" />
    </svg>
  );
}

/** A text in lines, in a scrollable box. */
export function Code({ label, children }: { label: string; children: ComponentChildren }): JSX.Element {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys.
    <section class="code" tabIndex={0} aria-label={label}>
      <pre>{children}</pre>
    </section>
  );
}

/** The terms of the page, each explained in a sentence. */
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

/** Attributes that explain a term: {@link Tip} shows the explanation beside the hovered or focused element. */
export function explained(of: string): { readonly 'data-tip'?: string; readonly 'aria-description'?: string } {
  const text = Object.hasOwn(TERMS, of) ? TERMS[of as keyof typeof TERMS] : undefined;
  return text === undefined ? {} : { 'data-tip': text, 'aria-description': text };
}

/** A term of the page with its explanation. */
export function Term({ of, children }: { of: keyof typeof TERMS; children: ComponentChildren }): JSX.Element {
  return (
    <button type="button" class="term" {...explained(of)}>
      {children}
    </button>
  );
}

/** A button that copies a text, and confirms it. */
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

/** Downloads a text as a file. */
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

/** A share from 0 to 1 in percent; small ones have one decimal. */
export function percentText(share: number): string {
  const percent = 100 * share;
  return `${percent > 0 && percent < 9.95 ? percent.toFixed(1) : Math.round(percent)} %`;
}

/** A count with its noun: 1 case, 2 cases. */
export function countText(count: number, one: string, many = `${one}s`): string {
  return `${numberText(count)} ${count === 1 ? one : many}`;
}
