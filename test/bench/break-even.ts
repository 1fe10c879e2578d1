// From how many tools on searching costs fewer tokens than sending all: npm run bench:break-even
// Plain arithmetic over what `npm run demo` prints; put in your own figures.

/** Tokens of one definition, and of the two meta-tools: 30,677 / 117 and 350 in the demo. */
const DEFINITION = 262;
const META_TOOLS = 350;
/** Model calls that searching and loading add. */
const EXTRA_CALLS = { 'search, load': 2, autoLoad: 1 } as const;
/** What reading from and writing to a provider's prompt cache costs, against 1 for a token that is not cached. */
const READ = 0.1;
const WRITE = 1.25;

interface Conversation {
  /** Model calls without searching. */
  readonly calls: number;
  /** Tokens of system text and history. */
  readonly prompt: number;
  /** Tools that it uses. */
  readonly used: number;
}

function plain({ calls, prompt, used }: Conversation, extra: number): number {
  const searched = (calls + extra) * (prompt + META_TOOLS) + calls * used * DEFINITION;
  return Math.ceil((searched - calls * prompt) / (calls * DEFINITION));
}

/** Both read the prefix from the cache; a load changes the list of tools, and all behind it is written once more. */
function cached({ calls, prompt, used }: Conversation, extra: number): number {
  const rewritten = WRITE * (prompt + META_TOOLS + used * DEFINITION);
  const searched = (calls + extra - 1) * READ * (prompt + META_TOOLS + used * DEFINITION) + rewritten;
  return Math.ceil((searched - calls * READ * prompt) / (calls * READ * DEFINITION));
}

const conversations: readonly Conversation[] = [
  { calls: 3, prompt: 1_000, used: 1 },
  { calls: 3, prompt: 10_000, used: 1 },
  { calls: 10, prompt: 10_000, used: 3 },
];
console.log(
  '| model calls | prompt | tools used | by | pays from | with a cached prefix |\n| ---: | ---: | ---: | --- | ---: | ---: |',
);
for (const conversation of conversations) {
  const { calls, prompt, used } = conversation;
  for (const [by, extra] of Object.entries(EXTRA_CALLS)) {
    const from = `${plain(conversation, extra)} tools | ${cached(conversation, extra)} tools`;
    console.log(`| ${calls} | ${prompt.toLocaleString('en')} | ${used} | ${by} | ${from} |`);
  }
}
