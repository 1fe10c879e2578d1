import { mkdtempSync } from 'node:fs';
import { createApp } from './app.ts';
import { cases } from './cases.ts';
import { suspend, goOn } from './drive.ts';
const [kind, store, latency, same, filter] = process.argv.slice(2);
const settings: any = { kind, store, latency: Number(latency), folder: mkdtempSync('/tmp/restart-'), redisUrl: process.env.REDIS };
let app = await createApp(settings);
const list = cases.filter((c) => !filter || new RegExp(filter).test(c.id));
const t0 = performance.now();
const suspended = await Promise.all(list.map((one) => suspend(app, settings, one)));
console.log('suspended', Math.round(performance.now() - t0));
if (same !== 'same') { await app.close(); app = await createApp(settings); }
app.withdraw({ pay_active: 'active', ask_active: 'active', pay_load: 'load', ask_load: 'load' });
const t1 = performance.now();
for (const r of await Promise.allSettled(list.map((one, i) => goOn(app, settings, one, suspended[i]!)))) console.log(JSON.stringify(r.status === 'fulfilled' ? r.value : String(r.reason?.stack ?? r.reason).slice(0, 600)));
console.log('went on', Math.round(performance.now() - t1));
await app.close();
process.exit(0);
