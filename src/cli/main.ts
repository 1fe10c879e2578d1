#!/usr/bin/env node
import { Console } from 'node:console';
import { runCommandLine } from './command-line.ts';
import { processTerminal } from './terminal.ts';

const terminal = processTerminal();
// What a catalog module prints is no result.
globalThis.console = new Console(process.stderr);
const code = await runCommandLine(process.argv.slice(2), terminal);
await terminal.flushed();
// A catalog module may hold connections open.
process.exit(code);
