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
  const [first] = undescribed;
  if (first === undefined) return [];
  const vague = undescribed.filter(isVague);
  const isMost = 2 * undescribed.length >= outer.length;
  const isBad = isMost || undescribed.some((parameter) => parameter.isRequired || isVague(parameter));
  const named = list((vague.length > 0 ? vague : undescribed).map(({ path }) => path));
  const share =
    outer.length === 1 ? 'The only parameter has' : `${undescribed.length} of ${outer.length} parameters have`;
  const evidence = isMost
    ? `${share} no description: ${named}.`
    : `${vague.length > 0 ? 'Names that say nothing' : 'Parameters'} without a description: ${named}.`;
  return [
    {
      ...{ rule: 'undescribed-parameters', toolName: name, path: (vague[0] ?? first).path, evidence },
      severity: isBad ? 'warning' : 'info',
      remedy: 'Describe each: what it means, its format, an example.',
    },
  ];
}

function isVague({ name }: LintedParameter): boolean {
  return VAGUE.has(name.toLowerCase());
}
