import { render } from 'preact';
import type { InspectData } from '../data.ts';
import { EditHistory } from './engine/edit-history.ts';
import { provideSetImmediate } from './set-immediate.ts';
import { App } from './shell/app.tsx';
import { startEngine } from './shell/engine-client.ts';
import { applyTheme, readTheme } from './shell/theme.ts';
import { runWorker } from './shell/worker.ts';
import './shell/base.css';
import './shell/shell.css';
import './ui/controls.css';

/** The ids of the element with the data, and of the one that the page is drawn into. */
const DATA = 'inspect-data';
const ROOT = 'inspect';

provideSetImmediate();
/** This script is the page's, and that of its workers. */
if (typeof document === 'undefined') runWorker(globalThis as never);
else startPage(document.currentScript?.textContent ?? undefined);

function startPage(source: string | undefined): void {
  applyTheme(readTheme());
  const data = JSON.parse(document.getElementById(DATA)?.textContent ?? '{}') as InspectData;
  const history = new EditHistory(data.tools);
  const engine = startEngine(data, history, source);
  const root = document.getElementById(ROOT);
  if (root) render(<App data={data} engine={engine} history={history} />, root);
}
