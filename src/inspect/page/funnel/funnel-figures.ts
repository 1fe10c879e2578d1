import type { InspectFunnel } from '../../data.ts';

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

/** What the page shows of a funnel. Nobody vouches for what it is given: figures that are none count 0. */
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

const STAGES: ReadonlyMap<string, string> = new Map([
  ['searches', 'searched'],
  ['found', 'found a tool'],
  ['loaded', 'loaded it'],
  ['called', 'called it'],
]);

export function shownFunnel(funnel: InspectFunnel): ShownFunnel {
  const part = (key: string): Fields => fieldsOf(funnel[key]);
  const [searches, loads, calls, misses, turns, tokens] = [
    ...[part('searches'), part('loads'), part('calls')],
    ...[part('misses'), part('turnsSaved'), part('tokens')],
  ] as [Fields, Fields, Fields, Fields, Fields, Fields];
  const [from, to] = [funnel['from'], funnel['to']];
  return {
    stages: drawn(listOf(funnel.stages)),
    figures: [
      figure(
        'Without a confident match',
        searches,
        'unmatched',
        'total',
        'Searches whose verdict is not that a tool fits.',
      ),
      figure('Asked again', searches, 'askedAgain', 'total', 'Searches after another one that led to nothing.'),
      figure('Loaded, never called', loads, 'neverCalled', 'total', 'Loads of which no call of the conversation came.'),
      figure('Loads of unknown names', loads, 'notFound', undefined, 'Names that no tool of the request has.'),
      figure('Loads denied', loads, 'denied', undefined, 'The filter did not let the user through.'),
      figure('Calls that failed', calls, 'failed', 'total', 'They threw, or refused their input.'),
      figure('Missed calls', misses, 'total', undefined, 'Calls of tools that were not sent.'),
      figure('Missed calls that were lost', misses, 'lost', 'total', 'Nothing came of them.'),
      figure('Turns saved', turns, 'total', undefined, 'Model calls that were not needed.'),
    ],
    unmatched: listOf(funnel['unmatched']).flatMap((one) =>
      typeof one['query'] === 'string' ? [{ query: one['query'], count: numberIn(one, 'count') }] : [],
    ),
    uncalled: uncalledOf(listOf(funnel['tools'])),
    tokens: { steps: numberIn(tokens, 'steps'), sent: numberIn(tokens, 'sent'), all: numberIn(tokens, 'all') },
    events: numberIn(funnel, 'events'),
    ...(isTime(from) && isTime(to) ? { from, to } : {}),
  };
}

type Fields = Readonly<Record<string, unknown>>;

function drawn(stages: readonly Fields[]): readonly DrawnStage[] {
  const first = stages[0] ? numberIn(stages[0], 'count') : 0;
  return stages.map((stage, at) => {
    const count = numberIn(stage, 'count');
    const before = at > 0 ? numberIn(stages[at - 1] ?? {}, 'count') : count;
    const name = String(stage['name'] ?? '');
    return {
      title: STAGES.get(name) ?? name,
      count,
      share: first > 0 ? count / first : 0,
      lost: Math.max(0, before - count),
    };
  });
}

function figure(title: string, fields: Fields, key: string, whole: string | undefined, why: string): FunnelFigure {
  return { title, value: numberIn(fields, key), ...(whole === undefined ? {} : { of: numberIn(fields, whole) }), why };
}

function uncalledOf(tools: readonly Fields[]): readonly UncalledTool[] {
  return tools
    .map((tool) => ({
      name: String(tool['name'] ?? ''),
      loaded: numberIn(tool, 'loaded'),
      neverCalled: numberIn(tool, 'neverCalled'),
    }))
    .filter(({ neverCalled }) => neverCalled > 0)
    .sort((one, other) => other.neverCalled - one.neverCalled || (one.name < other.name ? -1 : 1));
}

function numberIn(fields: Fields, key: string): number {
  const value = fields[key];
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

function isTime(value: unknown): value is number {
  // Beyond this, dates have no text.
  return typeof value === 'number' && Math.abs(value) <= 8.64e15;
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}
