import type { ComponentChildren, JSX } from 'preact';
import { type Inputs, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { MatchExplanation } from '../../../kit.ts';
import { lazyRegex } from '../../../util/text.ts';
import { contentWords, stem, words } from '../../../util/words.ts';
import type { CaseReport } from '../engine/engine.ts';
import { usePage } from '../shell/context.ts';
import { shownText } from './shown-text.ts';
import { countText, numberText, Text } from './text.tsx';

/** The state of an asynchronous answer. */
export interface Answered<Answer> {
  /** The last answer, which may belong to an earlier question. */
  readonly value?: Answer;
  /** Whether the last question has waited longer than PATIENCE. */
  readonly isPending: boolean;
  /** Why the question failed. */
  readonly error?: string;
}

/** Milliseconds until a question counts as pending, because most answers come at once. */
const PATIENCE = 80;

/**
 * Asks whenever an input changes, and keeps the previous answer until the next one arrives. Only one question runs at a time;
 * of later ones, only the last is asked, because typing is faster than ranking thousands of tools.
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

/** The page's scorer that ranks the cases (from the address, else the first one), and an element to choose it. */
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

/** A placeholder while the cases are searched. */
export function CasesWaiting({ answered }: Pick<WaitingProps, 'answered'>): JSX.Element {
  const { data, engine } = usePage();
  const all = data.cases?.length ?? 0;
  const progress = async (): Promise<readonly [number, number]> => [await engine.progress(), all];
  return <Waiting doing={`Searching for ${countText(all, 'case')}`} {...{ answered, progress }} />;
}

interface SelectProps {
  readonly label: string;
  /** Whether only screen readers see the label. */
  readonly isBare?: boolean;
  readonly value: string;
  /** Values, each with its text if that differs. */
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

/** A choice of one among a few visible options. */
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
  /** Number of rows at first, and of those that each press adds. */
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
  /** The activity, as "Counting tokens". */
  readonly doing: string;
  /** The number of done and of all items, if known. */
  progress?(): Promise<readonly [done: number, all: number]>;
}

/** A placeholder for a missing or failed answer, with its progress. */
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
  /** Suggestions, of which those that contain the typed text are offered. */
  readonly offers?: readonly string[];
  /** Whether the key `/` focuses the field. */
  readonly isMain?: boolean;
  /** Whether the field has the focus when the view opens. */
  readonly isFirst?: boolean;
}

/** Limit of suggestions shown at a time. */
const MOST_OFFERS = 40;

/** A search field with suggestions. */
export function SearchField({ label, value, change, offers = [], isMain, isFirst }: FieldProps): JSX.Element {
  const field = useRef<HTMLInputElement>(null);
  const id = label.replaceAll(/\W+/g, '-');
  // A layout effect, because the first key may be pressed before an effect after painting.
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

/** Runs of letters, marks and digits, which are highlighted as a whole. */
const RUNS = lazyRegex(String.raw`[\p{L}\p{M}\p{N}]+`, 'gu');
/** Limit of characters that are searched for words; the rest is not highlighted. */
const MAX_TEXT = 20_000;

/** A text of the data in which the words found by a query are highlighted, in all their forms. */
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
