import { readText } from '../catalog/load.ts';
import type { Call, Command } from '../command.ts';
import { counted, formatOf, several } from '../output.ts';
import { FAILED, OK, shown, UsageError, warning } from '../terminal.ts';

export const learnCommand: Command = {
  name: 'learn',
  summary: 'Learn from a log: fill a store of `learning`, or write keywords to review.',
  usage: 'LOG',
  about: [
    "LOG has JSON lines: events as onEvent gets them, or spans of Mastra's traces; - is stdin. A use is a call that succeeded after a search which had shown the tool.",
    'What the log would bring: eval CATALOG --learning LOG.',
  ],
  options: {
    store: { hint: 'FOLDER', text: 'Fill fileLearningStore({ folder }), beside what it has' },
    scope: { hint: 'NAME', values: ['resource', 'global'], text: 'As learning.scope (resource)' },
    keywords: { hint: 'N', text: 'Print as search.keywords up to N queries of each tool that was not first' },
  },
  examples: [
    ['learn events.jsonl --store ./learned', "the first day begins with last month's requests"],
    ['learn events.jsonl --keywords 5 > keywords.json', 'keywords to review'],
  ],
  run,
};

async function run(call: Call): Promise<number> {
  const { positionals, terminal, values } = call;
  const [file, extra] = positionals;
  if (file === undefined) throw new UsageError('Which log? Give a file of JSON lines: learn events.jsonl.');
  if (extra !== undefined) throw new UsageError(`"${shown(extra)}" is one argument too many.`);
  const most = values.whole('keywords', 1);
  const folder = values.text('store');
  const scope = values.oneOf('scope', ['resource', 'global'] as const) ?? 'resource';
  const learning = await import('../../../entries/learning.ts');
  const { uses, broken } = learning.usesInLog(file === '-' ? await terminal.input() : readText(file));
  if (broken > 0) warning(terminal, `${several(broken, 'line')} could not be read, and count for nothing.`);
  if (most !== undefined) {
    terminal.print(JSON.stringify(learning.keywordsOfUses(uses, most), null, 2));
    return uses.length > 0 ? OK : FAILED;
  }
  const filled =
    folder === undefined
      ? undefined
      : await learning.fillLearningStore(learning.fileLearningStore({ folder }), uses, { scope });
  const tools = new Set(uses.map(({ toolName }) => toolName)).size;
  const result = { uses: uses.length, tools, broken, ...(filled ? { filled } : {}) };
  if (formatOf(call) === 'json') terminal.print(JSON.stringify(result));
  else {
    const added = filled ? ` Added ${counted(filled.uses)} to ${several(filled.scopes, 'scope')}.` : '';
    terminal.print(`${several(uses.length, 'use')} of ${several(tools, 'tool')}.${added}`);
  }
  return uses.length > 0 ? OK : FAILED;
}
