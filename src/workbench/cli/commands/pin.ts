import { messageOf } from '../../../errors.ts';
import { definitions, listedTools, Reporter, readCatalog, suspicionIn } from '../../../kit.ts';
import * as lockFile from '../../../stores/file-pins.ts';
import { catalogOptions, loadCatalog, readText } from '../catalog/load.ts';
import type { Call, Command } from '../command.ts';
import { formatOf, printResult, several } from '../output.ts';
import { FAILED, OK, shown, type Terminal, UsageError, warning } from '../terminal.ts';

type Pin = ReturnType<typeof definitions.pinOf>;

export const pinCommand: Command = {
  name: 'pin',
  summary: 'Write the lock file of `pins`, or check that a catalog is as it was pinned.',
  usage: 'CATALOG',
  about: [
    'Prints a pin of each tool: a digest of its name, description, schemas and annotations. Whoever runs it accepts the definitions, but for those that are suspicious.',
    'With --check, ends with 1 where a tool has changed or is new.',
  ],
  options: {
    check: { hint: 'FILE', text: 'Compare with this lock file, and print none' },
    accept: { multiple: true, hint: 'TOOL', text: 'Accept this tool although it is suspicious' },
    ...catalogOptions,
  },
  examples: [
    ['pin mcp.json > tools.lock.json', 'to be checked in'],
    ['pin mcp.json --check tools.lock.json', 'in CI'],
  ],
  run,
};

async function run(call: Call): Promise<number> {
  const { values, terminal } = call;
  const file = values.text('check');
  if (file === undefined && formatOf(call) === 'markdown')
    throw new UsageError('A lock file is JSON. Leave --markdown out, or add --check FILE.');
  const before = file === undefined ? undefined : pinsOf(file);
  const accepted = values.texts('accept');
  if (before && accepted.length > 0) throw new UsageError('--accept is for writing a lock file. Leave out --check.');
  const { catalog } = await loadCatalog(call);
  const pins = readPins(catalog.tools, accepted, terminal);
  for (const name of accepted)
    if (!pins.has(name)) throw new UsageError(`--accept names the tool "${shown(name)}", which the catalog has not.`);
  if (before) return compare(call, before, pins);
  terminal.print(lockFile.lockText(new Map([[lockFile.EVERYBODY, pins]])).trimEnd());
  return OK;
}

/** @throws UsageError for a file that is no lock file. */
function pinsOf(file: string): ReadonlyMap<string, Pin> {
  const text = readText(file);
  try {
    return lockFile.pinsIn(text).get(lockFile.EVERYBODY) ?? new Map();
  } catch (cause) {
    throw new UsageError(`${shown(file)} is no lock file (${shown(messageOf(cause))}). Write one with pin.`, { cause });
  }
}

/** The pins of tools, by the names that the processor gives them. */
function readPins(tools: object, accepted: readonly string[], terminal: Terminal): ReadonlyMap<string, Pin> {
  const catalog = readCatalog(listedTools(tools as never), {
    ...{
      reservedNames: [],
      keywords: new Map(),
      reporter: new Reporter(() => {}),
      groupOf: () => ({ name: '', description: '' }),
    },
  });
  const pins = new Map<string, Pin>();
  for (const entry of catalog.entries) {
    const name = definitions.pinName(entry);
    try {
      const definition = definitions.readDefinition(entry.name, entry.tool);
      const suspicion = accepted.includes(name) ? undefined : suspicionIn(definition);
      const pin = definitions.pinOf(definition);
      pins.set(name, suspicion ? pin : { ...pin, accepted: true });
      if (suspicion)
        warning(
          terminal,
          `"${shown(name)}" is suspicious, and not accepted. ${suspicion.evidence} Look at it, then --accept ${shown(name)}.`,
        );
    } catch (error) {
      warning(terminal, `"${shown(name)}" cannot be read, and has no pin: ${shown(messageOf(error))}`);
    }
  }
  return pins;
}

/** Whether both pins name a server, and not the same: a run withholds such a tool too. */
function isOfAnother({ server: before }: Pin, { server: now }: Pin): boolean {
  return before !== undefined && now !== undefined && before !== now;
}

function compare(call: Call, before: ReadonlyMap<string, Pin>, now: ReadonlyMap<string, Pin>): number {
  const changed: { toolName: string; diff: string }[] = [];
  const added: string[] = [];
  for (const [toolName, pin] of now) {
    const old = before.get(toolName);
    if (!old) added.push(toolName);
    else if (old.digest !== pin.digest || isOfAnother(old, pin))
      changed.push({ toolName, diff: definitions.difference(old, pin) });
  }
  const gone = [...before.keys()].filter((name) => !now.has(name));
  printResult(call, { changed, new: added, gone }, (page) => {
    const { colors } = call.terminal;
    page.table(
      [
        { title: 'tool', paint: colors.bold },
        { title: 'what is another', isWide: true },
      ],
      [
        ...changed.map(({ toolName, diff }) => [toolName, diff]),
        ...added.map((name) => [name, 'new']),
        ...gone.map((name) => [name, 'gone']),
      ],
    );
    page.add(
      `${several(changed.length, 'tool')} changed, ${added.length} new, ${gone.length} gone, of ${before.size}.`,
    );
  });
  return changed.length + added.length > 0 ? FAILED : OK;
}
