import { splitIdentifier, type ToolDocument } from '../../kit.ts';

const MAX_KEYWORDS = 300;
const MAX_DESCRIPTION = 500;
const MAX_PARAMETERS = 300;
const MAX_HINTS = 200;

/**
 * The text that is embedded of a tool: the words of its name, title, keywords, description, parameter names and hints.
 * Bounded, so that any model takes it; measured, more of a description finds nothing more.
 */
export function documentText({ name, title, keywords, description, parameters, hints = [] }: ToolDocument): string {
  const parts = [
    splitIdentifier(name).join(' ') || name,
    title,
    keywords.join(', ').slice(0, MAX_KEYWORDS),
    description.slice(0, MAX_DESCRIPTION),
    parameters
      .map((parameter) => splitIdentifier(parameter.name).join(' '))
      .filter((words) => words !== '')
      .join(', ')
      .slice(0, MAX_PARAMETERS),
    hints.join(', ').slice(0, MAX_HINTS),
  ];
  return parts.filter((part) => part !== '').join('. ');
}
