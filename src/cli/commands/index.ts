import type { Command } from 'commander';
import type { Context } from '../context.ts';

export type CommandFactory = (context: Context) => Command;

/** Every command, in the order of the help, loaded when it is asked for. A new command is one file and one line. */
const commands: ReadonlyMap<string, () => Promise<CommandFactory>> = new Map([
  ['validate', async () => (await import('./validate.ts')).validate],
  ['policy', async () => (await import('./policy.ts')).policy],
  ['schema', async () => (await import('./schema.ts')).schema],
  ['plan', async () => (await import('./plan.ts')).plan],
  ['diff', async () => (await import('./diff.ts')).diff],
  ['apply', async () => (await import('./apply.ts')).apply],
  ['approve', async () => (await import('./approve.ts')).approve],
  ['withdraw', async () => (await import('./withdraw.ts')).withdraw],
  ['pause', async () => (await import('./pause.ts')).pause],
  ['resume', async () => (await import('./resume.ts')).resume],
  ['incident', async () => (await import('./incident.ts')).incident],
  ['patch', async () => (await import('./patch.ts')).patch],
  ['assign', async () => (await import('./assign.ts')).assign],
  ['comment', async () => (await import('./comment.ts')).comment],
  ['unpin', async () => (await import('./unpin.ts')).unpin],
  ['status', async () => (await import('./status.ts')).status],
  ['drift', async () => (await import('./drift.ts')).drift],
  ['inventory', async () => (await import('./inventory.ts')).inventory],
  ['explain', async () => (await import('./explain.ts')).explain],
  ['who', async () => (await import('./who.ts')).who],
  ['reach', async () => (await import('./reach.ts')).reach],
  ['ledger', async () => (await import('./ledger.ts')).ledger],
  ['sql', async () => (await import('./sql.ts')).sql],
  ['import', async () => (await import('./import.ts')).importCommand],
  ['accept', async () => (await import('./accept.ts')).accept],
  ['adopt', async () => (await import('./adopt.ts')).adopt],
  ['restore', async () => (await import('./restore.ts')).restore],
  ['prune', async () => (await import('./prune.ts')).prune],
  ['forget', async () => (await import('./forget.ts')).forget],
  ['takeover', async () => (await import('./takeover.ts')).takeover],
  ['serve', async () => (await import('./serve.ts')).serve],
  ['worker', async () => (await import('./worker.ts')).worker],
  ['api', async () => (await import('./api.ts')).api],
  ['login', async () => (await import('./login.ts')).login],
  ['logout', async () => (await import('./logout.ts')).logout],
  ['token', async () => (await import('./token.ts')).token],
  ['init', async () => (await import('./init.ts')).init],
  ['doctor', async () => (await import('./doctor.ts')).doctor],
  ['sandbox', async () => (await import('./sandbox.ts')).sandbox],
]);

/** The command that a command line's first word needs, or every command where it names none, as for help. */
export function commandsFor(first: string | undefined): Promise<readonly CommandFactory[]> {
  const named = first === undefined ? undefined : commands.get(first);
  return Promise.all((named ? [named] : [...commands.values()]).map((load) => load()));
}
