import { textOf } from '../support/task-script.ts';
import { definitionTokens, type RecordedCall, requestTokens } from './recording.ts';

interface Step {
  readonly text: string;
  readonly toolCalls: readonly { readonly payload: { readonly toolName: string; readonly args?: unknown } }[];
  readonly toolResults: readonly { readonly payload: { readonly toolName: string; readonly result: unknown } }[];
}

/** What the model was sent and what it did, call by call, in lines. */
export function describeSteps(steps: readonly Step[], calls: readonly RecordedCall[]): readonly string[] {
  return steps.flatMap((step, index) => {
    const call = calls[index];
    if (!call) throw new Error(`Step ${index + 1} made no call of the model.`);
    const names = call.tools.map((tool) => tool.name).join(', ');
    return [
      `  Call ${index + 1}: ${call.tools.length} tools, about ${number(definitionTokens(call))} tokens: ${names}`,
      ...step.toolCalls.map(
        ({ payload }) => `    model  ${payload.toolName}(${cut(JSON.stringify(payload.args ?? {}))})`,
      ),
      ...step.toolResults.flatMap(({ payload }) => describeResult(payload.result)),
      ...(step.toolCalls.length === 0 ? [`    model  ${cut(step.text)}`] : []),
    ];
  });
}

function describeResult(result: unknown): readonly string[] {
  const { results, message } = (result ?? {}) as { results?: { name: string; score: number }[]; message?: string };
  if (!Array.isArray(results)) return [`    result ${cut(message ?? textOf(result))}`];
  if (results.length === 0) return [`    found  nothing: ${cut(message ?? '')}`];
  return results.map(({ name, score }) => `    found  ${name} (score ${score})`);
}

/** A task with what it took. */
export interface Row {
  readonly title: string;
  /** What happened with tool search, in lines. */
  readonly story: readonly string[];
  readonly search: readonly RecordedCall[];
  readonly everything: readonly RecordedCall[];
}

type Compared = Pick<Row, 'search' | 'everything'>;
type Measure = (call: RecordedCall) => number;

/** The result: what was saved, then what all model calls of each task took. */
export function printResult(rows: readonly Row[]): void {
  const all = { search: rows.flatMap((row) => row.search), everything: rows.flatMap((row) => row.everything) };
  console.log(`Saved: ${saved(all, definitionTokens)} of the tokens of tool definitions,`);
  console.log(`       ${saved(all, requestTokens)} of the tokens of whole requests.\n`);
  const line = (title: string, cells: readonly string[]) =>
    console.log(`  ${title.padEnd(40)}${cells.map((cell) => cell.padStart(13)).join('')}`);
  const compare = (title: string, row: Compared, measure: Measure) => {
    const [search, everything] = [sum(row.search, measure), sum(row.everything, measure)];
    const cells = [`${row.search.length}`, number(search), `${row.everything.length}`, number(everything)];
    line(title, [...cells, saved(row, measure)]);
  };
  line('', ['tool search', '', 'all sent', '', '']);
  line('', ['model calls', 'tokens', 'model calls', 'tokens', 'saved']);
  for (const row of rows) compare(row.title, row, definitionTokens);
  compare('All tool definitions', all, definitionTokens);
  compare('All requests, messages included', all, requestTokens);
}

function sum(calls: readonly RecordedCall[], measure: Measure): number {
  return calls.reduce((total, call) => total + measure(call), 0);
}

function saved({ search, everything }: Compared, measure: Measure): string {
  return `${Math.round((1 - sum(search, measure) / sum(everything, measure)) * 100)} %`;
}

export function number(value: number): string {
  return value.toLocaleString('en-US');
}

function cut(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > 160 ? `${line.slice(0, 160)}…` : line;
}
