import { messageOf } from '../errors.ts';
import { asRecord, isRecord } from '../util/record.ts';
import { innerDefinitions } from './definitions.ts';

/** A part of a tool before and after a change. */
export interface Changed<Value> {
  readonly before: Value;
  readonly after: Value;
}

/** Changes to a tool, made in the inspector. */
export interface ToolChange {
  readonly description?: Changed<string>;
  readonly keywords?: Changed<readonly string[]>;
}

/** Changes to a catalog, by the names of tools: the inspector writes them as JSON, and `apply` reads them. */
export interface CatalogChanges {
  readonly changes: Readonly<Record<string, ToolChange>>;
}

/** The result of {@link applyChanges}. */
export interface AppliedChanges {
  /** The text of the file with the changes that fit, in its own indentation. */
  readonly text: string;
  /** Names of the tools that were changed. */
  readonly applied: readonly string[];
  /** The changes that do not fit: each names the tool and the reason. */
  readonly problems: readonly string[];
}

/** Reads changes from a JSON value; undefined if the value has another form. */
export function changesIn(value: unknown): CatalogChanges | undefined {
  const changes = asRecord(asRecord(value)?.['changes']);
  const isWords = (words: unknown): boolean => Array.isArray(words) && words.every((word) => typeof word === 'string');
  const isChange = (change: unknown): boolean => {
    const { description, keywords } = asRecord(change) ?? { description: null };
    const [texts, lists] = [asRecord(description), asRecord(keywords)];
    return (
      (description === undefined || (typeof texts?.['before'] === 'string' && typeof texts['after'] === 'string')) &&
      (keywords === undefined || (isWords(lists?.['before']) && isWords(lists?.['after'])))
    );
  };
  return changes && Object.values(changes).every(isChange) ? ({ changes } as CatalogChanges) : undefined;
}

/**
 * Changes the tools of a JSON catalog: a list of definitions in the form of MCP, Anthropic, OpenAI or Google, `tools` in an
 * object, tools by their names, or JSON lines. A tool that differs from the `before` of its change stays unchanged.
 *
 * @throws Error where the text is neither JSON nor JSON lines.
 */
export function applyChanges(text: string, { changes }: CatalogChanges): AppliedChanges {
  const { value, write } = readCatalogText(text);
  const tools = definitionsIn(value);
  const words = asRecord(asRecord(value)?.['tools'] && asRecord(value)?.['keywords']) as Words | undefined;
  const applied: string[] = [];
  const problems: string[] = [];
  for (const [name, change] of Object.entries(changes)) {
    const tool = tools.get(name);
    const problem = tool ? changeTool(tool, name, change, words) : 'the file has no such tool';
    if (problem === undefined) applied.push(name);
    else problems.push(`${name}: ${problem}`);
  }
  return { text: applied.length > 0 ? write() : text, applied, problems };
}

/** Changed keywords as code for `search.keywords`; undefined if none were changed. */
export function keywordsCode({ changes }: CatalogChanges): string | undefined {
  const entries = Object.entries(changes).flatMap(([name, { keywords }]) => (keywords ? [[name, keywords.after]] : []));
  return entries.length > 0
    ? `search: { keywords: ${JSON.stringify(Object.fromEntries(entries), null, 2)} },\n`
    : undefined;
}

type Fields = Record<string, unknown>;
type Words = Record<string, readonly string[]>;

/** Parses a catalog; `write` serialises its value in the original format. */
function readCatalogText(text: string): { value: unknown; write(): string } {
  const plain = text.startsWith('\ufeff') ? text.slice(1) : text;
  const end = plain.slice(plain.trimEnd().length);
  try {
    const value: unknown = JSON.parse(plain);
    const indent = /^[[{]\s*\n([\t ]+)/.exec(plain.trimStart())?.[1];
    return { value, write: () => `${JSON.stringify(value, null, indent)}${end}` };
  } catch (error) {
    try {
      const lines = plain.split('\n').filter((line) => line.trim() !== '');
      const value = lines.map((line) => JSON.parse(line) as unknown);
      return { value, write: () => `${value.map((line) => JSON.stringify(line)).join('\n')}${end}` };
    } catch {
      throw new Error(`What is to be changed is no JSON: ${messageOf(error)}`);
    }
  }
}

/** The definitions in a value, by name. They are parts of the value, so a change to one changes the value. */
function definitionsIn(value: unknown): ReadonlyMap<string, Fields> {
  const fields = asRecord(value) as Fields | undefined;
  const tools = Array.isArray(value) ? value : (fields?.['tools'] ?? asRecord(fields?.['result'])?.['tools'] ?? fields);
  const list = Array.isArray(tools)
    ? tools.map((tool) => [undefined, tool] as const)
    : Object.entries(asRecord(tools) ?? {});
  const all = list.flatMap(([key, tool]): [string, Fields][] => {
    return innerDefinitions(tool).flatMap((one): [string, Fields][] => {
      const definition = asRecord(one) as Fields | undefined;
      const name = definition?.['name'] ?? definition?.['id'] ?? key;
      return definition && typeof name === 'string' ? [[name, definition]] : [];
    });
  });
  return new Map(all);
}

/** Changes a definition; returns the problem if the definition differs from the `before` of the change. */
function changeTool(tool: Fields, name: string, change: ToolChange, words: Words | undefined): string | undefined {
  const { description, keywords = { before: [], after: [] } } = change;
  const metadata = isRecord(tool['metadata']) ? (tool['metadata'] as Fields) : {};
  const [own, beside] = [wordsIn(metadata['keywords']), wordsIn(words?.[name])];
  const text = typeof tool['description'] === 'string' ? tool['description'] : '';
  const gone = keywords.before.filter((word) => !keywords.after.includes(word));
  const missing = gone.find((word) => !own.includes(word) && !beside.includes(word));
  if (description && text.trim() !== description.before.trim() && text !== description.after)
    return 'its description is another than before the change';
  if (missing !== undefined) return `its keyword ${JSON.stringify(missing)} stands elsewhere`;
  if (description) tool['description'] = description.after;
  if (!change.keywords) return undefined;
  const isLeft = (word: string): boolean => !gone.includes(word);
  const isNew = (word: string): boolean => ![...keywords.before, ...own, ...beside].includes(word);
  const added = keywords.after.filter(isNew);
  if (words) words[name] = [...beside.filter(isLeft), ...added];
  const inTool = [...own.filter(isLeft), ...(words ? [] : added)];
  if (inTool.length + own.length > 0) tool['metadata'] = { ...metadata, keywords: inTool };
  return undefined;
}

function wordsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((word): word is string => typeof word === 'string') : [];
}
