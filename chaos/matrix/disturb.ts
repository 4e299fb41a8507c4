import { setTimeout as sleep } from 'node:timers/promises';
import type { Catch } from '../victim/catch.ts';
import { type LedgerGate, ledgerGate } from '../wire/ledger-gate.ts';
import type { VictimProcess } from '../wire/victim-process.ts';
import type { Cell } from './cells.ts';
import type { Trial, Watcher } from './trial.ts';
import { within } from './within.ts';

export interface Disturbance {
  readonly trial: Trial;
  readonly victim: VictimProcess;
  readonly catching: Catch;
  readonly watch: (watcher: Watcher) => void;
}

/** The first process is caught, and lets go of nothing until `let`. */
export interface Caught {
  let(): Promise<void>;
}

/** Where the gate is not in the process itself it is let go on, and caught where the cloud or the database holds it. */
export async function caughtAt({ trial, victim, catching, watch }: Disturbance): Promise<Caught> {
  switch (catching.at) {
    case 'before-answer':
      return unanswered({ trial, victim, watch });
    case 'while-appending': {
      const gate = await ledgerGate(trial.database.owner, trial.estate, catching);
      victim.pass();
      return appending(gate);
    }
    default:
      return { let: async () => victim.pass() };
  }
}

/** A request that was let go with another arrives so soon after it, on a machine that has time. */
const arrivesMs = 300;

async function unanswered({ trial, victim, watch }: Pick<Disturbance, 'trial' | 'victim' | 'watch'>): Promise<Caught> {
  const { cloud } = trial.ways;
  // why: only the answer to a write is held; a write may be preceded by a read, which must be answered for it to be sent
  let writes = 0;
  const carriedOut = new Promise<void>((resolve) =>
    watch(({ mutating }) => {
      if (!mutating) return;
      writes += 1;
      if (writes > 1) return;
      cloud.hold();
      cloud.open();
      resolve();
    }),
  );
  victim.pass();
  await within(patienceMs, carriedOut, () => 'nothing was sent to the cloud');
  // why: the requests that went side by side with it arrive too, and none is left to be sent late
  for (let before = 0; before < writes; await sleep(arrivesMs)) before = writes;
  return { let: async () => cloud.let() };
}

async function appending(gate: LedgerGate): Promise<Caught> {
  try {
    await gate.caught();
  } catch (error) {
    await gate.open();
    throw error;
  }
  let opened: Promise<void> | undefined;
  return {
    let: () => {
      opened ??= gate.open();
      return opened;
    },
  };
}

/** What the second process does while the first stands still. */
export type Rival = () => Promise<void>;

/** Until the first process has come to its end. Returns how it did. */
export async function disturbed(
  manner: Cell['manner'],
  caught: Caught,
  { trial, victim, catching }: Disturbance,
  rival: Rival,
): Promise<{ readonly how: string; readonly said: string }> {
  switch (manner) {
    case 'kill':
      victim.signal('SIGKILL');
      await caught.let();
      return victim.ended();
    case 'stop': {
      victim.signal('SIGSTOP');
      // why: the database ends its statement, whoever asked for it stands still
      if (catching.at === 'while-appending') await caught.let();
      await sleep(trial.leaseMs + 100);
      await rival();
      await caught.let();
      victim.signal('SIGCONT');
      return ofItself(victim);
    }
    case 'cut':
      for (const way of [trial.ways.cloud, trial.ways.database]) way.cut();
      await caught.let();
      return ofItself(victim);
  }
}

/** A victim tries again for a minute by itself. A busy machine makes that several, and only one that hangs takes longer. */
const patienceMs = 300_000;

async function ofItself(victim: VictimProcess): Promise<{ readonly how: string; readonly said: string }> {
  try {
    return await within(patienceMs, victim.ended(), () => 'it did not end');
  } catch (error) {
    victim.signal('SIGKILL');
    const { said } = await victim.ended();
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${said}`, { cause: error });
  }
}
