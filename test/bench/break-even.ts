// From how many tools on searching costs fewer tokens than sending all: npm run bench:break-even
// Plain arithmetic over what `npm run demo` prints; put in your own figures.
import { table } from './report.ts';

/** Tokens of one definition, and of the two meta-tools: 30,677 / 117 and 350 in the demo. */
const DEFINITION = 262;
const META_TOOLS = 350;
/** What reading from and writing to a provider's prompt cache costs, against 1 for a token that is not cached. */
const READ = 0.1;
const WRITE = 1.25;

/** Model calls without searching; tokens of system text and history; tools that are used. */
const CONVERSATIONS = [
  { calls: 3, prompt: 1_000, used: 1 },
  { calls: 3, prompt: 10_000, used: 1 },
  { calls: 10, prompt: 10_000, used: 3 },
];
const rows = CONVERSATIONS.flatMap(({ calls, prompt, used }) =>
  // Model calls that searching and loading add.
  Object.entries({ 'search, load': 2, autoLoad: 1 }).map(([by, extra]) => {
    const searched = (calls + extra) * (prompt + META_TOOLS) + calls * used * DEFINITION;
    const plain = Math.ceil((searched - calls * prompt) / (calls * DEFINITION));
    // Both read the prefix from the cache; a load changes the list of tools, and all behind it is written once more.
    const prefix = prompt + META_TOOLS + used * DEFINITION;
    const withCache = (calls + extra - 1) * READ * prefix + WRITE * prefix;
    const cached = Math.ceil((withCache - calls * READ * prompt) / (calls * READ * DEFINITION));
    return [`${calls}`, prompt.toLocaleString('en'), `${used}`, by, `${plain} tools`, `${cached} tools`];
  }),
);
console.log(table([['model calls', 'prompt', 'tools used', 'by', 'pays from', 'with a cached prefix'], ...rows]));
