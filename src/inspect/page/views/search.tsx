import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { scoreParts } from '../../../workbench/parts.ts';
import type { InspectSearch } from '../../data.ts';
import type { RankedTool, Ranking } from '../engine/ranking.ts';
import { askServer } from '../shell/ask-server.ts';
import { type PageParts, usePage } from '../shell/context.ts';
import { hashOf } from '../shell/route.ts';
import { type Answered, LitText, SearchField, Select, useAnswer, Waiting } from '../ui/parts.tsx';
import { shownText } from '../ui/shown-text.ts';
import { Bar, countText, Lines, numberText, percentText, Term, Text } from '../ui/text.tsx';
import { ActAs } from './user.tsx';
import { Expected, explanationSentence, WordTable } from './why.tsx';

/** Number of tools in a list at first, and at most. */
const FIRST = 20;
const MOST = 50;
/** Debounces in milliseconds: for asking a scorer of the server, and for announcing results. */
const PAUSE = 200;
const QUIET = 700;
const EXAMPLES = 8;

/** Ranks the tools for the typed query, and explains the rank of an expected tool. */
export function SearchView(): JSX.Element {
  const page = usePage();
  const { data, route, set, announce } = page;
  const { settings } = route;
  const names = data.scorers.filter(({ isLocal }) => isLocal || data.server?.canSearch).map(({ name }) => name);
  const known = (name: string | undefined): string => names.find((one) => one === name) ?? '';
  const query = settings.get('q') ?? '';
  const want = settings.get('want') ?? '';
  const scorer = known(settings.get('scorer')) || (names[0] ?? 'words and meaning');
  const [depth, setDepth] = useState(FIRST);
  const ranked = useRanking(page, query, scorer, depth);
  useEffect(() => setDepth(FIRST), [query]);
  useEffect(() => {
    const { value } = ranked;
    if (!value || value.query.trim() === '') return undefined;
    const timer = setTimeout(
      () => announce(`First: ${value.names[0] ?? 'none'}. ${percentText(value.likelihood ?? 0)} ${verdictOf(value)}`),
      QUIET,
    );
    return () => clearTimeout(timer);
  }, [ranked.value]);
  const isAsked = query.trim() !== '';
  return (
    <div class="search">
      <h2 class="unseen">Search</h2>
      <SearchField label="What would an agent ask for?" value={query} change={(q) => set({ q })} isMain isFirst />
      <div class="controls">
        <SearchField
          label="Expected tool"
          value={want}
          change={(name) => set({ want: name })}
          offers={data.tools.map(({ name }) => name)}
        />
        <Select label="Scorer" value={scorer} options={names} change={(name) => set({ scorer: name })} />
      </div>
      <ActAs />
      {isAsked && want !== '' && <Expected query={query} name={want} scorer={scorer} ranking={ranked.value} />}
      {isAsked ? <Results {...{ ranked, scorer, want }} /> : <Examples />}
      {isAsked && ranked.value && ranked.value.count > depth && depth < MOST && (
        <button type="button" class="more" onClick={() => setDepth(MOST)}>
          Show more
        </button>
      )}
    </div>
  );
}

/** The ranking of a query by a scorer of the page or of the server, as the chosen user, if any. */
function useRanking(
  { data, engine, edits, user }: PageParts,
  query: string,
  scorer: string,
  depth: number,
): Answered<Ranking> {
  const isLocal = data.scorers.some((one) => one.name === scorer && one.isLocal);
  const { permitted, context } = user ?? {};
  return useAnswer(
    async (signal): Promise<Ranking> => {
      if (query.trim() === '') return { scorer, query, tools: [], names: [], count: 0 };
      if (isLocal) return engine.rank(query, scorer, depth, permitted?.search);
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
      signal.throwIfAborted();
      const asked = { ask: 'search', query, scorer, ...(context ? { requestContext: context } : {}) } as const;
      return rankingOfAnswer(query, scorer, data.topK, await askServer(asked, signal));
    },
    // The server ranks without the page's edits.
    [query, scorer, isLocal ? depth : 0, isLocal ? edits : undefined, user],
  );
}

function rankingOfAnswer(query: string, scorer: string, topK: number, { matches, isWeak }: InspectSearch): Ranking {
  return {
    ...{ query, scorer, count: matches.length, ...(matches.length < MOST ? {} : { isCut: true }) },
    names: matches.map(({ name }) => name),
    tools: matches.map(({ name, score, confidence, explanation }, place) => ({
      ...{ name, score, fate: place < topK ? 'shown' : 'below' },
      ...(confidence === undefined ? {} : { confidence }),
      ...(explanation ? { explanation } : {}),
    })),
    ...(isWeak === undefined ? {} : { isWeak }),
  };
}

/** The verdict for the model in words, which follow a likelihood. */
function verdictOf({ count, isCut, likelihood, isWeak, isSelection }: Ranking): string {
  if (isSelection) return 'These are named, not ranked.';
  if (count === 0) return 'No tool matches: the model is told that nothing was found.';
  const matches = isCut
    ? `The first ${count} tools that match.`
    : `${countText(count, 'tool matches', 'tools match')}.`;
  if (isWeak === undefined) return matches;
  const told = isWeak ? 'The model is told that probably nothing fits' : 'The model is shown the first ones';
  return `${likelihood === undefined ? '' : 'likely to fit. '}${told}. ${matches}`;
}

/** The verdict for the model; its likelihood is the headline of the view, unless a tool is expected. */
function Verdict({ ranking, isHeadline }: { readonly ranking: Ranking; readonly isHeadline: boolean }): JSX.Element {
  const { isWeak, count, likelihood } = ranking;
  return (
    <p
      class={`verdict ${isWeak || count === 0 ? 'warn' : ''} ${isHeadline && likelihood !== undefined ? 'headline' : ''}`}
    >
      {likelihood !== undefined && <b>{percentText(likelihood)}</b>} {verdictOf(ranking)}
    </p>
  );
}

interface ResultsProps {
  readonly ranked: Answered<Ranking>;
  readonly scorer: string;
  readonly want: string;
}

/** The tools of a ranking, best first. */
function Results({ ranked, scorer, want }: ResultsProps): JSX.Element {
  const { history } = usePage();
  const { value: ranking, error } = ranked;
  if (error !== undefined || !ranking) return <Waiting answered={ranked} doing="Searching" />;
  const guesses = ranking.tools.flatMap(
    ({ explanation }) => explanation?.words.filter(({ by }) => by === 'guess') ?? [],
  );
  const readAs = new Map(guesses.map(({ word, found }) => [word, found]));
  const isRated = ranking.tools.some(({ confidence }) => confidence !== undefined);
  const end = ranking.tools.findLastIndex(({ fate }) => fate !== 'below');
  return (
    <>
      <Verdict ranking={ranking} isHeadline={want === ''} />
      {readAs.size > 0 && (
        <p class="small">
          Read as{' '}
          {Array.from(readAs, ([word, found]) => (
            <span key={word}>
              <s>
                <Text of={word} />
              </s>{' '}
              <b>
                <Text of={found} />
              </b>{' '}
            </span>
          ))}
        </p>
      )}
      <p class="small muted column-head">{isRated ? <Term of="confidence">Confidence</Term> : 'Score'}</p>
      <ol data-list class="ranked" aria-label={`Tools as ${scorer} ranks them`}>
        {ranking.tools.map((tool, at) => (
          <Row
            key={tool.name}
            {...{ tool, at, isRated, scorer }}
            isLast={at === end && at < ranking.tools.length - 1}
            isWanted={tool.name === want}
            isEdited={history.current.has(tool.name)}
          />
        ))}
      </ol>
    </>
  );
}

interface RowProps {
  readonly tool: RankedTool;
  /** The index, from 0. */
  readonly at: number;
  readonly isRated: boolean;
  readonly scorer: string;
  /** Whether the tool is the last one that the model is shown. */
  readonly isLast: boolean;
  readonly isWanted: boolean;
  readonly isEdited: boolean;
}

/** A tool of a ranking. */
function Row({ tool, at, isRated, scorer, isLast, isWanted, isEdited }: RowProps): JSX.Element {
  const { history, route } = usePage();
  const [isOpen, setOpen] = useState(false);
  const { name, fate, confidence, score, explanation } = tool;
  const known = history.tool(name);
  const parts = explanation && scoreParts(explanation);
  const isSum = parts !== undefined && parts.others.length > 0;
  const q = route.settings.get('q') ?? '';
  return (
    <li class="row" data-row-of data-fate={fate} data-last={isLast || undefined} data-wanted={isWanted || undefined}>
      <span class="place">{numberText(at + 1)}</span>
      <div class="row-body">
        <div class="row-head">
          <a data-row href={hashOf('tools', name)} class="mono name">
            <LitText text={name} by={explanation} />
          </a>
          {isEdited && <span class="dot" role="img" aria-label="edited" />}
          {fate === 'tail' && <span class="badge">cut off: less than 5 % of the best score</span>}
          <span class="spring" />
          {isRated && <Bar share={confidence ?? 0} />}
          <span class="number small">
            {isRated ? (confidence === undefined ? '–' : percentText(confidence)) : score.toFixed(2)}
          </span>
          <button
            type="button"
            class="quiet icon"
            data-explain
            aria-expanded={isOpen}
            aria-label={`Why ${shownText(name)}`}
            title="Why (Space)"
            onClick={() => setOpen(!isOpen)}
          >
            {isOpen ? '▴' : '▾'}
          </button>
        </div>
        <p class="row-text" data-open={isOpen || undefined}>
          {known ? (
            <LitText text={known.description} by={explanation} />
          ) : (
            'A tool of the server that this page does not have.'
          )}
        </p>
        {isOpen && (
          <div class="explanation small">
            {parts ? (
              <WordTable
                tools={isSum ? [{ name, place: at + 1, score, others: parts.others }] : []}
                words={parts.words.map((own) => ({ word: own.word, sides: [own] }))}
              />
            ) : null}
            <p class="muted">
              {explanationSentence(tool, scorer)}{' '}
              {!isWanted && <a href={hashOf('search', '', { q, want: name, scorer })}>Compare with the first</a>}
            </p>
          </div>
        )}
      </div>
    </li>
  );
}

/** Example queries from the cases. */
function Examples(): JSX.Element {
  const { data } = usePage();
  const cases = data.cases ?? [];
  const every = Math.max(1, Math.floor(cases.length / EXAMPLES));
  return (
    <div class="empty">
      <p class="muted">
        Type what an agent would ask for: the ranking follows each key. Name the tool that you expect, and the page says
        why it is not first, and which words would mend that. <kbd>↓</kbd> goes into the results, <kbd>?</kbd> shows all
        keys.
      </p>
      {cases.length > 0 && <h3>From the cases</h3>}
      <Lines
        of={cases
          .filter((_, at) => at % every === 0)
          .slice(0, EXAMPLES)
          .map(({ query, relevant: [want = ''] }) => ({ text: query, href: hashOf('search', '', { q: query, want }) }))}
      />
    </div>
  );
}
