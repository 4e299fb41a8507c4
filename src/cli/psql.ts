import { spawn } from 'node:child_process';
import type { SqlLogin } from './house.ts';

/** Always 127.0.0.1: it is the database that Setpoint brings along. */
export const urlOf = ({ user, password, port }: SqlLogin): string =>
  `postgres://${user}:${password}@127.0.0.1:${port}/postgres`;

/**
 * psql of the search path, on this terminal; its exit code, or undefined where there is none. The password goes by the environment:
 * other users of the machine see command lines. What that says of TLS is of some other server: this one has none.
 */
export async function runPsql(
  { user, password, port }: SqlLogin,
  args: readonly string[],
): Promise<number | undefined> {
  const place = ['--host=127.0.0.1', `--port=${port}`, `--username=${user}`, '--dbname=postgres'];
  const calm = withoutInterrupts();
  try {
    return await new Promise((resolve, reject) => {
      const psql = spawn('psql', [...place, ...args], {
        stdio: 'inherit',
        env: { ...process.env, PGSSLMODE: 'disable', PGPASSWORD: password },
      });
      psql.on('error', (error: NodeJS.ErrnoException) =>
        error.code === 'ENOENT' ? resolve(undefined) : reject(error),
      );
      psql.on('exit', (code) => resolve(code ?? 1));
    });
  } finally {
    calm.end();
  }
}

/** In psql Ctrl-C ends a query, as often as one likes: it reaches us as well, and must not end us before psql. */
function withoutInterrupts(): { end(): void } {
  const others = process.listeners('SIGINT');
  const ignore = (): void => {};
  process.removeAllListeners('SIGINT').on('SIGINT', ignore);
  return {
    end: () => {
      process.off('SIGINT', ignore);
      for (const other of others) process.on('SIGINT', other);
    },
  };
}
