import { CROWD, crowds } from '../../kit.ts';
import type { LintFinding } from './finding.ts';
import type { LintedCatalog } from './linted-catalog.ts';
import { quote } from './quote.ts';

/** Servers, or groups, of more functions than OpenAI advises in a namespace. No other mode than native has namespaces. */
export function crowdedNamespaces({ tools, mode }: LintedCatalog): readonly LintFinding[] {
  if (mode !== 'native') return [];
  const grouped = tools.filter(({ server }) => server !== '');
  const namesOf = new Map<string, string[]>();
  for (const { server, name } of grouped) {
    const names = namesOf.get(server);
    if (names) names.push(name);
    else namesOf.set(server, [name]);
  }
  return crowds(grouped.map(({ server }) => server)).map(([server, size]) => {
    const [toolName = '', ...others] = namesOf.get(server) ?? [];
    return {
      ...({ rule: 'crowded-namespace', severity: 'info', toolName, others } as const),
      evidence: `The namespace ${quote(server)} has ${size} functions; OpenAI advises fewer than ${CROWD}.`,
      remedy: "With OpenAI's tool search, split it with native.namespace.",
    };
  });
}
