/**
 * Prints what failed in a report of vitest's JSON reporter, a line for each test and one for its message:
 * `node test/support/list-failures.mjs <report>`. Prints nothing where there is no report.
 */
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

const text = existsSync(process.argv[2] ?? '') ? readFileSync(process.argv[2], 'utf8') : '';
const files = text === '' ? [] : JSON.parse(text).testResults;

const print = (file, title, message) => {
  const lines = message.split('\n').filter((line) => line.trim() !== '');
  console.log(`FAILED: ${relative('', file.name)}: ${title}`);
  for (const line of lines.slice(0, 4)) console.log(`  ${line.slice(0, 500)}`);
};

for (const file of files) {
  const failed = file.assertionResults.filter(({ status }) => status === 'failed');
  for (const { fullName, failureMessages } of failed) print(file, fullName, failureMessages.join('\n'));
  if (file.status === 'failed' && failed.length === 0) print(file, 'the file itself', file.message);
}
