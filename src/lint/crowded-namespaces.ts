import { CROWD, crowds } from '../catalog/crowds.ts';
import type { LintFinding } from './finding.ts';
import type { LintedCatalog } from './linted-catalog.ts';
import { quote } from './quote.ts';

/** Servers, or groups, of more functions than OpenAI advises in a namespace. */
export function crowdedNamespaces({ tools }: LintedCatalog): readonly LintFinding[] {
  const grouped = tools.filter(({ server }) => server !== '');
  return crowds(grouped.map(({ server }) => server)).map(([server, size]) => {
    const [toolName = '', ...others] = grouped.filter((tool) => tool.server === server).map(({ name }) => name);
    return {
      ...({ rule: 'crowded-namespace', severity: 'info', toolName, others } as const),
      evidence: `The namespace ${quote(server)} has ${size} functions; OpenAI advises fewer than ${CROWD}.`,
      remedy: "With OpenAI's tool search, split it with native.namespace.",
    };
  });
}
