import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { InspectTool } from '../../data.ts';
import { hashOf } from '../shell/route.ts';
import type { ViewProps } from '../shell/view.ts';
import { Code } from '../ui/code.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { LitText } from '../ui/lit-text.tsx';
import { shownText } from '../ui/shown-text.ts';
import { Text } from '../ui/text.tsx';
import { useAnswer } from '../ui/use-answer.ts';
import { CaseEffect } from './case-effect.tsx';
import { ToolCases } from './tool-cases.tsx';
import { ToolEditor } from './tool-editor.tsx';
import { ToolFindings } from './tool-findings.tsx';
import { ToolTwins } from './tool-twins.tsx';

interface ToolPageProps extends ViewProps {
  /** As it is edited. */
  readonly tool: InspectTool;
}

/** All about one tool. */
export function ToolPage(props: ToolPageProps): JSX.Element {
  const { tool, engine, edits, history, data } = props;
  const { name } = tool;
  const locals = data.scorers.filter(({ isLocal }) => isLocal).map((scorer) => scorer.name);
  const [scorer, setScorer] = useState(locals[0] ?? 'bm25');
  const report = useAnswer(() => engine.cases(scorer), [engine, edits, scorer]);
  const { value: tokens } = useAnswer(() => engine.tokensOf(name), [engine, edits, name]);
  return (
    <article class="tool">
      <header class="tool-head">
        <a class="small" href={hashOf('tools')}>
          Tools
        </a>
        <h2 class="mono">
          <LitText segments={[{ text: name }]} isName />
        </h2>
        <p class="small muted facts">
          {tool.title && <Text of={tool.title} />}
          {tool.group && (
            <span>
              of <Text of={tool.group} />
            </span>
          )}
          {tokens !== undefined && <span>{`${tokens.toLocaleString('en')} tokens`}</span>}
          {tool.isLazyTool && <span class="badge">its definition comes on demand</span>}
        </p>
        {tool.problem && (
          <p class="small warn">
            <Text of={tool.problem} />
          </p>
        )}
      </header>
      <div class="tool-columns">
        <div>
          <ToolEditor tool={tool} edit={edits.get(name)} history={history} original={history.original(name) ?? tool} />
          <Definition tool={tool} />
        </div>
        <div>
          {data.cases && (
            <CaseEffect {...{ data, report, scorer, setScorer }} scorers={locals} hasEdits={edits.size > 0} />
          )}
          <ToolFindings {...{ name, engine, edits }} />
          <ToolTwins {...{ name, engine, edits, history }} />
          {data.cases && <ToolCases {...{ name, scorer }} report={report.value} />}
        </div>
      </div>
    </article>
  );
}

/** The definition as the model is sent it. */
function Definition({ tool: { name, description, inputSchema } }: { readonly tool: InspectTool }): JSX.Element {
  const text = JSON.stringify({ name, description, ...(inputSchema === undefined ? {} : { inputSchema }) }, null, 2);
  return (
    <section class="definition" aria-labelledby="definition">
      <div class="section-head">
        <h3 id="definition">Definition as it is sent</h3>
        <CopyButton what="definition" text={() => text} />
      </div>
      <Code label="Definition">{shownText(text)}</Code>
    </section>
  );
}
