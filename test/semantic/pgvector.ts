import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';

export interface PostgresServer {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * PostgreSQL with pgvector, as WebAssembly in this process, on a free port of the loopback. All its connections are one
 * session.
 */
export async function startPostgres(): Promise<PostgresServer> {
  const database = await PGlite.create({ extensions: { vector } });
  const server = new PGLiteSocketServer({ db: database, port: 0, maxConnections: 20 });
  await server.start();
  return {
    url: `postgres://postgres@${server.getServerConn()}/postgres?sslmode=disable`,
    async stop() {
      await server.stop();
      await database.close();
    },
  };
}
