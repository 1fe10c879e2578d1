import { existsSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ended } from '../../kit.ts';
import { shown } from './terminal.ts';
import { UsageError } from './usage-error.ts';

/**
 * Looks, before the work, whether a file can be written at its end.
 *
 * @param option - the option that names the file.
 * @throws UsageError where its folder is not there, or it is a folder itself.
 */
export function checkWritable(option: string, file: string | undefined): void {
  if (file === undefined) return;
  const folder = path.dirname(file);
  if (!existsSync(folder)) {
    throw new UsageError(
      `--${option} ${shown(file)}: there is no folder ${shown(folder)}. Make it, or give another file.`,
    );
  }
  if (existsSync(file) && statSync(file).isDirectory()) {
    throw new UsageError(`--${option} ${shown(file)} is a folder. Give a file in it.`);
  }
}

/** @throws UsageError where the file cannot be written. */
export function writeResult(option: string, file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    const why = error instanceof Error ? shown(error.message) : '';
    throw new UsageError(`--${option} ${shown(file)} cannot be written: ${ended(why)} Give another file.`, {
      cause: error,
    });
  }
}
