import type { LintedTool } from './linted-catalog.ts';
import type { LintedParameter } from './parameters.ts';

/** A text that the model reads of a tool. */
export interface LintedText {
  /** Its place: `name`, `title`, `description`, or the path of a parameter. */
  readonly path: string;
  readonly text: string;
}

/** Characters of one text that are read, and texts of one tool. */
const MAX_TEXT = 50_000;
const MAX_TEXTS = 5_000;

/** All texts that the model reads of a tool: its name, its title, its description, and all that its parameters say. */
export function textsOf({ originalName, title, description, parameters }: LintedTool): readonly LintedText[] {
  const own = [
    { path: 'name', text: originalName },
    { path: 'title', text: title },
    { path: 'description', text: description },
  ];
  return [...own, ...parameters.flatMap(textsOfParameter)]
    .filter(({ text }) => text !== '')
    .slice(0, MAX_TEXTS)
    .map(({ path, text }) => ({ path, text: text.slice(0, MAX_TEXT) }));
}

function textsOfParameter({ path, name, description, fields }: LintedParameter): LintedText[] {
  const { title, default: preset, const: constant, enum: values, examples, pattern } = fields;
  const said = [name, description, ...[title, preset, constant, values, examples, pattern].flatMap(stringsIn)];
  return said.map((text) => ({ path, text }));
}

/** The strings of a value: itself, or those of a list or an object. */
function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value)
    .slice(0, 100)
    .flatMap(([key, inner]) => (typeof inner === 'string' ? [inner] : Array.isArray(value) ? [] : [key]));
}
