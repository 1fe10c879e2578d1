import { clean, cleanName, type ToolDocument } from '../../kit.ts';

const MAX_DESCRIPTION = 800;
const MAX_TITLE = 100;
const MAX_PARAMETERS = 20;
const MAX_PARAMETER = 100;

/** What the model is shown of a tool. */
export interface ShownTool {
  readonly name: string;
  readonly title?: string;
  readonly server?: string;
  readonly description: string;
  readonly parameters?: readonly string[];
}

/** Makes what the model is shown of a tool: bounded, and without what is not seen. */
export function shownTool({ name, title, server, description, parameters }: ToolDocument): ShownTool {
  const shown = parameters.slice(0, MAX_PARAMETERS).map((parameter) => {
    const told = clean(parameter.description, MAX_PARAMETER);
    return told === '' ? cleanName(parameter.name) : `${cleanName(parameter.name)}: ${told}`;
  });
  return {
    name: cleanName(name),
    ...(title === '' ? {} : { title: clean(title, MAX_TITLE) }),
    ...(server === '' ? {} : { server: clean(server, MAX_TITLE) }),
    description: clean(description, MAX_DESCRIPTION),
    ...(shown.length > 0 ? { parameters: shown } : {}),
  };
}
