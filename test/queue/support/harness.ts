import type { Queue } from '../../../src/ports/queue.ts';
import type { Backend } from '../../../src/queue/connection.ts';
import type { QueueOptions } from '../../../src/queue/queue.ts';

/** One server under test. */
export interface Harness {
  readonly backend: Backend;
  /** Takes the locks of all jobs that run from those who hold them. */
  stealLocks(name: string): Promise<void>;
  /** Cuts every connection of ours. The server goes on. */
  cut(): Promise<void>;
}

/** A law's arguments: the name of a fleet of its own on the server, and a way to open its queue as another process would. */
export interface Bench extends Harness {
  readonly name: string;
  open(options?: Partial<QueueOptions>): Promise<Queue>;
}

export type Laws = Readonly<Record<string, (bench: Bench) => Promise<void>>>;

/** No lock runs out, however long a machine under load keeps a process from renewing it. */
export const calmPace = { lockMs: 60_000, stalledMs: 300, patienceMs: 60_000, graceMs: 10_000 };
/** Locks run out: of who died soon, of who lives only where the machine keeps it from working for 3 s. */
export const quickPace = { ...calmPace, lockMs: 5_000 };
export const quickTries = { attempts: 3, kills: 1, backoffMs: 20, backoffCapMs: 50 };
