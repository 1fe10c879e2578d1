// Builds the package. What the build has to say fails it: whoever runs the demo or an example would read that first.
import { spawnSync } from 'node:child_process';

const script = ['run', 'build', '--silent', '--', '--silent'];
const { status, output } = spawnSync('npm', script, { encoding: 'utf8', shell: process.platform === 'win32' });
const said = (output ?? []).join('').trim();
if (said !== '') console.error(`The build says:\n${said}`);
process.exitCode = status === 0 && said === '' ? 0 : 1;
