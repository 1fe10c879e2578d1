import { contentWords, isStopWord, splitIdentifier, stem, words } from '../../kit.ts';
import type { LintFinding, LintSeverity } from './finding.ts';
import type { LintedTool } from './linted-catalog.ts';
import { quote } from './quote.ts';

/** Words that tell of a tool; fewer match few queries. */
const FEW_WORDS = 2;

/** No description, or one that says next to nothing. */
export function thinDescription({ name, bareName, description }: LintedTool): readonly LintFinding[] {
  if (description === '')
    return [
      {
        ...({ rule: 'missing-description', severity: 'error', toolName: name, path: 'description' } as const),
        evidence: `${quote(name)} has no description: only its name and parameters can find it.`,
        remedy: 'Say in a sentence what it does, to what, and in which service.',
      },
    ];
  const distinctive = contentWords(words(description)).filter((word) => !isStopWord(word));
  const finding = (severity: LintSeverity, evidence: string): LintFinding[] => [
    {
      ...{ rule: 'thin-description', severity, toolName: name, path: 'description', evidence },
      remedy: 'Say what it does, to what, in which service, and when to use it.',
    },
  ];
  if (distinctive.length <= FEW_WORDS)
    return finding(
      distinctive.length < FEW_WORDS ? 'warning' : 'info',
      `The description is ${quote(description)} alone.`,
    );
  const named = new Set([...splitIdentifier(name), ...splitIdentifier(bareName)].map(stem));
  if (!distinctive.every((word) => named.has(stem(word)))) return [];
  return finding('info', `The description ${quote(description)} repeats the words of the name.`);
}
