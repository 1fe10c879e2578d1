import { type EvaluationCase, parseCases } from '../../entries/evaluate.ts';
import { readText } from './catalog/load.ts';
import { shown, type Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';

/**
 * The cases of a file, JSON lines or a JSON list; `-` is stdin.
 *
 * @throws UsageError where it has none.
 */
export async function readCasesFile(file: string, terminal: Terminal): Promise<readonly EvaluationCase[]> {
  const text = file === '-' ? await terminal.input() : readText(file);
  const cases = parseCases(linesOf(text) ?? text);
  if (cases.length > 0) return cases;
  throw new UsageError(`${shown(file)} has no cases. A case is a line: { "query": "…", "relevant": ["tool"] }.`);
}

/** A JSON list as JSON lines; undefined where the text is no list. */
function linesOf(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value.map((one) => JSON.stringify(one)).join('\n') : undefined;
  } catch {
    return undefined;
  }
}
