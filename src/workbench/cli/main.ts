#!/usr/bin/env node
import { Console } from 'node:console';
import { runCommandLine } from './command-line.ts';
import { processTerminal } from './terminal.ts';

// What is said to the command is not said to the modules that it imports: they read what they are told from `process.argv`.
const args = process.argv.splice(2);
const terminal = processTerminal();
// What a catalog module prints is no result.
globalThis.console = new Console(process.stderr);
const code = await runCommandLine(args, terminal);
await terminal.flushed();
// A catalog module may hold connections open.
process.exit(code);
