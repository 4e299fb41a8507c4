import type { Command } from 'commander';
import { Complaint } from '../complaint.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes } from '../exit-code.ts';
import type { SqlLogin } from '../house.ts';
import { emitText } from '../output/emit.ts';
import { progressOn } from '../progress/progress.ts';
import { runPsql, urlOf } from '../psql.ts';
import { verb } from '../verb.ts';

interface Options {
  readonly url?: boolean;
  readonly command?: string;
  /** The store's folder. */
  readonly dir: string;
}

export const sql = (context: Context): Command =>
  verb('sql', {
    group: 'Look',
    summary: 'read the inventory, drift and ledger with psql',
    about:
      'The views inventory, drift and ledger, inventory_history, and inventory_at(time); see docs/sql.md. As a role that can\nread these and nothing else.',
    examples: [
      ['sql', 'a session'],
      ['sql -c "SELECT address, since, changed_by, diff FROM drift"', 'one question'],
      ['sql --url', 'for another program, while `setpoint serve` runs'],
    ],
  })
    .option('-c, --command <query>', 'ask this and end')
    .option('--url', 'print where it is, with the password, and end')
    .action(async (_options: Options, command: Command) => {
      context.finish(await run(command.optsWithGlobals<Options>(), context));
    });

async function run(options: Options, context: Context): Promise<ExitCode> {
  const { house, terminal, clock } = context;
  const progress = progressOn(terminal.err, clock);
  const reading = await house
    .reading(options.dir, (text) => progress.show('store', text))
    .finally(() => progress.end());
  if (reading === undefined)
    throw new Complaint(`There is no store in ${options.dir}.`, {
      next: 'Run this where you ran `setpoint apply`, or name its folder with --dir.',
    });
  try {
    if (reading.login === undefined) throw ownServer();
    return await (options.url ? tellUrl(reading.login, context) : session(reading.login, options));
  } finally {
    await reading.close();
  }
}

const ownServer = (): Complaint =>
  new Complaint('The store is on a server of your own (DATABASE_URL): whom it lets in is yours to say.', {
    why: 'Setpoint has no password for its role setpoint_reader there.',
    next: [
      'Log in as somebody who has the role. Its owner gives it, in psql, to a new person or to one there is:',
      "CREATE ROLE ann LOGIN PASSWORD '…' IN ROLE setpoint_reader;   GRANT setpoint_reader TO ann;",
      'ALTER ROLE ann SET search_path = setpoint_read;',
    ].join('\n'),
  });

function tellUrl(login: SqlLogin, { terminal }: Context): ExitCode {
  emitText(terminal, urlOf(login));
  if (!login.shared)
    terminal.err.write('Nothing else uses the database: it stops now. Run `setpoint serve`, and ask again.\n');
  return exitCodes.done;
}

async function session(login: SqlLogin, { command }: Options): Promise<ExitCode> {
  const code = await runPsql(login, command === undefined ? [] : ['--command', command]);
  if (code !== undefined) return code === 0 ? exitCodes.done : exitCodes.error;
  throw new Complaint('There is no psql on the search path.', {
    next: 'Install it (Debian: postgresql-client, macOS: libpq), or give the URL of `setpoint sql --url` to another program while `setpoint serve` runs.',
  });
}
