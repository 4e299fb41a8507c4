import type { Clock } from '../../../src/ports/clock-and-log.ts';
import { type Acquired, type Lease, LeaseLost, type Leases } from '../../../src/ports/leases.ts';
import { type LeaseMemory, leaseKey, type Memory } from './memory.ts';

/** The time that a lease outlives a holder that stopped renewing. */
const leaseMs = 10_000;

/** Leases of one process. `stall` acts like SIGSTOP, a crash or a long pause: renewing ends, and the leases expire. */
export interface MemoryLeases extends Leases {
  stall(): void;
}

/** A living holder renews without waiting, so that virtual time is not kept busy by timers. */
export function memoryLeases(memory: Memory, clock: Clock): MemoryLeases {
  const mine = new Set<LeaseMemory>();
  return {
    acquire: async (estate, scope, holder): Promise<Acquired> => {
      const key = leaseKey(estate, scope);
      const held = memory.leases.get(key);
      if (held && !isFree(held, clock)) return { ok: false, heldBy: held.holder, since: held.since };
      held?.lost.abort(new LeaseLost(scope, held.holder));
      const taken: LeaseMemory = {
        estate,
        scope,
        epoch: (held?.epoch ?? 0) + 1,
        holder,
        since: clock.now(),
        lost: new AbortController(),
        guardEpoch: memory.estates.get(estate)?.guard.epoch ?? 0,
        expires: undefined,
        released: false,
      };
      memory.leases.set(key, taken);
      mine.add(taken);
      return { ok: true, lease: leaseOf(taken, clock) };
    },
    held: async (estate) =>
      [...memory.leases.values()]
        .filter((lease) => !isFree(lease, clock) && (estate === undefined || lease.estate === estate))
        .sort((a, b) => (leaseKey(a.estate, a.scope) < leaseKey(b.estate, b.scope) ? -1 : 1))
        .map(({ estate, scope, holder, epoch, since }) => ({ estate, scope, holder, epoch, since })),
    stall: () => {
      for (const lease of mine) lease.expires ??= clock.now() + leaseMs;
    },
  };
}

const isFree = ({ expires }: LeaseMemory, clock: Clock): boolean => expires !== undefined && expires <= clock.now();

const leaseOf = (held: LeaseMemory, clock: Clock): Lease => ({
  epoch: held.epoch,
  holder: held.holder,
  remainingMs: () => (held.expires === undefined ? leaseMs : held.expires - clock.now()),
  signal: held.lost.signal,
  release: async () => {
    held.expires = Math.min(held.expires ?? clock.now(), clock.now());
    held.released = true;
  },
});
