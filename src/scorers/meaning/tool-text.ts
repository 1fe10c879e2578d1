import { splitIdentifier } from '../../util/words.ts';
import type { ToolDocument } from '../document.ts';

/** Characters of each field that are embedded. Measured: more of a description finds nothing more. */
const MAX_KEYWORDS = 300;
const MAX_DESCRIPTION = 500;
const MAX_PARAMETERS = 300;
const MAX_HINTS = 200;

/**
 * The text of a tool that is embedded: the words of its name, title, keywords, description, parameter names and hints.
 * Its length is bounded, so that any model takes it.
 */
export function documentText({ name, title, keywords, description, parameters, hints = [] }: ToolDocument): string {
  const parameterWords = parameters.map((parameter) => splitIdentifier(parameter.name).join(' '));
  const parts = [
    splitIdentifier(name).join(' ') || name,
    title,
    keywords.join(', ').slice(0, MAX_KEYWORDS),
    description.slice(0, MAX_DESCRIPTION),
    parameterWords.filter(Boolean).join(', ').slice(0, MAX_PARAMETERS),
    hints.join(', ').slice(0, MAX_HINTS),
  ];
  return parts.filter(Boolean).join('. ');
}
