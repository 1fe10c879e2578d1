import type { Prompt } from '../../loaded/conversation/prompt.ts';
import { asRecord } from '../../util/record.ts';
import { inNamespaces } from '../openai-search.ts';
import type { Definition } from './definitions.ts';
import type { Change } from './replay.ts';

/** The message in which `@ai-sdk/anthropic` sends changes. Its content stays empty: a text would be one of the system's. */
export function toolChanges(changes: readonly Change[]): Prompt[number] {
  const toolChanges = changes.map((change) =>
    change.type === 'addition'
      ? { type: 'tool_addition', tool: change.tool }
      : { type: 'tool_removal', toolName: change.name },
  );
  return { role: 'system', content: '', ...optionsOf('anthropic', { toolChanges }) };
}

/** The message in which `@ai-sdk/openai` sends definitions. OpenAI has no removal. */
export function additionalTools(changes: readonly Change[]): Prompt[number] {
  const added = changes.flatMap((change) => (change.type === 'addition' ? [change.tool] : []));
  const namespaces = new Map(added.map((tool) => [tool.name, namespaceOf(tool)]));
  const functions = added.map(({ name, description = '', inputSchema: parameters, strict = false }) => {
    return { type: 'function' as const, name, description, parameters, strict };
  });
  const additionalTools = inNamespaces(functions, (name) => namespaces.get(name));
  return { role: 'system', content: '', ...optionsOf('openai', { additionalTools }) };
}

function optionsOf(provider: string, options: object): { readonly providerOptions: unknown } {
  return { providerOptions: { [provider]: options } };
}

/** The namespace in which a tool is sent: in the form in which it stands in the list of tools. */
function namespaceOf({ providerOptions }: Definition) {
  const { name, description } = asRecord(asRecord(asRecord(providerOptions)?.['openai'])?.['namespace']) ?? {};
  return typeof name === 'string' ? { name, description: String(description ?? name) } : undefined;
}
