import { textOf } from '../support/task-script.ts';
import { definitionTokens, type RecordedCall, requestTokens } from './recording.ts';

interface Step {
  readonly text: string;
  readonly toolCalls: readonly { readonly payload: { readonly toolName: string; readonly args?: unknown } }[];
  readonly toolResults: readonly { readonly payload: { readonly toolName: string; readonly result: unknown } }[];
}

/** Prints what the model was sent and what it did, call by call. */
export function printSteps(steps: readonly Step[], calls: readonly RecordedCall[]): void {
  for (const [index, step] of steps.entries()) {
    const call = calls[index];
    if (!call) throw new Error(`Step ${index + 1} made no call of the model.`);
    const names = call.tools.map((tool) => tool.name).join(', ');
    console.log(
      `  Call ${index + 1}: ${call.tools.length} tools, about ${number(definitionTokens(call))} tokens: ${names}`,
    );
    for (const { payload } of step.toolCalls) {
      console.log(`    model  ${payload.toolName}(${cut(JSON.stringify(payload.args ?? {}))})`);
    }
    for (const { payload } of step.toolResults) printResult(payload.result);
    if (step.toolCalls.length === 0) console.log(`    model  ${cut(step.text)}`);
  }
}

function printResult(result: unknown): void {
  const { results, message } = (result ?? {}) as { results?: { name: string; score: number }[]; message?: string };
  if (Array.isArray(results)) {
    for (const { name, score } of results) console.log(`    found  ${name} (score ${score})`);
    if (results.length === 0) console.log(`    found  nothing: ${cut(message ?? '')}`);
  } else {
    console.log(`    result ${cut(message ?? textOf(result))}`);
  }
}

export interface Row {
  readonly title: string;
  readonly search: readonly RecordedCall[];
  readonly everything: readonly RecordedCall[];
}

/** The closing table: over all model calls of a task. */
export function printTable(rows: readonly Row[]): void {
  const line = (title: string, cells: readonly string[]) =>
    console.log(`  ${title.padEnd(40)}${cells.map((cell) => cell.padStart(15)).join('')}`);
  const compare = (title: string, row: Omit<Row, 'title'>, tokens: (call: RecordedCall) => number) => {
    const [search, everything] = [row.search, row.everything].map((calls) =>
      calls.reduce((sum, call) => sum + tokens(call), 0),
    );
    if (!search || !everything) throw new Error('The model was not called.');
    const saved = `${Math.round((1 - search / everything) * 100)} %`;
    line(title, [`${row.search.length}`, number(search), `${row.everything.length}`, number(everything), saved]);
  };
  line('', ['tool search', '', 'all tools sent', '', '']);
  line('', ['model calls', 'tokens', 'model calls', 'tokens', 'saved']);
  for (const row of rows) compare(row.title, row, definitionTokens);
  const all = { search: rows.flatMap((row) => row.search), everything: rows.flatMap((row) => row.everything) };
  compare('All tool definitions', all, definitionTokens);
  compare('All requests, messages included', all, requestTokens);
}

export function number(value: number): string {
  return value.toLocaleString('en-US');
}

function cut(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > 160 ? `${line.slice(0, 160)}…` : line;
}
