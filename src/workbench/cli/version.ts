import { createRequire } from 'node:module';

/** The name of the command, and of the package. */
export const NAME = 'mastra-tool-search';

export function versionOf(): string {
  const { version } = createRequire(import.meta.url)(`${NAME}/package.json`) as { version: string };
  return version;
}
