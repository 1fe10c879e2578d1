// A process that syncs tools, and tells of each batch: `node sync-process.ts URL TABLE TOOLS`.
import { Pool } from 'pg';
import { postgresSource } from '../../src/entries/postgres.ts';

const [url = '', table = '', tools = ''] = process.argv.slice(2);
const pool = new Pool({ connectionString: url });
const source = postgresSource({ pool, table, toTool: () => ({ description: '', inputSchema: {} }) });
const onProgress = ({ read }: { read: number }): unknown => process.stdout.write(`${read}\n`);
await source.sync(JSON.parse(tools), { batchSize: 20, onProgress });
await pool.end();
