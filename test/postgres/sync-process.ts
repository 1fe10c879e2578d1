// A process that syncs one version of some tools, and tells of each batch: `node sync-process.ts URL TABLE VERSION COUNT`.
import { Pool } from 'pg';
import { postgresSource } from '../../src/postgres/postgres-source.ts';
import { versionedTools } from './versioned-tools.ts';

const [url = '', table = '', version = '', count = ''] = process.argv.slice(2);
const pool = new Pool({ connectionString: url });
const source = postgresSource({ pool, table, toTool: () => ({ description: '', inputSchema: {} }) });
const result = await source.sync(versionedTools(Number(version), Number(count)), {
  batchSize: 20,
  onProgress: ({ read }) => process.stdout.write(`${read}\n`),
});
process.stdout.write(`${JSON.stringify(result)}\n`);
await pool.end();
