import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { EditHistory } from '../engine/edit-history.ts';
import type { RankedTool, Ranking } from '../engine/ranking.ts';
import { Text } from '../ui/text.tsx';
import type { Answered } from '../ui/use-answer.ts';
import { useChange } from '../ui/use-change.ts';
import { correctionsIn } from './corrections.ts';
import type { Move } from './moves.ts';
import { RankedRow } from './ranked-row.tsx';

interface RankingListProps {
  readonly ranked: Answered<Ranking>;
  readonly scorer: string;
  readonly query: string;
  readonly topK: number;
  readonly moves: ReadonlyMap<string, Move>;
  /** The name of the scorer beside; empty for none. */
  readonly beside: string;
  readonly history: EditHistory;
  readonly canGrow: boolean;
  grow(): void;
}

/** The tools of a ranking, best first. */
export function RankingList(props: RankingListProps): JSX.Element {
  const { ranked, scorer, moves, beside, history } = props;
  const { value: ranking, error } = ranked;
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  useChange(scorer, () => setOpen(new Set()));
  const toggle = (name: string): void => {
    const next = new Set(open);
    if (!next.delete(name)) next.add(name);
    setOpen(next);
  };
  if (error !== undefined)
    return (
      <p class="bad">
        <Text of={error} />
      </p>
    );
  if (!ranking || ranking.query.trim() === '') return <p />;
  const corrections = correctionsIn(ranking);
  const end = lastShown(ranking.tools);
  const rest = ranking.count - ranking.tools.length;
  return (
    <>
      {corrections.length > 0 && (
        <p class="small corrections">
          Read as{' '}
          {corrections.map(({ word, found }) => (
            <span key={word}>
              <s>
                <Text of={word} />
              </s>{' '}
              <b>
                <Text of={found} />
              </b>
            </span>
          ))}
        </p>
      )}
      <ol data-list class="ranked" aria-label={`Tools as ${scorer} ranks them`}>
        {ranking.tools.map((tool, place) => (
          <RankedRow
            key={tool.name}
            {...{ tool, place, scorer, beside }}
            catalogTool={history.tool(tool.name)}
            isEdited={history.current.has(tool.name)}
            isLastShown={place === end && place < ranking.tools.length - 1}
            move={moves.get(tool.name)}
            isOpen={open.has(tool.name)}
            toggle={toggle}
          />
        ))}
      </ol>
      {rest > 0 && (
        <p class="small muted rest">
          {props.canGrow ? (
            <button type="button" onClick={props.grow}>
              Show more
            </button>
          ) : (
            `and ${rest.toLocaleString('en')} more`
          )}
        </p>
      )}
    </>
  );
}

/** The place of the last tool that the model is shown; -1 for none. */
function lastShown(tools: readonly RankedTool[]): number {
  return tools.findLastIndex(({ fate }) => fate !== 'below');
}
