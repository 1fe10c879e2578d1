import './tokens.css';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { estimateTokens } from '../../../kit.ts';
import { hashOf } from '../shell/route.ts';
import type { ViewProps } from '../shell/view.ts';
import { countText, numberText, percentText } from '../ui/numbers.ts';
import { Paged } from '../ui/paged.tsx';
import { Text } from '../ui/text.tsx';
import { useAnswer } from '../ui/use-answer.ts';
import { Waiting } from '../ui/waiting.tsx';
import { type Level, levelAt } from './levels.ts';
import { Treemap } from './treemap.tsx';

/** What the definitions cost: the servers, the tools of one, the parts of a tool. */
export function TokensView({ data, engine, edits, history, route, navigate }: ViewProps): JSX.Element {
  const answered = useAnswer(() => engine.tokens(), [engine, edits]);
  const { value } = answered;
  const level = useMemo(() => {
    if (!value) return undefined;
    const tools = data.tools.map((tool) => history.tool(tool.name) ?? tool);
    const place = {
      tool: route.name,
      server: route.settings.get('server'),
      from: Number(route.settings.get('from') ?? 0) || 0,
    };
    return levelAt(place, tools, new Map(value.map(({ name, tokens }) => [name, tokens])), estimateTokens);
  }, [value, data, history, route]);
  if (!level) {
    return <Waiting answered={answered} doing={`Counting the tokens of ${countText(data.tools.length, 'tool')}`} />;
  }
  const total = level.nodes.reduce((sum, { tokens }) => sum + tokens, 0);
  const tools = level.nodes.reduce((sum, node) => sum + node.tools, 0);
  return (
    <section class="tokens" aria-labelledby="tokens-title">
      {level.above.length > 0 && (
        <nav class="crumbs" aria-label="Levels above">
          {level.above.map(({ title, hash }) => (
            <a key={hash} href={hash}>
              <Text of={title} />
            </a>
          ))}
        </nav>
      )}
      <h2 id="tokens-title">
        <Text of={level.title} />: {numberText(total)} tokens
      </h2>
      <p class="muted">
        {level.noun === 'parts' ? (
          <>
            What the definition of{' '}
            <a href={hashOf('tools', route.name)}>
              <Text of={route.name} />
            </a>{' '}
            is made of.
          </>
        ) : (
          `What ${countText(tools, 'definition')} cost in every request where all are sent, estimated.`
        )}
      </p>
      <Treemap label={`Tokens of ${level.title}`} level={level} navigate={navigate} />
      {level.rest && (
        <p class="rest">
          And <a href={level.rest.hash}>{level.rest.label}</a>: {numberText(level.rest.tokens)} tokens,{' '}
          {percentText(total > 0 ? level.rest.tokens / total : 0)} of all {level.noun}.
        </p>
      )}
      <details>
        <summary>As a table</summary>
        <TokenTable level={level} total={total} />
      </details>
    </section>
  );
}

function TokenTable({ level, total }: { readonly level: Level; readonly total: number }): JSX.Element {
  return (
    <Paged rows={level.nodes} noun={level.noun}>
      {(rows) => (
        <table>
          <thead>
            <tr>
              <th scope="col">{level.noun}</th>
              <th scope="col" class="number">
                tokens
              </th>
              <th scope="col" class="number">
                share
              </th>
            </tr>
          </thead>
          <tbody data-list>
            {rows.map((node) => (
              <tr key={node.key}>
                <th scope="row">
                  <NodeName node={node} hash={level.hashOf(node)} />
                </th>
                <td class="number">{numberText(node.tokens)}</td>
                <td class="number">{percentText(total > 0 ? node.tokens / total : 0)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Paged>
  );
}

function NodeName({
  node,
  hash,
}: {
  readonly node: Level['nodes'][number];
  readonly hash: string | undefined;
}): JSX.Element {
  if (hash === undefined) return <Text of={node.label} />;
  return (
    <a data-row href={hash}>
      <Text of={node.label} />
    </a>
  );
}
