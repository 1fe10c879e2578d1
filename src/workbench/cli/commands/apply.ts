import path from 'node:path';
import { createTwoFilesPatch } from 'diff';
import { ended } from '../../../util/text.ts';
import { applyChanges, changesIn } from '../../changes.ts';
import { readJson } from '../catalog/json.ts';
import { readText } from '../catalog/load.ts';
import type { Call, Command } from '../command.ts';
import { formatOf, several, writeResult } from '../output.ts';
import { FAILED, OK, shown, UsageError, warning } from '../terminal.ts';

export const applyCommand: Command = {
  name: 'apply',
  summary: 'Write the changes of the inspector into a JSON file of tools.',
  usage: 'CHANGES FILE',
  about: [
    'CHANGES is what the inspector downloads as changes.json. Descriptions are replaced where they stand; keywords go to the "keywords" beside the tools, where FILE has them, else to the "metadata" of the tool. A tool that says something else than before the change stays as it is, and the exit code is 1.',
  ],
  options: { patch: { text: 'Print a patch of FILE, and change nothing' } },
  examples: [
    ['apply changes.json tools.json', 'change the file'],
    ['apply changes.json tools.json --patch | git apply', 'the same, as a patch'],
  ],
  run,
};

async function run(call: Call): Promise<number> {
  const { positionals, terminal, values } = call;
  const [from, file, extra] = positionals;
  if (from === undefined || file === undefined)
    throw new UsageError('Give the changes, and the file to change: apply changes.json tools.json.');
  if (extra !== undefined) throw new UsageError(`"${shown(extra)}" is one argument too many.`);
  const changes = changesIn(readJson(from === '-' ? await terminal.input() : readText(from), from));
  if (!changes) throw new UsageError(`${shown(from)} has no changes. Download it from the changes of the inspector.`);
  const before = readText(file);
  const { text, applied, problems } = applyChanges(before, changes);
  const isPatch = values.flag('patch');
  if (!isPatch && text !== before) writeResult(file, text);
  for (const problem of problems) warning(terminal, `Not changed: ${ended(shown(problem))}`);
  if (isPatch) {
    const name = path.relative('', file).replaceAll(path.sep, '/');
    if (text !== before) terminal.print(createTwoFilesPatch(`a/${name}`, `b/${name}`, before, text).trimEnd());
  } else if (formatOf(call) === 'json') terminal.print(JSON.stringify({ file, applied, problems }));
  else terminal.print(`Changed ${several(applied.length, 'tool')} of ${shown(file)}`);
  return problems.length > 0 ? FAILED : OK;
}
