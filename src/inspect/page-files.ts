import { readFile } from 'node:fs/promises';
import { ToolSearchError } from '../errors.ts';

/** The script and the styles of the page, bundled. */
export interface PageFiles {
  readonly script: string;
  readonly styles: string;
}

/** The folders of the bundled page, relative to a file at the top of the package, and to a subpath. */
const FOLDERS = ['./inspect/', '../inspect/'];

let read: () => Promise<PageFiles> = readPage;
let files: Promise<PageFiles> | undefined;

/** The bundled page, read once. */
export function pageFiles(): Promise<PageFiles> {
  files ??= read().catch((error: unknown) => {
    files = undefined;
    throw error;
  });
  return files;
}

/** Replaces the reader of the page: from the sources, if nothing is built. */
export function readPageWith(reader: () => Promise<PageFiles>): void {
  read = reader;
  files = undefined;
}

/** Reads the page of the built package. */
export async function readPage(): Promise<PageFiles> {
  for (const folder of FOLDERS) {
    const read = (name: string): Promise<string> => readFile(new URL(folder + name, import.meta.url), 'utf8');
    try {
      const [script, styles] = await Promise.all([read('page.js'), read('page.css')]);
      return { script, styles };
    } catch {
      // The next folder may have it.
    }
  }
  throw new ToolSearchError(
    'inspector-unavailable',
    'The page of the inspector is not beside the code of the package. Deploy the folder dist/inspect too, or leave mastra-tool-search out of the bundle.',
  );
}
