// The options of every bench, and the tables that it prints.
import { type ParseArgsConfig, parseArgs } from 'node:util';

type Options<Defaults> = {
  readonly [Name in keyof Defaults]: Defaults[Name] extends boolean
    ? boolean
    : Defaults[Name] extends string
      ? string
      : string | undefined;
};

/** Reads the command line: a flag for each boolean default, a text for any other. `--help` prints the usage and exits. */
export function optionsOf<Defaults extends Readonly<Record<string, string | boolean | undefined>>>(
  usage: string,
  defaults: Defaults,
): Options<Defaults> {
  const types = Object.entries({ ...defaults, help: false }).map(([name, value]) => {
    return [name, { type: typeof value === 'boolean' ? 'boolean' : 'string' }];
  });
  const { values } = parseArgs({ options: Object.fromEntries(types) as ParseArgsConfig['options'] & object });
  if (values['help']) {
    console.log(usage);
    process.exit();
  }
  return { ...defaults, ...values } as unknown as Options<Defaults>;
}

/** Rows of cells, the first of them the heading. */
export type Table = readonly (readonly string[])[];

/** Markdown whose columns are aligned for a terminal: the first to the left, figures to the right. */
export function table([heading = [], ...rows]: Table): string {
  const widths = heading.map((_, column) => Math.max(4, ...[heading, ...rows].map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string => {
    const padded = widths.map((width, column) =>
      column === 0 ? (cells[column] ?? '').padEnd(width) : (cells[column] ?? '').padStart(width),
    );
    return `| ${padded.join(' | ')} |`;
  };
  const rule = widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [heading, rule, ...rows].map(line).join('\n');
}

/** A table of a report, with what it is. */
export interface Section {
  readonly title: string;
  readonly rows: Table;
  readonly note?: string;
}

export function section({ title, rows, note }: Section): string {
  return [title, table(rows), ...(note === undefined ? [] : [note]), ''].join('\n');
}

/** A share in percent, with one decimal; empty without a share. */
export function percent(share: number): string {
  return Number.isNaN(share) ? '' : (share * 100).toFixed(1);
}

/** A difference of shares in percent, with its sign. */
export function signed(share: number): string {
  return `${share < 0 ? '−' : '+'}${percent(Math.abs(share))}`;
}

/** Three digits. */
export function threeDigits(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)));
}
