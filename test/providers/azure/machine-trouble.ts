import assert from 'node:assert/strict';
import type { Effect } from '../../../sandbox/faults.ts';
import { diff } from '../../../src/core/diff.ts';
import type { Creation } from '../../../src/ports/provider.ts';
import { recordedCall, writesOf } from '../../support/fixtures.ts';
import { createOne } from './estate.ts';
import { type Land, machinesSeen, revise } from './machines.ts';

/** What can become of a write, as the sandbox does it. */
export const troubles = {
  throttle: { kind: 'throttle' },
  refuse: { kind: 'access-denied' },
  'lost before': { kind: 'reset-before' },
  'lost after': { kind: 'reset-after' },
  'failed operation': { kind: 'operation-error', code: 'InternalServerError', status: 500 },
} as const satisfies Readonly<Record<string, Effect>>;

/** Every write that machines are made of. */
const writes = [
  'publicIPAddresses.createOrUpdate',
  'publicIPAddresses.updateTags',
  'publicIPAddresses.delete',
  'networkInterfaces.createOrUpdate',
  'networkInterfaces.updateTags',
  'networkInterfaces.delete',
  'virtualMachines.createOrUpdate',
  'virtualMachines.update',
  'virtualMachines.start',
  'virtualMachines.deallocate',
  'virtualMachines.delete',
  'disks.update',
  'disks.delete',
];

/** Does the work with this trouble at its nth write. Afterwards all that was begun has ended. */
export async function troubled<T>(
  { stage }: Land,
  { effect, nth }: { readonly effect: Effect; readonly nth: number },
  work: () => Promise<T>,
): Promise<T> {
  const { faults, clock } = stage.sandbox.control;
  const fault = faults.add({ match: { action: writes, nth }, effect });
  try {
    return await work();
  } finally {
    faults.remove(fault);
    clock.advance(600_000);
  }
}

/** The API's names of the writes that this takes. */
export async function writesIn(
  work: (call: ReturnType<typeof recordedCall>) => Promise<unknown>,
): Promise<readonly string[]> {
  const call = recordedCall();
  await work(call);
  return writesOf(call);
}

/** Passes as the engine makes them: look, then make what is missing or change what differs, each with an intent of its own. */
export async function converge(land: Land, creation: Creation<'instance'>): Promise<number> {
  for (let pass = 1; pass <= 4; pass++) {
    const session = await land.stage.open();
    const [seen, twin] = (await machinesSeen(session)).filter(({ name }) => name === creation.desired.name);
    assert.equal(twin, undefined, 'there is no second of it');
    if (!seen || seen.condition.missing?.includes('machine')) {
      await createOne(session, {
        ...creation,
        token: `pass-${pass}`,
        mark: { ...creation.mark, intent: `pass-${pass}` },
      });
    } else {
      const changes = diff(creation.desired.attributes, seen.attributes);
      if (changes.length === 0) return pass;
      await revise(land, { desired: creation.desired, observed: seen, changes });
    }
    land.stage.sandbox.control.clock.advance(600_000);
  }
  return assert.fail('it does not come to rest');
}
