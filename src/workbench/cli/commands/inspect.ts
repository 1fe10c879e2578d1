import { spawn } from 'node:child_process';
import type { Funnel } from '../../../entries/evaluate.ts';
import type { InspectOptions } from '../../../entries/inspect.ts';
import { catalogOptions, loadCatalog, MODES, modeOption, readText } from '../catalog/load.ts';
import type { Call, Command } from '../command.ts';
import { scorerOption, scorersCalled } from '../inputs.ts';
import { checkWritable, formatOf, writeResult } from '../output.ts';
import { OK, shown, type Terminal, UsageError } from '../terminal.ts';

export const inspectCommand: Command = {
  name: 'inspect',
  summary: 'Show a catalog in a page: rankings as you type, cases, costs.',
  usage: 'CATALOG',
  about: [
    'Serves the page on the loopback until Ctrl-C, and opens it. Whoever has the address, with its token, can see all of the tools; nobody can run one. With --html it is written as one file instead, for a pull request.',
  ],
  options: {
    cases: {
      type: 'string',
      hint: 'FILE',
      isFile: true,
      text: 'Queries with the tools that they should find, as for eval',
    },
    log: { type: 'string', hint: 'FILE', isFile: true, text: 'Events of real use, JSON lines; - is stdin' },
    html: { type: 'string', hint: 'FILE', isFile: true, text: 'Write the page as one file' },
    port: { type: 'string', hint: 'N', text: 'The port (one that is free)' },
    'no-open': { type: 'boolean', text: 'Open no browser' },
    top: { type: 'string', short: 'n', hint: 'N', text: 'Results that a model is shown (5)' },
    scorer: { ...scorerOption, multiple: true },
    mode: modeOption,
    ...catalogOptions,
  },
  examples: [
    ['inspect tools.json --cases cases.jsonl', 'in the browser'],
    ['inspect tools.json --cases cases.jsonl --html report.html', 'one file, for a pull request'],
    ['inspect tools.json --log events.jsonl', 'with what became of searches'],
    ['inspect --mcp "npx -y @modelcontextprotocol/server-github"', 'the tools of a server'],
  ],
  run,
};

/** Scorers that the page has itself, by what they are called on the command line. */
const OF_PAGE: readonly string[] = ['bm25', 'tiered'];

async function run(call: Call): Promise<number> {
  const { terminal, values } = call;
  const port = values.number('port', { least: 0, most: 65_535, isWhole: true });
  const html = values.text('html');
  if (html !== undefined && port !== undefined) throw new UsageError('--html writes a file, which has no --port.');
  const asked = values.oneOf('mode', MODES);
  checkWritable('html', html);
  const { catalog } = await loadCatalog(call);
  const casesFile = values.text('cases');
  const cases =
    casesFile === undefined ? catalog.cases : await (await import('../inputs.ts')).readCasesFile(casesFile, terminal);
  const funnel = await funnelOf(values.text('log'), terminal);
  const topK = values.number('top', { least: 1, isWhole: true });
  const { inspectorHtml, startInspector } = await import('../../../entries/inspect.ts');
  const called = values.texts('scorer');
  // A module's own scorer may have the name of one of the page, and other settings.
  const others = called.filter((name) => !OF_PAGE.includes(name));
  const scorers = called.length > 0 ? await scorersCalled(others, values) : (catalog.scorers ?? []);
  const options: InspectOptions = {
    ...{ tools: catalog.tools, title: catalog.title, scorers },
    ...(cases ? { cases } : {}),
    ...(funnel ? { funnel } : {}),
    ...(catalog.keywords ? { keywords: catalog.keywords } : {}),
    ...(catalog.groups ? { groups: catalog.groups } : {}),
    ...(topK === undefined ? {} : { topK }),
    mode: asked ?? catalog.mode ?? 'load',
  };
  if (html !== undefined) {
    terminal.progress('Writing the page…');
    writeResult('html', html, await inspectorHtml(options));
    terminal.print(formatOf(call) === 'json' ? JSON.stringify({ file: html }) : `Wrote ${shown(html)}`);
    return OK;
  }
  const { filter } = catalog;
  const inspector = await startInspector({
    ...options,
    ...(filter ? { filter } : {}),
    ...(port === undefined ? {} : { port }),
  }).catch((error: NodeJS.ErrnoException) => {
    if (error.syscall !== 'listen') throw error;
    const why = error.code === 'EADDRINUSE' ? 'is taken' : `cannot be had (${error.code})`;
    throw new UsageError(`Port ${port} ${why}. Give another --port, or none for one that is free.`, { cause: error });
  });
  terminal.print(formatOf(call) === 'json' ? JSON.stringify({ url: inspector.url }) : inspector.url);
  if (!values.flag('no-open') && process.stdout.isTTY) openBrowser(inspector.url);
  terminal.warn(terminal.colors.dim('Ctrl-C ends it.'));
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
  await inspector.close();
  return OK;
}

/** What a log of events says; undefined without one. */
async function funnelOf(file: string | undefined, terminal: Terminal): Promise<Funnel | undefined> {
  if (file === undefined) return undefined;
  const { funnel, parseEvents } = await import('../../../entries/evaluate.ts');
  const { events, broken } = parseEvents(file === '-' ? await terminal.input() : readText(file));
  if (events.length === 0)
    throw new UsageError(`${shown(file)} has no events. Write what onEvent is given, a line of JSON each.`);
  if (broken > 0)
    terminal.warn(
      `${terminal.colors.yellow('warning:')} ${shown(file)} has ${broken} ${broken === 1 ? 'line that is no event' : 'lines that are no events'}.`,
    );
  return funnel(events);
}

/** Opens the page. Where that cannot be, the address stands there. */
function openBrowser(url: string): void {
  const { platform } = process;
  const [program, ...args] =
    platform === 'darwin' ? ['open'] : platform === 'win32' ? ['cmd', '/c', 'start', ''] : ['xdg-open'];
  const child = spawn(program ?? '', [...args, url], { detached: true, stdio: 'ignore' });
  child.on('error', () => {});
  child.unref();
}
