import type { Funnel, FunnelStage, ToolUse } from '../../../workbench/usage.ts';

/** A stage with what is lost on the way to it. */
export interface DrawnStage {
  readonly title: string;
  readonly count: number;
  /** Its share of the first stage, from 0 to 1. */
  readonly share: number;
  /** Count of those of the stage before that did not come so far. */
  readonly lost: number;
}

/** A figure of a funnel, with what it means. */
export interface FunnelFigure {
  readonly title: string;
  readonly value: number;
  /** What it is a part of; left out where it is a count of its own. */
  readonly of?: number;
  readonly why: string;
}

/** A tool that was loaded in conversations that never called it. */
export interface UncalledTool {
  readonly name: string;
  readonly loaded: number;
  readonly neverCalled: number;
}

/** What the page shows of a funnel. */
export interface ShownFunnel {
  readonly stages: readonly DrawnStage[];
  readonly figures: readonly FunnelFigure[];
  /** Queries without a confident match, the most frequent first. */
  readonly unmatched: readonly { readonly query: string; readonly count: number }[];
  /** The most often first. */
  readonly uncalled: readonly UncalledTool[];
  readonly tokens: { readonly steps: number; readonly sent: number; readonly all: number };
  /** Count of the events. */
  readonly events: number;
  /** Milliseconds since 1970; left out where no event tells. */
  readonly from?: number;
  readonly to?: number;
}

const STAGES: Readonly<Record<FunnelStage['name'], string>> = {
  searches: 'searched',
  found: 'found a tool',
  loaded: 'loaded it',
  called: 'called it',
};

export function shownFunnel(funnel: Funnel): ShownFunnel {
  const { stages, searches, loads, calls, misses, turnsSaved, tools, unmatched, tokens, events, from, to } = funnel;
  return {
    stages: drawn(stages),
    figures: [
      {
        ...{ title: 'Without a confident match', value: searches.unmatched, of: searches.total },
        why: 'Searches whose verdict is not that a tool fits.',
      },
      {
        ...{ title: 'Asked again', value: searches.askedAgain, of: searches.total },
        why: 'Searches after another one that led to nothing.',
      },
      {
        ...{ title: 'Loaded, never called', value: loads.neverCalled, of: loads.total },
        why: 'Loads of which no call of the conversation came.',
      },
      { title: 'Loads of unknown names', value: loads.notFound, why: 'Names that no tool of the request has.' },
      { title: 'Loads denied', value: loads.denied, why: 'The filter did not let the user through.' },
      {
        ...{ title: 'Calls that failed', value: calls.failed, of: calls.total },
        why: 'They threw, or refused their input.',
      },
      { title: 'Missed calls', value: misses.total, why: 'Calls of tools that were not sent.' },
      {
        ...{ title: 'Missed calls that were lost', value: misses.lost, of: misses.total },
        why: 'Nothing came of them.',
      },
      { title: 'Turns saved', value: turnsSaved.total, why: 'Model calls that were not needed.' },
    ],
    unmatched,
    uncalled: uncalledOf(tools),
    tokens,
    events,
    ...(isTime(from) && isTime(to) ? { from, to } : {}),
  };
}

function drawn(stages: readonly FunnelStage[]): readonly DrawnStage[] {
  const first = stages[0]?.count ?? 0;
  return stages.map(({ name, count }, at) => ({
    ...{ title: STAGES[name], count },
    share: first > 0 ? count / first : 0,
    lost: (stages[at - 1]?.count ?? count) - count,
  }));
}

function uncalledOf(tools: readonly ToolUse[]): readonly UncalledTool[] {
  return tools
    .filter(({ neverCalled }) => neverCalled > 0)
    .sort((one, other) => other.neverCalled - one.neverCalled || (one.name < other.name ? -1 : 1))
    .map(({ name, loaded, neverCalled }) => ({ name, loaded, neverCalled }));
}

/** Whether it is a time that has a text: a log may say anything. */
function isTime(value: number | undefined): value is number {
  return value !== undefined && Math.abs(value) <= 8.64e15;
}
