import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { MatchExplanation, WordExplanation } from '../../../kit.ts';
import { restOf, type ScorePart, scoreText } from '../../../workbench/parts.ts';
import { isLast, type WordCandidate } from '../engine/candidates.ts';
import type { Trial } from '../engine/engine.ts';
import type { RankedTool, Ranking } from '../engine/ranking.ts';
import type { Contender, Why } from '../engine/why.ts';
import { usePage } from '../shell/context.ts';
import { hashOf } from '../shell/route.ts';
import { useAnswer, Waiting } from '../ui/parts.tsx';
import { shownText } from '../ui/shown-text.ts';
import { Table } from '../ui/table.tsx';
import { countText, numberText, percentText, Term, Text, ToolLink } from '../ui/text.tsx';

/** Texts for the ways in which a word matches. */
const BY: Readonly<Record<WordExplanation['by'], string>> = {
  word: 'the word itself',
  form: 'another form',
  compound: 'written as one',
  guess: 'read as this',
  synonym: 'means the same',
  server: 'said of all its tools',
  nothing: 'not found',
};

/** Texts for the fields of a tool. */
const FIELDS: Readonly<Record<string, string>> = {
  summary: 'first sentence',
  parameterDescriptions: 'about parameters',
  server: 'the name of its server',
};

/** Texts for the parts of a score that are not words. */
const OTHERS = { meaning: 'meaning', tool: 'verb and length', rest: 'coverage and name' } as const;

interface WordTableProps {
  readonly words: readonly { readonly word: string; readonly sides: readonly WordExplanation[] }[];
  /** The tools of the columns, with the parts of their scores besides words, so that the rows sum up to the scores. */
  readonly tools?: readonly Contender[];
}

/** A row of the table: its label, then each tool's match and its part of the score. */
interface WordRow {
  readonly key: string;
  readonly cells: readonly ComponentChildren[];
}

/** Each word of a query with its match in one or two tools, and its part of the score. */
export function WordTable({ words, tools = [] }: WordTableProps): JSX.Element {
  const addedTo = ({ others = [] }: Contender, of: ScorePart['of']): number =>
    others.find((one) => one.of === of)?.score ?? 0;
  const leftOf = ({ score, others = [] }: Contender, at: number): number =>
    restOf(score, [...words.flatMap(({ sides }) => sides[at] ?? []), ...others]);
  const others = (['meaning', 'tool'] as const).filter((of) => tools.some((tool) => addedTo(tool, of) !== 0));
  const rowOf = (of: keyof typeof OTHERS, scoreOf: (tool: Contender, at: number) => number): WordRow => ({
    key: `of ${of}`,
    cells: [
      <Term key="of" of={of}>
        {OTHERS[of]}
      </Term>,
      ...tools.flatMap((tool, at) => ['', scoreText(scoreOf(tool, at))]),
    ],
  });
  const rows = [
    ...words.map(({ word, sides }): WordRow => {
      const found = sides.flatMap((side) => [<Found key={word} {...side} />, scoreText(side.score)]);
      return { key: word, cells: [<code key="word">{shownText(word)}</code>, ...found] };
    }),
    ...others.map((of) => rowOf(of, (tool) => addedTo(tool, of))),
  ];
  const scores = tools.flatMap(({ place, score }) => [
    place === undefined ? 'does not match' : `place ${numberText(place)}`,
    <b key="score">{scoreText(score)}</b>,
  ]);
  if (tools.length > 0)
    rows.push(rowOf('rest', leftOf), { key: 'of score', cells: [<b key="of">Score</b>, ...scores] });
  const names = tools.length > 0 ? tools.map(({ name }) => <Text key={name} of={name} />) : ['Found'];
  return (
    <Table
      {...{ name: 'What each word adds', class: 'words', numbers: [2, 4] }}
      head={['Word', ...names.flatMap((name) => [name, 'Adds'])]}
      rows={rows}
      keyOf={({ key }) => key}
      cells={({ cells }) => cells}
    />
  );
}

function Found({ word, found, by, fields }: WordExplanation): JSX.Element {
  const places = Object.entries(fields)
    .sort(([, one], [, other]) => other - one)
    .map(([field]) => FIELDS[field] ?? field);
  return (
    <>
      {found !== '' && found !== word && (
        <b class="mono">
          <Text of={found} />{' '}
        </b>
      )}
      {(by !== 'word' || places.length === 0) && <span class="muted">{BY[by]} </span>}
      {places.length > 0 && <span class="muted">in {places.join(', ')}</span>}
    </>
  );
}

/** A sentence that explains how the score results from the words. */
export function explanationSentence({ score, explanation, fate }: RankedTool, scorer: string): string {
  if (!explanation) return `Score ${scoreText(score)}. This scorer does not say why.`;
  const { words, coverage, nameCoverage, isNamed }: Partial<MatchExplanation> & Pick<MatchExplanation, 'words'> =
    explanation;
  const sum = words.reduce((total, word) => total + word.score, 0);
  // The scores of other scorers are no sum of words.
  const isSum = ['bm25', 'agent: bm25'].includes(scorer) && sum > 0;
  return [
    isSum
      ? `Score ${scoreText(score)}: the words add ${scoreText(sum)}, × ${(score / sum).toFixed(2)} for coverage and name.`
      : `Score ${scoreText(score)}.`,
    ...(coverage === undefined || nameCoverage === undefined
      ? []
      : [
          `The tool covers ${percentText(coverage)} of the query, and the query ${percentText(nameCoverage)} of its name.`,
        ]),
    ...(isNamed ? ['The query has its name, which puts it first.'] : []),
    ...(fate === 'tail' ? ['That is less than 5 % of the best one: the model is not shown it.'] : []),
  ].join(' ');
}

interface ExpectedProps {
  readonly query: string;
  readonly name: string;
  readonly scorer: string;
  /** The ranking that is shown, which may be one of the server. */
  readonly ranking: Ranking | undefined;
}

/** The expected tool's rank explained, with remedies. Pinned above the ranking, wherever the tool ranks. */
export function Expected({ query, name, scorer: chosen, ranking }: ExpectedProps): JSX.Element {
  const { data, engine, edits, history, user } = usePage();
  const local = data.scorers.find((one) => one.isLocal && one.name === chosen)?.name ?? 'words and meaning';
  const isKnown = history.tool(name) !== undefined;
  const permitted = user?.permitted.search;
  const answered = useAnswer(
    async () => (isKnown ? engine.why(query, local, name, permitted) : undefined),
    [query, local, name, edits, permitted],
  );
  if (!isKnown)
    return (
      <p class="bad" role="status">
        There is no tool <Text of={name} />. Choose one of the list that the field offers.
      </p>
    );
  if (!answered.value) return <Waiting answered={answered} doing="Comparing" />;
  const why = answered.value;
  const { own, rival } = why;
  const there = ranking && !data.scorers.some((one) => one.isLocal && one.name === chosen) ? ranking : undefined;
  const at = there?.names.indexOf(name) ?? -1;
  return (
    <section class="panel expected" aria-labelledby="expected-title" data-stale={answered.isPending || undefined}>
      <h3 id="expected-title" class="headline">
        <b>{own.place === undefined ? '–' : numberText(own.place)}</b> <ToolLink name={name} />
      </h3>
      <p role="status" data-place={own.place ?? ''}>
        {permitted && !permitted.includes(name) ? 'This user may not find it. ' : ''}
        {sentenceOf(why, data.topK)}
      </p>
      {there && (
        <p class="small muted">
          <Text of={chosen} /> has it {at < 0 ? 'not among its first 50' : `at place ${at + 1}`}. It runs in the server:
          what follows is the page’s {local}.
        </p>
      )}
      {why.words.length > 0 && (
        <WordTable
          tools={rival ? [own, rival] : [own]}
          words={why.words.map((one) => ({ word: one.word, sides: rival ? [one.own, one.rival] : [one.own] }))}
        />
      )}
      <Mending key={`${name} ${query} ${local}`} {...{ query, name }} scorer={local} why={why} />
    </section>
  );
}

function sentenceOf(why: Why, topK: number): string {
  const told = why.isWeak ? ' But the model is told that probably nothing fits.' : '';
  return `${placeSentence(why, topK)}${told}`;
}

function placeSentence({ own, rival, bar, count }: Why, topK: number): string {
  const { place, score, confidence } = own;
  if (place === undefined)
    return `It does not match: it has no word of the request, in any form, and means something else. ${countText(count, 'tool')} match.`;
  const likely = confidence === undefined ? '' : `, ${percentText(confidence)} likely to fit`;
  const where = `Place ${numberText(place)} of ${numberText(count)}${likely}.`;
  if (place === 1) return `${where}${rival ? ` It leads by ${scoreText(score - rival.score)}.` : ''}`;
  if (place <= topK)
    return `${where} The model is shown it; the first leads by ${scoreText((rival?.score ?? 0) - score)}.`;
  const gap = scoreText(bar - score);
  return `${where} ${countText(place - topK, 'place')}, and ${gap} of score, below the first ${topK} that the model is shown.`;
}

/** A candidate with its effect. */
type Tried = WordCandidate & { readonly trial?: Trial };

/** Keywords that may let the query find the tool. Mended is a tool that ranks first, and fits by the verdict. */
function Mending({
  query,
  name,
  scorer,
  why,
}: Omit<ExpectedProps, 'ranking'> & { readonly why: Why }): JSX.Element | null {
  const isMended = why.own.place === 1 && !why.isWeak;
  const { engine, edits, history, data } = usePage();
  const [tried, setTried] = useState<readonly Tried[]>();
  useEffect(() => {
    let isWanted = !isMended;
    const run = async (): Promise<void> => {
      let all: readonly Tried[] = isWanted ? await engine.candidates(query, scorer, name) : [];
      if (isWanted) setTried(all);
      for (const { word } of all) {
        if (!isWanted) return;
        const trial = await engine.tryKeyword(query, scorer, name, word);
        all = all.map((one) => (one.word === word ? { ...one, trial } : one));
        if (isWanted) setTried(all);
      }
    };
    void run().catch(() => setTried([]));
    return () => {
      isWanted = false;
    };
  }, [edits, isMended]);
  if (isMended) return <p class="small good">Nothing to mend: it comes first.</p>;
  if (!tried) return <Waiting answered={{}} doing="Looking for words that would mend it" />;
  // Rank 1 with the verdict that nothing fits is hardly better than rank 2.
  const rank = ({ trial }: Tried): number => (trial?.place ?? Number.POSITIVE_INFINITY) + (trial?.isWeak ? 0.5 : 0);
  const now = (why.own.place ?? Number.POSITIVE_INFINITY) + (why.isWeak ? 0.5 : 0);
  // First keywords that help and characterise the tool, then those that help and only copy; among these, the least harmful.
  const order = (one: Tried): readonly number[] => [
    ...[rank(one) < now ? 0 : 1, isLast(one) ? 1 : 0],
    ...[rank(one), one.trial?.worse.length ?? 0],
  ];
  const sorted = tried.toSorted((one, other) => {
    const [own, others] = [order(one), order(other)];
    const at = own.findIndex((value, place) => value !== others[place]);
    return at < 0 ? 0 : (own[at] ?? 0) < (others[at] ?? 0) ? -1 : 1;
  });
  const done = tried.filter(({ trial }) => trial).length;
  return (
    <section aria-labelledby="mend-title">
      <h4 id="mend-title">Words that would mend it</h4>
      {tried.length === 0 && (
        <p class="small muted">None: it has all the words. Say in its description what it alone does.</p>
      )}
      {done < tried.length && (
        <progress value={done} max={tried.length} aria-label={`Trying ${countText(tried.length, 'word')}`} />
      )}
      {tried.length > 0 && (
        <Table
          {...{ name: 'Words that would mend it', class: 'mend', numbers: [2], rows: sorted }}
          head={['Keyword', 'From', 'Place with it', ...(data.cases ? ['Cases'] : []), '']}
          keyOf={({ word }) => word}
          cells={({ trial, ...one }) => [
            <Text key="word" of={one.word} />,
            <Origin key="from" {...one} />,
            <>
              {trial ? (trial.place ?? 'no match') : '…'}
              {trial?.place === 1 && trial.isWeak && <span class="small warn"> told that nothing fits</span>}
            </>,
            ...(data.cases ? [trial && <Effect {...trial} />] : []),
            <button
              key="add"
              type="button"
              aria-label={`Add ${one.word}`}
              onClick={() => history.addKeyword(name, one.word)}
            >
              Add
            </button>,
          ]}
        />
      )}
      <p class="small muted">
        Each is tried as one more keyword. Several may be added: the places are simulated anew.
        {edits.has(name) && <> Added words can be taken back in the changes.</>}
      </p>
    </section>
  );
}

/** The source of a word. */
function Origin({ from, of, isCopy }: WordCandidate): JSX.Element {
  return (
    <span class="small">
      {from === 'request' && 'the request'}
      {from === 'thesaurus' && `the thesaurus, for ${of}`}
      {from === 'sibling' && (
        <>
          <ToolLink name={of} /> <span class="warn">a rival’s words</span>
        </>
      )}
      {isCopy && <span class="warn"> only copies the request</span>}
    </span>
  );
}

/** The cases that a keyword helps and harms. */
function Effect({ better, worse }: Trial): JSX.Element {
  const [first] = worse;
  return (
    <span class="small">
      <span class={better.length > 0 ? 'good' : 'muted'}>{better.length} better</span>
      {', '}
      <span class={worse.length > 0 ? 'bad' : 'muted'}>{worse.length} worse</span>
      {first !== undefined && (
        <>
          {': '}
          <a href={hashOf('search', '', { q: first })}>
            <Text of={first} />
          </a>
          {worse.length > 1 && ` and ${worse.length - 1} more`}
        </>
      )}
    </span>
  );
}
