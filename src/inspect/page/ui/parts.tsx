import type { ComponentChildren, JSX } from 'preact';
import { type Inputs, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { contentWords, lazyRegex, type MatchExplanation, stem, words } from '../../../kit.ts';
import type { CaseReport } from '../engine/engine.ts';
import { usePage } from '../shell/context.ts';
import { shownText } from './shown-text.ts';
import { countText, numberText, Text } from './text.tsx';

/** What is known of an answer. */
export interface Answered<Answer> {
  /** The last answer that came, which may be to an earlier question. */
  readonly value?: Answer;
  /** Whether the answer to the last question takes its time. */
  readonly isPending: boolean;
  /** Why there is none. */
  readonly error?: string;
}

/** Milliseconds after which an answer takes its time: most come at once, and nothing has to be drawn before. */
const PATIENCE = 80;

/**
 * Asks whenever one of the inputs is another, and keeps the answer before until the next one is there. One question is
 * asked at a time, and of those that come meanwhile the last: who types is faster than thousands of tools are ranked.
 */
export function useAnswer<Answer>(ask: (signal: AbortSignal) => Promise<Answer>, inputs: Inputs): Answered<Answer> {
  const [answered, setAnswered] = useState<Answered<Answer>>({ isPending: true });
  const running = useRef<Promise<unknown>>(Promise.resolve());
  useEffect(() => {
    const { signal, abort } = withAbort();
    const timer = setTimeout(() => setAnswered((before) => ({ ...before, isPending: true })), PATIENCE);
    const take = (next: Answered<Answer>): void => {
      clearTimeout(timer);
      if (!signal.aborted) setAnswered(next);
    };
    running.current = running.current.then(async () => {
      if (signal.aborted) return;
      await ask(signal).then(
        (value) => take({ value, isPending: false }),
        (error: unknown) => take({ isPending: false, error: error instanceof Error ? error.message : String(error) }),
      );
    });
    return () => {
      clearTimeout(timer);
      abort();
    };
  }, inputs);
  return answered;
}

function withAbort(): { readonly signal: AbortSignal; abort(): void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}

/** The scorer of the page that ranks the cases: the one of the address, else the first; and the choice of it. */
export function useScorer(): { readonly scorer: string; readonly choice: JSX.Element | null } {
  const { data, route, set } = usePage();
  const names = data.scorers.flatMap(({ name, isLocal }) => (isLocal ? [name] : []));
  const chosen = route.settings.get('scorer') ?? '';
  const scorer = names.includes(chosen) ? chosen : (names[0] ?? '');
  const [own] = data.scorers;
  const choice =
    names.length < 2 ? null : (
      <span class="small">
        <Select label="Scorer" value={scorer} options={names} change={(name) => set({ scorer: name })} />{' '}
        {own && !own.isLocal && (
          <span class="muted">
            Ranked with the page’s {scorer}, not with <Text of={own.name} />, which only the server runs.
          </span>
        )}
      </span>
    );
  return { scorer, choice };
}

/** The cases, ranked with a scorer of the page. */
export function useCases(scorer: string): Answered<CaseReport | undefined> {
  const { engine, edits } = usePage();
  return useAnswer(async () => (scorer === '' ? undefined : engine.cases(scorer)), [edits, scorer]);
}

/** Stands for the cases that are being searched for. */
export function CasesWaiting({ answered }: Pick<WaitingProps, 'answered'>): JSX.Element {
  const { data, engine } = usePage();
  const all = data.cases?.length ?? 0;
  const progress = async (): Promise<readonly [number, number]> => [await engine.progress(), all];
  return <Waiting doing={`Searching for ${countText(all, 'case')}`} {...{ answered, progress }} />;
}

interface SelectProps {
  readonly label: string;
  /** Whether the label is for screen readers alone. */
  readonly isBare?: boolean;
  readonly value: string;
  /** Values, and what is shown of each where it is something else. */
  readonly options: readonly (string | readonly [value: string, text: string])[];
  change(value: string): void;
}

export function Select({ label, isBare, value, options, change }: SelectProps): JSX.Element {
  return (
    <label class="small">
      {!isBare && `${label} `}
      <select
        value={value}
        aria-label={isBare ? label : undefined}
        onChange={({ currentTarget }) => change(currentTarget.value)}
      >
        {options.map((option) => {
          const [key, text] = typeof option === 'string' ? [option, option] : option;
          return (
            <option key={key} value={key}>
              {shownText(text)}
            </option>
          );
        })}
      </select>
    </label>
  );
}

interface ChoiceProps<Key extends string> {
  readonly legend: string;
  readonly value: Key;
  readonly options: readonly (readonly [key: Key, text: string])[];
  change(key: Key): void;
}

/** A choice of one among a few, all in sight. */
export function Choice<Key extends string>({ legend, value, options, change }: ChoiceProps<Key>): JSX.Element {
  return (
    <fieldset class="choice">
      <legend class="unseen">{legend}</legend>
      {options.map(([key, text]) => (
        <label key={key}>
          <input type="radio" name={legend} checked={key === value} onChange={() => change(key)} />
          <span>{text}</span>
        </label>
      ))}
    </fieldset>
  );
}

interface PagedProps<Row> {
  readonly rows: readonly Row[];
  /** Rows that are there at first, and that each press adds. */
  readonly size?: number | undefined;
  readonly children: (rows: readonly Row[]) => ComponentChildren;
}

/** The first rows of a long list, and a button for more: thousands at once would make the page slow. */
export function Paged<Row>({ rows, size = 100, children }: PagedProps<Row>): JSX.Element {
  const [count, setCount] = useState(size);
  const left = rows.length - count;
  return (
    <>
      {children(rows.slice(0, count))}
      {left > 0 && (
        <button type="button" class="more" onClick={() => setCount(count + size)}>
          Show {numberText(Math.min(size, left))} more of {numberText(left)}
        </button>
      )}
    </>
  );
}

interface WaitingProps {
  readonly answered: Pick<Answered<unknown>, 'error'>;
  /** What is being done: "Counting tokens". */
  readonly doing: string;
  /** How many of how many are done, where that is known. */
  progress?(): Promise<readonly [done: number, all: number]>;
}

/** Stands for what is not there yet, or failed: lines to come, and how far it is. */
export function Waiting({ answered: { error }, doing, progress }: WaitingProps): JSX.Element {
  const [far, setFar] = useState<readonly [done: number, all: number]>();
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => {
      setSeconds((before) => before + 1);
      void progress?.().then(setFar);
    }, 1_000);
    return () => clearInterval(timer);
  }, []);
  if (error !== undefined)
    return (
      <p class="bad" role="alert">
        {doing} failed: {shownText(error)}
      </p>
    );
  return (
    <div class="waiting">
      <p class="muted" role="status">
        {doing}…
      </p>
      {seconds > 0 && (
        <p class="muted small">
          <progress aria-label={doing} {...(far ? { value: far[0], max: far[1] } : {})} />{' '}
          {far ? `${numberText(far[0])} of ${numberText(far[1])}` : `${seconds} s`}
        </p>
      )}
      <span class="skeleton" aria-hidden="true" />
      <span class="skeleton" aria-hidden="true" />
    </div>
  );
}

interface FieldProps {
  readonly label: string;
  readonly value: string;
  change(value: string): void;
  /** The words to choose from, of which those with what is typed are offered. */
  readonly offers?: readonly string[];
  /** Whether the key `/` goes to it. */
  readonly isMain?: boolean;
  /** Whether it has the focus when the view opens. */
  readonly isFirst?: boolean;
}

/** Words that are offered at a time. */
const MOST_OFFERS = 40;

/** A field for what is searched. */
export function SearchField({ label, value, change, offers = [], isMain, isFirst }: FieldProps): JSX.Element {
  const field = useRef<HTMLInputElement>(null);
  const id = label.replaceAll(/\W+/g, '-');
  // Before the view is painted: the first key is pressed soon.
  useLayoutEffect(() => {
    if (isFirst) field.current?.focus();
  }, []);
  const typed = value.toLowerCase();
  return (
    <>
      <input
        ref={field}
        {...(isMain ? { 'data-search': '' } : {})}
        type="search"
        aria-label={label}
        placeholder={isMain ? `${label}   ( / )` : label}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        list={offers.length > 0 ? id : undefined}
        value={value}
        onInput={({ currentTarget }) => change(currentTarget.value)}
      />
      {offers.length > 0 && (
        <datalist id={id}>
          {offers
            .filter((offer) => offer.toLowerCase().includes(typed))
            .slice(0, MOST_OFFERS)
            .map((offer) => (
              <option key={offer} value={offer} />
            ))}
        </datalist>
      )}
    </>
  );
}

/** Letters, marks and digits in a row: what is lit up as a whole. */
const RUNS = lazyRegex(String.raw`[\p{L}\p{M}\p{N}]+`, 'gu');
/** Characters of the longest text that is looked through; the rest stays as it is. */
const MAX_TEXT = 20_000;

/** A text of the data, in which the words that a query found are lit up, in all their forms. */
export function LitText({
  text,
  by,
}: {
  readonly text: string;
  readonly by: MatchExplanation | undefined;
}): JSX.Element {
  const found = new Map<string, string>();
  for (const word of by?.words ?? [])
    for (const part of word.by === 'nothing' ? [] : words(word.found)) found.set(stem(part), word.by);
  const parts: ComponentChildren[] = [];
  let at = 0;
  for (const { 0: run, index } of found.size > 0 ? text.slice(0, MAX_TEXT).matchAll(RUNS()) : []) {
    const way = contentWords(words(run)).flatMap((word) => found.get(stem(word)) ?? [])[0];
    if (way === undefined) continue;
    parts.push(shownText(text.slice(at, index)), <mark data-by={way}>{shownText(run)}</mark>);
    at = index + run.length;
  }
  return <bdi>{[...parts, shownText(text.slice(at))]}</bdi>;
}
