/** Rows of cells, the first of them the heading. */
export type Table = readonly (readonly string[])[];

/** In columns for a terminal: the first one to the left, figures to the right. */
export function textTable(table: Table): string {
  const widths = (table[0] ?? []).map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const lines = table.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join('  '),
  );
  return lines.map((line) => `  ${line}`.trimEnd()).join('\n');
}

export function markdownTable([heading = [], ...rows]: Table): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const rule = heading.map((_, column) => (column === 0 ? '---' : '---:'));
  return [heading, rule, ...rows].map(line).join('\n');
}
