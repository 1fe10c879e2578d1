import { spawn } from 'node:child_process';
import { watch } from 'node:fs';
import path from 'node:path';
import type { Funnel } from '../../../entries/evaluate.ts';
import type { InspectOptions } from '../../../entries/inspect.ts';
import { messageOf } from '../../../errors.ts';
import { given } from '../../../util/record.ts';
import { ended } from '../../../util/text.ts';
import { catalogOptions, loadCatalog, MODES, modeOption, readText } from '../catalog/load.ts';
import type { Call, Command } from '../command.ts';
import { embedderOption, embedderScorer, readCasesFile, scorerOption, scorersCalled } from '../inputs.ts';
import { checkWritable, formatOf, writeResult } from '../output.ts';
import { OK, shown, type Terminal, UsageError, warning } from '../terminal.ts';
import { readBaseline } from './eval.ts';

export const inspectCommand: Command = {
  name: 'inspect',
  summary: 'Show a catalog in a page: rankings as you type, cases, costs.',
  usage: 'CATALOG',
  about: [
    'Serves the page on the loopback until Ctrl-C, and opens it. Whoever has the address, with its token, can see all of the tools; nobody can run one. With --html it is written as one file instead, for a pull request.',
  ],
  options: {
    cases: { hint: 'FILE', text: 'Queries with the tools that they should find, as for eval' },
    log: { hint: 'FILE', text: 'Events of real use, JSON lines; - is stdin' },
    baseline: { hint: 'FILE', text: 'Compare the scorers with what eval --save-baseline wrote' },
    html: { hint: 'FILE', text: 'Write the page as one file' },
    port: { hint: 'N', text: 'The port (one that is free)' },
    watch: { text: 'Load the catalog again when its file changes; changes in the page are kept' },
    'no-open': { text: 'Open no browser' },
    top: { short: 'n', hint: 'N', text: 'Results that a model is shown (5)' },
    scorer: { ...scorerOption, multiple: true },
    embedder: embedderOption,
    mode: modeOption,
    ...catalogOptions,
  },
  examples: [
    ['inspect tools.json --cases cases.jsonl', 'in the browser'],
    ['inspect tools.json --cases cases.jsonl --html report.html', 'one file, for a pull request'],
    ['inspect tools.ts --watch', 'follows the file'],
    ['inspect tools.json --log events.jsonl', 'with what became of searches'],
    ['inspect --mcp "npx -y @modelcontextprotocol/server-github"', 'the tools of a server'],
  ],
  run,
};

/** The name of the first scorer asked for: one of the page, or one of a module. */
function firstOf([first]: readonly string[], [own]: readonly { readonly name: string }[]): string | undefined {
  return first === undefined || OF_PAGE.includes(first) ? first : own?.name;
}

/** Names of the page's own scorers on the command line. */
const OF_PAGE: readonly string[] = ['meaning', 'words and meaning', 'bm25'];

async function run(call: Call): Promise<number> {
  const { terminal, values } = call;
  const port = values.whole('port', 0, 65_535);
  const html = values.text('html');
  if (html !== undefined && port !== undefined) throw new UsageError('--html writes a file, which has no --port.');
  const mode = values.oneOf('mode', MODES);
  const foreign = values.texts('scorer').find((name) => !OF_PAGE.includes(name));
  if (html !== undefined && foreign !== undefined)
    throw new UsageError(
      `--html writes a file, which ranks by meaning and bm25 alone; got --scorer "${shown(foreign)}". Leave one of the two out.`,
    );
  checkWritable('html', html);
  if (values.flag('watch') && html !== undefined) throw new UsageError('--html writes a file, which cannot --watch.');
  const watched = values.flag('watch') ? watchedOf(call) : [];
  const funnel = await funnelOf(values.text('log'), terminal);
  const saved = values.text('baseline');
  const baseline = saved === undefined ? undefined : readBaseline(saved);
  const load = async () => {
    const { catalog } = await loadCatalog(call);
    const { tools, title, keywords, groups, filter } = catalog;
    const casesFile = values.text('cases');
    const cases = casesFile === undefined ? catalog.cases : await readCasesFile(casesFile, terminal);
    const called = values.texts('scorer');
    // A module's scorer may have the name of one of the page's scorers, and other settings.
    const others = called.filter((name) => !OF_PAGE.includes(name));
    const named = called.length > 0 ? await scorersCalled(others, values) : (catalog.scorers ?? []);
    const scorers = [...named, ...(await embedderScorer(values))];
    const options: InspectOptions = {
      ...{ tools, title, scorers, mode: mode ?? catalog.mode ?? 'load' },
      ...given({ scorer: called[0] === 'meaning' ? 'words and meaning' : firstOf(called, named), baseline }),
      ...given({ cases, funnel, keywords, groups, topK: values.whole('top', 1) }),
    };
    return { options, filter };
  };
  const { options, filter } = await load();
  const { inspectorHtml, startInspector } = await import('../../../entries/inspect.ts');
  const print = (json: object, text: string): void =>
    terminal.print(formatOf(call) === 'json' ? JSON.stringify(json) : text);
  if (html !== undefined) {
    terminal.progress('Writing the page…');
    writeResult(html, await inspectorHtml(options));
    print({ file: html }, `Wrote ${shown(html)}`);
    return OK;
  }
  const inspector = await startInspector({ ...options, ...given({ filter, port }) }).catch(
    (cause: NodeJS.ErrnoException) => {
      if (cause.syscall !== 'listen') throw cause;
      const why = cause.code === 'EADDRINUSE' ? 'is taken' : `cannot be had (${cause.code})`;
      throw new UsageError(`Port ${port} ${why}. Give another --port, or none for one that is free.`, { cause });
    },
  );
  print({ url: inspector.url }, inspector.url);
  if (!values.flag('no-open') && process.stdout.isTTY) openBrowser(inspector.url);
  terminal.warn(terminal.colors.dim('Ctrl-C ends it.'));
  const reload = async (): Promise<void> => {
    const next = await load();
    await inspector.update({ ...next.options, ...given({ filter: next.filter }) });
  };
  const stopWatching = watchFiles(watched, reload, (error) =>
    warning(terminal, `The catalog cannot be loaded again: ${ended(shown(messageOf(error)))}`),
  );
  await interrupted();
  stopWatching();
  await inspector.close();
  return OK;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Waits for the first signal that interrupts the command. */
function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      for (const signal of SIGNALS) process.removeListener(signal, end);
      resolve();
    };
    for (const signal of SIGNALS) process.on(signal, end);
  });
}

/** The files to watch: the catalog, its cases and its keywords. */
function watchedOf({ positionals, values }: Call): readonly string[] {
  const catalog = values.texts('mcp').length > 0 ? [] : positionals.slice(0, 1);
  const files = [...catalog, ...values.texts('cases'), ...values.texts('keywords')].filter((file) => file !== '-');
  if (files.length > 0) return files;
  throw new UsageError('--watch follows a file: a module, tools.json or mcp.json.');
}

/** Debounce in milliseconds, because editors write a file in several steps. */
const QUIET = 100;

/** Calls a function after each change of files, one at a time, until the returned function is called. */
function watchFiles(
  files: readonly string[],
  changed: () => Promise<void>,
  failed: (error: unknown) => void,
): () => void {
  const names = new Set(files.map((file) => path.resolve(file)));
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  // Watches folders, because many editors replace a file instead of writing to it.
  const watchers = Array.from(new Set(Array.from(names, path.dirname)), (folder) =>
    watch(folder, (_, name) => {
      if (name === null || !names.has(path.join(folder, name))) return;
      clearTimeout(timer);
      timer = setTimeout(() => {
        running = running.then(changed).catch(failed);
      }, QUIET);
    }),
  );
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
}

/** The funnel of a log of events; undefined without a log. */
async function funnelOf(file: string | undefined, terminal: Terminal): Promise<Funnel | undefined> {
  if (file === undefined) return undefined;
  const { funnel, parseEvents } = await import('../../../entries/evaluate.ts');
  const { events, broken } = parseEvents(file === '-' ? await terminal.input() : readText(file));
  if (events.length === 0)
    throw new UsageError(`${shown(file)} has no events. Write what onEvent is given, a line of JSON each.`);
  const lines = broken === 1 ? 'line that is no event' : 'lines that are no events';
  if (broken > 0) warning(terminal, `${shown(file)} has ${broken} ${lines}.`);
  return funnel(events);
}

/** Opens the page in a browser. If that fails, the user still has the printed address. */
function openBrowser(url: string): void {
  const { platform } = process;
  const [program, ...args] =
    platform === 'darwin' ? ['open'] : platform === 'win32' ? ['cmd', '/c', 'start', ''] : ['xdg-open'];
  const child = spawn(program ?? '', [...args, url], { detached: true, stdio: 'ignore' });
  child.on('error', () => {});
  child.unref();
}
