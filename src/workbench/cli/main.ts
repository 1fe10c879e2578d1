#!/usr/bin/env node
import { Console } from 'node:console';
import { runCommandLine } from './command-line.ts';
import { processTerminal } from './terminal.ts';

// The command's arguments are hidden from imported modules, which may read `process.argv` themselves.
const args = process.argv.splice(2);
const terminal = processTerminal();
// Output of a catalog module goes to stderr, because stdout is for the result.
globalThis.console = new Console(process.stderr);
const code = await runCommandLine(args, terminal);
await terminal.flushed();
// A catalog module may hold connections open, which would keep the process alive.
process.exit(code);
