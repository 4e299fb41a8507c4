import { spawn } from 'node:child_process';
import type { Command } from 'commander';
import type { Context, SqlLogin } from '../context.ts';
import { type ExitCode, exitCodes, UserError } from '../errors.ts';
import { defineCommand } from '../options.ts';
import { printText } from '../output/print.ts';
import { progressOn } from '../output/progress.ts';

interface Options {
  readonly url?: boolean;
  readonly command?: string;
  /** The store's folder. */
  readonly dir: string;
}

export const sql = (context: Context): Command =>
  defineCommand('sql', {
    group: 'Look',
    summary: 'read the inventory, drift and ledger with psql',
    about:
      'The views are inventory, drift, ledger, inventory_history and inventory_at(at_time); see docs/sql.md. The session has a role\nthat can read only these.',
    examples: [
      ['sql', 'a session'],
      ['sql -c "SELECT address, since, last_modified_by, diff FROM drift"', 'one query'],
      ['sql --url', 'for another program, while `setpoint serve` runs'],
    ],
  })
    .option('-c, --command <query>', 'run this query and exit')
    .option('--url', 'print its URL with the password, and exit')
    .action(async (_options: Options, command: Command) => {
      context.finish(await run(command.optsWithGlobals<Options>(), context));
    });

async function run(options: Options, context: Context): Promise<ExitCode> {
  const { dependencies, terminal, clock } = context;
  const progress = progressOn(terminal.err, clock);
  const reading = await dependencies
    .openSqlSession(options.dir, (text) => progress.show('store', text))
    .finally(() => progress.end());
  if (reading === undefined)
    throw new UserError(`There is no store in ${options.dir}.`, {
      next: 'Run this where you ran `setpoint apply`, or name its folder with --dir.',
    });
  try {
    if (reading.login === undefined) throw ownServer();
    return await (options.url ? tellUrl(reading.login, context) : session(reading.login, options));
  } finally {
    await reading.close();
  }
}

const ownServer = (): UserError =>
  new UserError('The store is on your own server (DATABASE_URL), so you decide about its access.', {
    why: 'Setpoint has no password for its role setpoint_reader there.',
    next: [
      'Log in as a user with the role. Its owner grants it in psql, to a new or an existing user:',
      "CREATE ROLE ann LOGIN PASSWORD '…' IN ROLE setpoint_reader;   GRANT setpoint_reader TO ann;",
      'ALTER ROLE ann SET search_path = setpoint_read;',
    ].join('\n'),
  });

function tellUrl(login: SqlLogin, { terminal }: Context): ExitCode {
  printText(terminal, urlOf(login));
  if (!login.shared)
    terminal.err.write('Nothing else uses the database, so it stops now. Run `setpoint serve`, and run this again.\n');
  return exitCodes.done;
}

async function session(login: SqlLogin, { command }: Options): Promise<ExitCode> {
  const code = await runPsql(login, command === undefined ? [] : ['--command', command]);
  if (code !== undefined) return code === 0 ? exitCodes.done : exitCodes.error;
  throw new UserError('There is no psql on the search path.', {
    next: 'Install it (Debian: postgresql-client, macOS: libpq), or give the URL of `setpoint sql --url` to another program while `setpoint serve` runs.',
  });
}

/** Always 127.0.0.1: it is the database that Setpoint brings along. */
const urlOf = ({ user, password, port }: SqlLogin): string =>
  `postgres://${user}:${password}@127.0.0.1:${port}/postgres`;

/**
 * psql of the search path, on this terminal; its exit code, or undefined where there is none. The password goes by the environment:
 * other users of the machine see command lines. What that says of TLS is of some other server: this one has none.
 */
async function runPsql({ user, password, port }: SqlLogin, args: readonly string[]): Promise<number | undefined> {
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
