import { asRecord, estimateTokens, ownEntries } from '../../kit.ts';
import type { LintFinding } from './finding.ts';
import type { LintedTool } from './linted-catalog.ts';
import { count, quote } from './quote.ts';

/**
 * Tokens of a heavy definition, and of a very heavy one. Of 2,801 tools of 92 MCP servers, half take at most 166, one in 25
 * more than 1,000, and one in 50 more than 2,000.
 */
const HEAVY = 1_000;
const VERY_HEAVY = 2_000;
/** A share of a definition that is worth to be named. */
const MOST = 0.25;

/** A definition that costs many tokens on each turn in which it is sent. */
export function heavyDefinition({ name, description, schema }: LintedTool): readonly LintFinding[] {
  const whole = json({ name, description, parameters: schema });
  // A token has one character or more.
  const tokens = whole.length > HEAVY ? estimateTokens(whole) : 0;
  if (tokens <= HEAVY) return [];
  const parts = [
    { path: 'description', what: 'its description', text: description },
    ...ownEntries(asRecord(schema)?.['properties']).map(([parameter, property]) => ({
      path: parameter,
      what: `the parameter ${quote(parameter, 64)}`,
      text: json(property),
    })),
  ];
  const [heaviest] = parts.toSorted((one, other) => other.text.length - one.text.length);
  const share = (heaviest?.text.length ?? 0) / whole.length;
  const isMost = heaviest !== undefined && share > MOST;
  return [
    {
      ...{ rule: 'heavy-definition', severity: tokens > VERY_HEAVY ? 'warning' : 'info', toolName: name },
      ...(isMost ? { path: heaviest.path } : {}),
      evidence: `The definition takes about ${tokens.toLocaleString('en-US')} tokens, ${
        isMost
          ? `${Math.round(100 * share)} % of them in ${heaviest.what}`
          : `spread over ${count(parts.length - 1, 'parameter')}`
      }.`,
      remedy: 'Cut examples and what is said twice, put reference text behind another tool, or make two tools of it.',
    },
  ];
}

/** A value as JSON; empty where it has none. */
function json(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '';
  }
}
