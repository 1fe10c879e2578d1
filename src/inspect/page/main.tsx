import { render } from 'preact';
import type { InspectData } from '../data.ts';
import { EditHistory } from './engine/edits.ts';
import { type Channel, runWorker, startEngine } from './engine/remote.ts';
import { App } from './shell/app.tsx';
import { askServer, loadVectors } from './shell/ask-server.ts';
import { readSaved } from './shell/save.tsx';
import { keep, kept } from './shell/storage.ts';
import './styles.css';

// Slices of work call `setImmediate`, which browsers lack; nested timers would be delayed there.
globalThis.setImmediate ??= ((task: () => void) => {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    task();
  };
  port2.postMessage(null);
}) as never;

/** The page and its workers run this same script. */
if (typeof document === 'undefined') runWorker(globalThis as unknown as Channel);
else startPage(document.currentScript?.textContent ?? undefined);

function startPage(source: string | undefined): void {
  const data = JSON.parse(document.getElementById('inspect-data')?.textContent ?? '{}') as InspectData;
  const key = `edits ${location.pathname} ${data.title}`;
  const saved = readSaved();
  if (saved && location.hash === '') location.replace(saved.hash || '#/overview');
  const before = saved ? JSON.stringify(saved.edits) : null;
  const history = new EditHistory(data.tools, { read: () => kept(key) ?? before, write: (text) => keep(key, text) });
  addEventListener('storage', (event) => {
    if (event.key?.endsWith(key)) history.reload();
  });
  const engine = startEngine(data, history, source, {
    vectors: loadVectors,
    findings: async () => data.findings ?? askServer({ ask: 'findings' }),
  });
  const root = document.getElementById('inspect');
  if (root) render(<App data={data} engine={engine} history={history} />, root);
}
