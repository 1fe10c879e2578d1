// Writes the API reference anew, and fails where docs/api does not say the same: `npm run docs:api` brings it up to date.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Each page of a folder with its text. */
function textsIn(folder) {
  const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
  return new Map(pages.map((page) => [page, readFileSync(path.join(folder, page), 'utf8')]));
}

const shipped = 'docs/api';
const fresh = mkdtempSync(path.join(tmpdir(), 'api-'));
try {
  const typedoc = path.join('node_modules', 'typedoc', 'bin', 'typedoc');
  execFileSync(process.execPath, [typedoc, '--out', fresh, '--treatWarningsAsErrors'], { stdio: 'inherit' });
  const [before, after] = [textsIn(shipped), textsIn(fresh)];
  const pages = [...new Set([...before.keys(), ...after.keys()])];
  const stale = pages.filter((page) => before.get(page) !== after.get(page));
  if (stale.length > 0) {
    console.error(`docs/api is not what the docstrings say: ${stale.join(', ')}. Run npm run docs:api.`);
    process.exitCode = 1;
  } else {
    console.log(`docs: docs/api says what the docstrings say, in ${pages.length} pages`);
  }
} finally {
  rmSync(fresh, { recursive: true, force: true });
}
