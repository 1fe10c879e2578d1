// A process that syncs one version of some tools, and tells of each batch: `node sync-process.ts URL TABLE VERSION COUNT`.
import { Pool } from 'pg';
import { sourceSettings } from '../../src/postgres/options.ts';
import { writerOf } from '../../src/postgres/writer.ts';
import { versionedTools } from './versioned-tools.ts';

const [url = '', table = '', version = '', count = ''] = process.argv.slice(2);
const pool = new Pool({ connectionString: url });
const source = writerOf(sourceSettings({ pool, table, toTool: () => ({ description: '', inputSchema: {} }) }));
const result = await source.sync(versionedTools(Number(version), Number(count)), {
  batchSize: 20,
  onProgress: ({ read }) => process.stdout.write(`${read}\n`),
});
process.stdout.write(`${JSON.stringify(result)}\n`);
await pool.end();
