#!/usr/bin/env node
import { runCommandLine } from './command-line.ts';
import { processTerminal } from './terminal.ts';

const terminal = processTerminal();
const code = await runCommandLine(process.argv.slice(2), terminal);
await terminal.flushed();
// A catalog module may hold connections open.
process.exit(code);
