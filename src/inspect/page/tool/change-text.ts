import type { InspectTool } from '../../data.ts';
import type { ToolEdit } from '../engine/edits.ts';

/** The keywords of a change, as the option `search.keywords` takes them; undefined where they are as they were. */
export function keywordsSnippet(edits: Iterable<readonly [name: string, edit: ToolEdit]>): string | undefined {
  const entries = Array.from(edits).flatMap(([name, { keywords }]) => (keywords ? [[name, keywords] as const] : []));
  if (entries.length === 0) return undefined;
  return `${JSON.stringify({ search: { keywords: Object.fromEntries(entries) } }, null, 2)}\n`;
}

/** A change as lines that go and lines that come, in the form of a unified difference. Empty where nothing changed. */
export function differenceText(tool: InspectTool, edit: ToolEdit): string {
  const parts: string[] = [];
  if (edit.description !== undefined)
    parts.push(...['@@ description @@', ...lineChanges(tool.description, edit.description)]);
  if (edit.keywords !== undefined)
    parts.push(...['@@ keywords @@', ...lineChanges((tool.keywords ?? []).join('\n'), edit.keywords.join('\n'))]);
  if (parts.length === 0) return '';
  return [`--- ${tool.name}`, `+++ ${tool.name}`, ...parts, ''].join('\n');
}

/** The lines of two texts: those that both begin or end with stay, those between go and come. */
export function lineChanges(before: string, after: string): readonly string[] {
  const old = linesOf(before);
  const now = linesOf(after);
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  return [
    ...old.slice(0, start).map((line) => ` ${line}`),
    ...old.slice(start, old.length - end).map((line) => `-${line}`),
    ...now.slice(start, now.length - end).map((line) => `+${line}`),
    ...old.slice(old.length - end).map((line) => ` ${line}`),
  ];
}

/** The lines of a text; none of an empty one. */
function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.split('\n');
}
