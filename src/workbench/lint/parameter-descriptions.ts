import type { LintFinding } from './finding.ts';
import type { LintedTool } from './linted-catalog.ts';
import type { LintedParameter } from './parameters.ts';
import { list } from './quote.ts';

/** Names that say nothing of what goes in. */
const VAGUE = new Set(
  `a arg args arguments b body config content context data entity ex extra info input item items json kwargs obj object
  opts options p param parameters params payload props request s str string text thing val value values x y z`.split(
    /\s+/,
  ),
);

/** Parameters without a description. Those inside others count where the outer one has none either. */
export function undescribedParameters({ name, parameters }: LintedTool): readonly LintFinding[] {
  const outer = parameters.filter(({ depth }) => depth === 0);
  const undescribed = outer.filter(({ description }) => description === '');
  // Those whose name says nothing come first: the list may be cut.
  const vague = undescribed.filter(isVague);
  const [first, ...others] = [...vague, ...undescribed.filter((parameter) => !isVague(parameter))];
  if (first === undefined) return [];
  const isBad =
    2 * undescribed.length >= outer.length || vague.length > 0 || undescribed.some(({ isRequired }) => isRequired);
  const count = undescribed.length;
  const share =
    outer.length === 1
      ? 'The only parameter has'
      : `${count} of ${outer.length} parameters ${count === 1 ? 'has' : 'have'}`;
  return [
    {
      ...{ rule: 'undescribed-parameters', toolName: name, path: first.path },
      evidence: `${share} no description: ${list([first, ...others].map(({ path }) => path))}.`,
      severity: isBad ? 'warning' : 'info',
      remedy: 'Describe each: what it means, its format, an example.',
    },
  ];
}

function isVague({ name }: LintedParameter): boolean {
  return VAGUE.has(name.toLowerCase());
}
