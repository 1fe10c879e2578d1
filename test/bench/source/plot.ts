// The measured lines as SVG: how long a search takes, and what the process holds, by the number of tools.
import type { SourceFigures } from './figures.ts';

/** A size, and what was measured there. */
type Point = readonly [documents: number, value: number];

interface Line {
  readonly name: string;
  readonly color: string;
  readonly points: readonly Point[];
}

interface Panel {
  readonly title: string;
  readonly unit: string;
  /** Powers of ten. */
  readonly from: number;
  readonly to: number;
  readonly lines: readonly Line[];
  /** What is wanted at most. */
  readonly bar: number;
}

/* Readable on white and on black. */
const DATABASE = '#2f81f7';
const PROCESS = '#d0811a';
const TEXT = '#808a95';
const GRID = '#808a9540';

const WIDTH = 790;
const HEIGHT = 330;
const PANEL = { width: 310, height: 220, top: 40 };
const LEFT = [50, 430];
/** Powers of ten of the documents. */
const FROM = 3;
const TO = 6;

/** @returns an image without a background. */
export function plot({ database = [], process = [] }: SourceFigures): string {
  const panels: readonly Panel[] = [
    {
      ...{ title: 'A search, one at a time: p50', unit: 'ms', from: -1, to: 3, bar: 30 },
      lines: [
        { name: 'in process', color: PROCESS, points: process.map(({ documents, alone }) => [documents, alone.p50]) },
        { name: 'PostgreSQL', color: DATABASE, points: database.map(({ documents, alone }) => [documents, alone.p50]) },
      ],
    },
    {
      ...{ title: 'Memory of the process', unit: 'MB', from: 1, to: 4, bar: 150 },
      lines: [
        {
          name: 'in process',
          color: PROCESS,
          points: process.map(({ documents, megabytes }) => [documents, megabytes]),
        },
        {
          name: 'PostgreSQL',
          color: DATABASE,
          points: database.map(({ documents, megabytes }) => [documents, megabytes]),
        },
      ],
    },
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif" font-size="12" fill="${TEXT}" role="img">
<title>Time of a search and memory of the process, in process and in PostgreSQL, by the number of tools</title>
${panels.map((panel, at) => drawn(panel, LEFT[at] ?? 0)).join('\n')}
</svg>
`;
}

function drawn(panel: Panel, left: number): string {
  const { title, unit, from, to, lines, bar } = panel;
  const x = (documents: number): number => left + (PANEL.width * (Math.log10(documents) - FROM)) / (TO - FROM);
  const y = (value: number): number =>
    PANEL.top + PANEL.height - (PANEL.height * (Math.log10(value) - from)) / (to - from);
  const right = left + PANEL.width;
  const bottom = PANEL.top + PANEL.height;
  const sizes = powers(FROM, TO).map(
    (size) =>
      `${line(x(size), PANEL.top, x(size), bottom, GRID)}${text(x(size), bottom + 18, size.toLocaleString('en'), 'middle')}`,
  );
  const values = powers(from, to).map(
    (value) =>
      `${line(left, y(value), right, y(value), GRID)}${text(left - 6, y(value) + 4, value.toLocaleString('en'), 'end')}`,
  );
  const wanted = `${line(left, y(bar), right, y(bar), TEXT, ' stroke-dasharray="4 4"')}${text(left + 6, y(bar) - 5, `at most ${bar} ${unit}`, 'start')}`;
  return [
    text(left, PANEL.top - 16, `${title}, ${unit}`, 'start', ' font-size="14"'),
    ...sizes,
    ...values,
    wanted,
    text((left + right) / 2, bottom + 38, 'tools', 'middle'),
    ...lines.flatMap(({ name, color, points }) => {
      const last = points.at(-1);
      if (!last) return [];
      const places = points.map(([documents, value]) => [round(x(documents)), round(y(value))]);
      return [
        `<polyline points="${places.map((place) => place.join(',')).join(' ')}" fill="none" stroke="${color}" stroke-width="2.5"/>`,
        ...places.map(([cx, cy]) => `<circle cx="${cx}" cy="${cy}" r="3.5" fill="${color}"/>`),
        text(
          x(last[0]),
          y(last[1]) + (color === DATABASE ? 20 : -10),
          name,
          'end',
          ` fill="${color}" font-weight="600"`,
        ),
      ];
    }),
  ].join('\n');
}

function powers(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, at) => 10 ** (from + at));
}

function line(x1: number, y1: number, x2: number, y2: number, color: string, more = ''): string {
  return `<line x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}" stroke="${color}"${more}/>`;
}

function text(x: number, y: number, content: string, anchor: string, more = ''): string {
  return `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}"${more}>${content}</text>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
