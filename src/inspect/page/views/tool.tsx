import type { JSX } from 'preact';
import type { SearchedCase } from '../../../workbench/evaluate/measure.ts';
import type { CaseReport } from '../engine/engine.ts';
import { usePage } from '../shell/context.ts';
import { hashOf } from '../shell/route.ts';
import { type Answered, useAnswer, useCases, useScorer, Waiting } from '../ui/parts.tsx';
import { shownText } from '../ui/shown-text.ts';
import { Code, CopyButton, countText, Lines, percentText, ShortName, Text } from '../ui/text.tsx';
import { CaseTable } from './cases.tsx';
import { ToolEditor } from './editor.tsx';
import { ToolFindings } from './findings.tsx';
import { placeText, Scores } from './scores.tsx';

/** Limit of rows of a list. */
const MOST = 40;

/** One tool: its texts to edit, and the effect of the edits. */
export function ToolPage({ name }: { readonly name: string }): JSX.Element | null {
  const { data, engine, edits, history } = usePage();
  const { scorer, choice } = useScorer();
  const report = useCases(scorer);
  const tokens = useAnswer(() => engine.tokens(), [edits]);
  const tool = history.tool(name);
  if (!tool) return null;
  const count = tokens.value?.find((one) => one.name === name)?.tokens;
  const { description, inputSchema } = tool;
  const text = JSON.stringify({ name, description, ...(inputSchema === undefined ? {} : { inputSchema }) }, null, 2);
  return (
    <article>
      <a class="small" href={hashOf('tools')}>
        Tools
      </a>
      <h2 class="mono" title={shownText(name)}>
        <ShortName of={name} />
      </h2>
      <p class="small muted">
        {tool.title && <Text of={`${tool.title} · `} />}
        {tool.group && <Text of={`${tool.group} · `} />}
        {count !== undefined && countText(count, 'token')}
        {tool.isLazyTool && ' · its definition comes on demand'}
      </p>
      {tool.problem && (
        <p class="small warn">
          <Text of={tool.problem} />
        </p>
      )}
      <div class="columns">
        <div>
          <ToolEditor name={name} />
          <section aria-labelledby="definition">
            <div class="section-head">
              <h3 id="definition">Definition as it is sent</h3>
              <CopyButton what="definition" text={text} />
            </div>
            <Code label="Definition">{shownText(text)}</Code>
          </section>
        </div>
        <div>
          {data.cases && (
            <section aria-labelledby="effect" data-stale={report.isPending || undefined}>
              <div class="section-head">
                <h3 id="effect">{edits.size > 0 ? 'All cases, with your changes' : 'All cases'}</h3>
                <span>{choice}</span>
              </div>
              {report.value ? (
                <Scores report={report.value} scorer={scorer} />
              ) : (
                <Waiting answered={report} doing="Searching" />
              )}
              <Effect report={report} />
            </section>
          )}
          <ToolFindings name={name} />
          <Twins name={name} />
          {data.cases && report.value && <ToolCases name={name} report={report.value} />}
        </div>
      </div>
    </article>
  );
}

/** The cases that the changes make better and worse. */
function Effect({ report: { value, isPending } }: { readonly report: Answered<CaseReport | undefined> }): JSX.Element {
  const { better = [], worse = [] } = value?.comparison ?? {};
  if (!value?.comparison)
    return <p class="small muted">Edit the description or the keywords: every case is ranked anew at once.</p>;
  return (
    <>
      <p class="small" role="status">
        {better.length + worse.length === 0
          ? isPending
            ? '…'
            : 'No case changed its place.'
          : `${better.length} better, ${worse.length} worse.`}
      </p>
      <div class="effect">
        {[worse, better].map((changes, at) => (
          <Lines
            key={at}
            of={changes.slice(0, MOST).map(({ query, before, after }) => ({
              ...{ text: query, href: hashOf('search', '', { q: query }), colour: at === 0 ? 'bad' : 'good' },
              note: `${placeText(before)} → ${placeText(after)}`,
            }))}
          />
        ))}
      </div>
    </>
  );
}

/** The tools that are easily confused with a tool. */
function Twins({ name }: { readonly name: string }): JSX.Element {
  const { engine, edits } = usePage();
  const { value: twins } = useAnswer(() => engine.twins(name), [edits]);
  return (
    <section aria-labelledby="twins">
      <h3 id="twins">Twins</h3>
      <p class="small muted">
        {twins?.length === 0
          ? 'No other tool comes near it where its own first sentence is asked for.'
          : 'How near others come where its own first sentence is asked for. From 100 % on, they come before it.'}
      </p>
      <Lines
        of={(twins ?? []).map((twin) => ({
          ...{ text: twin.name, href: hashOf('tools', twin.name), note: percentText(twin.similarity) },
          colour: twin.similarity >= 1 ? 'bad' : 'muted',
        }))}
      />
    </section>
  );
}

/** The cases that want a tool, and those that find it among their first ten. */
function ToolCases({ name, report }: { readonly name: string; readonly report: CaseReport }): JSX.Element {
  const about = report.searched.filter(({ result: { relevant, found } }) => [...relevant, ...found].includes(name));
  const isOther = ({ result }: SearchedCase): number => (result.relevant.includes(name) ? 0 : 1);
  return (
    <section aria-labelledby="cases">
      <h3 id="cases">Queries that want it, or find it</h3>
      {about.length === 0 && <p class="small muted">No case has to do with this tool.</p>}
      {about.length > 0 && (
        <CaseTable report={report} rows={about.sort((one, other) => isOther(one) - isOther(other))} size={20} />
      )}
    </section>
  );
}
