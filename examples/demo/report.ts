import { textOf } from '../support/task-script.ts';
import { cachedTokens, definitionTokens, type RecordedCall, requestTokens } from './recording.ts';

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

/** A way for tools to reach the model, with its runs. */
export interface Row {
  readonly name: string;
  readonly runs: readonly { readonly calls: readonly RecordedCall[]; readonly isDone: boolean }[];
}

/** The result: what tool search saved, then what each way took for all tasks. The first row has all tools sent. */
export function printResult(rows: readonly Row[]): void {
  const [everything, searched] = rows.map(costOf);
  if (!everything || !searched) return;
  console.log(`Saved: ${saved(everything.definitions, searched.definitions)} of the tokens of tool definitions,`);
  console.log(`       ${saved(everything.tokens, searched.tokens)} of the tokens of whole requests.\n`);
  const line = (title: string, cells: readonly string[]) =>
    console.log(`  ${title.padEnd(26)}${cells.map((cell) => cell.padStart(13)).join('')}`);
  line('', ['tasks done', 'model calls', 'definitions', 'all tokens', 'from cache', 'anew']);
  for (const row of rows) {
    const { definitions, tokens, cached } = costOf(row);
    const done = `${row.runs.filter(({ isDone }) => isDone).length} of ${row.runs.length}`;
    const calls = row.runs.reduce((sum, run) => sum + run.calls.length, 0);
    line(row.name, [done, number(calls), ...[definitions, tokens, cached, tokens - cached].map(number)]);
  }
  console.log(
    '\nTokens over all calls of the model, estimated (tokenx) from the JSON that was sent. "definitions" are',
  );
  console.log(
    'those of tools, the meta-tools too. "from cache" is what equals the request before, from its beginning.',
  );
}

interface Tokens {
  readonly definitions: number;
  readonly tokens: number;
  readonly cached: number;
}

function costOf({ runs }: Row): Tokens {
  const sum = (measure: (call: RecordedCall, before: RecordedCall | undefined) => number): number =>
    runs.reduce((all, { calls }) => calls.reduce((some, call, n) => some + measure(call, calls[n - 1]), all), 0);
  return { definitions: sum(definitionTokens), tokens: sum(requestTokens), cached: sum(cachedTokens) };
}

function saved(before: number, after: number): string {
  return `${Math.round((1 - after / before) * 100)} %`;
}

export function number(value: number): string {
  return value.toLocaleString('en-US');
}

function cut(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > 160 ? `${line.slice(0, 160)}…` : line;
}
