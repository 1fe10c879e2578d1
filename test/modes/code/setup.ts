import type { CodeModeTransport } from '@mastra/core/tools';
import { ToolSearchProcessor, type ToolSearchProcessorOptions } from 'mastra-tool-search';
import { quickJsTransport } from 'mastra-tool-search/quickjs';
import { calls, type Rig, type RigOptions, rig, search } from '../../support/agent.ts';
import { toolResults } from '../../support/scripted-model.ts';

export const transport: CodeModeTransport = quickJsTransport();

/** A call of a program. */
export const program = (code: string): { toolName: string; input: unknown } => ({
  toolName: 'execute_typescript',
  input: { code },
});

export interface Answer {
  readonly success: boolean;
  readonly result?: unknown;
  readonly logs?: readonly string[];
  readonly error?: { readonly message: string; readonly name?: string; readonly line?: number };
  readonly message?: string;
}

export interface CodeRun extends Rig {
  /** What the model read of its calls, in order. */
  readonly values: readonly unknown[];
  /** What it read of its last program. */
  readonly answer: Answer;
}

/** An agent in code mode, whose model makes these calls, one a step. A text is a program. */
export async function codeRun(
  options: Partial<ToolSearchProcessorOptions>,
  steps: readonly (string | { toolName: string; input: unknown })[],
  { run = {}, ...setup }: Omit<RigOptions, 'script'> & { readonly run?: object } = {},
): Promise<CodeRun> {
  const script = calls(...steps.map((step) => (typeof step === 'string' ? program(step) : step)));
  const made = rig({ mode: 'code', code: { transport }, ...options }, { script, ...setup });
  await made.agent.generate('go', { maxSteps: steps.length + 1, ...run } as never);
  const values = toolResults(made.model.calls.at(-1)!.prompt).map(({ value }) => value);
  return { ...made, values, answer: values.at(-1) as Answer };
}

export { search, ToolSearchProcessor };
