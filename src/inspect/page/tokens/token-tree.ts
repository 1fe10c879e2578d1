/** What a tool, or a part of one, adds to a prompt. */
export interface TokenNode {
  /** Distinguishes the node from its siblings. */
  readonly key: string;
  readonly label: string;
  readonly tokens: number;
  /** Count of the tools in it. */
  readonly tools: number;
}

/** What the tree reads of a tool. */
export interface CountedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema?: unknown;
  readonly group?: string | undefined;
}

/** Counts the tokens of a text. */
export type TokenCount = (text: string) => number;

/** The key of the tools of no server: no server is called so. */
export const NO_SERVER = ' ';

/** The key of a tool's server. */
export function serverKey(group = ''): string {
  return group === '' ? NO_SERVER : group;
}

export function serverLabel(key: string): string {
  return key === NO_SERVER ? 'no server' : key;
}

/** The tokens of a tool's definition, as lint, events and passthrough count them: without blanks around the description. */
export function toolTokens({ name, description, inputSchema }: CountedTool, count: TokenCount): number {
  return count(JSON.stringify({ name, description: description.trim(), parameters: inputSchema }));
}

/** The servers, most tokens first. */
export function serverNodes(
  tools: readonly CountedTool[],
  tokensOf: ReadonlyMap<string, number>,
): readonly TokenNode[] {
  const servers = new Map<string, { tokens: number; tools: number }>();
  for (const { name, group } of tools) {
    const key = serverKey(group);
    const sum = servers.get(key) ?? { tokens: 0, tools: 0 };
    servers.set(key, sum);
    sum.tokens += tokensOf.get(name) ?? 0;
    sum.tools++;
  }
  return inOrder([...servers].map(([key, sum]) => ({ key, label: serverLabel(key), ...sum })));
}

/** The tools of a server, most tokens first. */
export function toolNodes(
  tools: readonly CountedTool[],
  server: string,
  tokensOf: ReadonlyMap<string, number>,
): readonly TokenNode[] {
  const own = tools.filter(({ group }) => serverKey(group) === server);
  return inOrder(own.map(({ name }) => ({ key: name, label: name, tokens: tokensOf.get(name) ?? 0, tools: 1 })));
}

/** The parts of a tool's definition, most tokens first. They sum up to that of the whole, or a little more. */
export function partNodes(tool: CountedTool, count: TokenCount): readonly TokenNode[] {
  const part = (key: string, label: string, tokens: number): TokenNode => ({ key, label, tokens, tools: 1 });
  const parts = [
    part('name', 'name', count(tool.name)),
    part('description', 'description', tool.description.trim() === '' ? 0 : count(tool.description.trim())),
    ...propertiesOf(tool.inputSchema).map(([name, schema]) =>
      part(`parameter ${name}`, name, count(JSON.stringify({ [name]: schema }))),
    ),
  ];
  const rest = toolTokens(tool, count) - parts.reduce((sum, { tokens }) => sum + tokens, 0);
  return inOrder([...parts, part('rest', 'braces, required and the rest', rest)].filter(({ tokens }) => tokens > 0));
}

function propertiesOf(schema: unknown): readonly (readonly [name: string, schema: unknown])[] {
  const properties = (schema as { readonly properties?: unknown } | null | undefined)?.properties;
  return typeof properties === 'object' && properties !== null ? Object.entries(properties) : [];
}

/** The largest nodes, and one that stands for all others: more can neither be seen nor walked through. */
export function bounded(
  nodes: readonly TokenNode[],
  most: number,
): { readonly shown: readonly TokenNode[]; readonly rest?: TokenNode } {
  if (nodes.length <= most) return { shown: nodes };
  const others = nodes.slice(most - 1);
  const sum = (of: (node: TokenNode) => number): number => others.reduce((total, node) => total + of(node), 0);
  const rest = {
    key: '',
    label: `${others.length.toLocaleString('en-US')} others`,
    tokens: sum(({ tokens }) => tokens),
    tools: sum(({ tools }) => tools),
  };
  return { shown: nodes.slice(0, most - 1), rest };
}

function inOrder(nodes: readonly TokenNode[]): readonly TokenNode[] {
  return [...nodes].sort((one, other) => other.tokens - one.tokens || (one.key < other.key ? -1 : 1));
}
