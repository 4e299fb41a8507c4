import assert from 'node:assert/strict';
import type { Effect } from '../../../sandbox/faults.ts';
import type { SandboxOptions } from '../../../sandbox/index.ts';
import { diff } from '../../../src/core/diff.ts';
import type { Observed } from '../../../src/core/observed.ts';
import type { Attributes, CloudId, Ref } from '../../../src/core/resource.ts';
import type { Creation, Revision, Session } from '../../../src/ports/provider.ts';
import { account, prefix, resourceGroup } from '../../support/azure-session.ts';
import { creationOf, desiredOf, recordedCall, writesOf } from '../../support/fixtures.ts';
import { byHand, createOne, type Estate, groupOf, listOf, makeEstate, must, revisionTo, subnetOf } from './estate.ts';

/** An estate with a subnet and two groups, on which machines can stand. */
export interface Land extends Estate {
  readonly subnet: CloudId;
  readonly groups: readonly [Ref, Ref];
}

export async function makeLand(options: SandboxOptions = {}): Promise<Land> {
  const estate = await makeEstate(options);
  const { session, network, group } = estate;
  const outside = ['web', 'db'].map(identityId);
  estate.stage.sandbox.control.arm.load({ subscriptions: [{ id: account, outside }] });
  const subnet = await createOne(session, subnetOf('core.app', network.id));
  const other = await createOne(session, groupOf('core.lb', network.id));
  estate.stage.sandbox.control.log.clear();
  return { ...estate, subnet: subnet.id, groups: [group.id, other.id] };
}

export const image = 'Canonical:ubuntu-24_04-lts:server:latest';
/** Of a user-assigned identity beside the machines, as a listing says it. */
export const identityId = (name: string): string =>
  `/subscriptions/${account}/resourcegroups/${resourceGroup}/providers/microsoft.managedidentity/userassignedidentities/${name}`;

export const sizes = ['Standard_B2s', 'Standard_D2s_v5'] as const;

export function machineOf(
  { subnet, groups }: Land,
  name: string,
  over: Partial<Attributes['instance']> = {},
): Creation<'instance'> {
  const attributes: Attributes['instance'] = {
    placement: { subnet, publicIp: false },
    groups: [groups[0]],
    machine: { image, size: sizes[0], power: 'running' },
    boot: { access: 'sha256:a1', userData: 'sha256:u1' },
    labels: {},
    ...over,
  };
  return creationOf(
    desiredOf('instance', { address: `${prefix}/instance/${name}`, name, attributes }),
    `intent-${name}`,
  );
}

/** A machine that runs, with the creation that made it. */
export interface Machine {
  readonly creation: Creation<'instance'>;
  readonly observed: Observed<'instance'>;
}

export async function running(land: Land, name: string, over: Partial<Attributes['instance']> = {}): Promise<Machine> {
  const creation = machineOf(land, name, over);
  await createOne(land.session, creation);
  const observed = await machineSeen(land, name);
  land.stage.sandbox.control.log.clear();
  return { creation, observed };
}

/** As a new reconcile lists it. */
export async function machineSeen({ stage }: Land, name: string): Promise<Observed<'instance'>> {
  const found = (await machinesSeen(await stage.open())).filter((one) => one.name === name);
  const [one] = found;
  assert.ok(one && found.length === 1, `${found.length} machines ${name} are listed`);
  return one;
}

export const machinesSeen = (session: Session): Promise<readonly Observed<'instance'>[]> => listOf(session, 'instance');

/** Brings a machine from its observed attributes to others. */
export const to = ({ creation, observed }: Machine, over: Partial<Attributes['instance']>): Revision<'instance'> =>
  revisionTo(creation, observed, over);

export async function revise({ stage }: Land, revision: Revision<'instance'>): Promise<void> {
  const session = await stage.open();
  const [result] = await session.actuators.instance.update([revision], recordedCall());
  must(result);
}

export const compute = (path: string): string =>
  `/subscriptions/${account}/resourceGroups/${resourceGroup}/providers/Microsoft.Compute/${path}`;

/** Names of all that stands, of these three types, whosever it is. */
export async function partsStanding({ stage }: Land): Promise<readonly string[]> {
  const paths = [
    'Microsoft.Network/networkInterfaces',
    'Microsoft.Network/publicIPAddresses',
    'Microsoft.Compute/disks',
  ];
  const names: string[] = [];
  for (const path of paths) {
    const answer = await byHand(stage, 'GET', `/subscriptions/${account}/providers/${path}`);
    // why: a list answers its items in `value`
    const { value } = answer as unknown as { readonly value: readonly { readonly name: string }[] };
    names.push(...value.map(({ name }) => name));
  }
  return names.sort();
}

/** The possible outcomes of a write, as the sandbox produces them. */
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

/** Reconciles as the engine does: observe, then create missing resources or change differing ones, each with its own intent. */
export async function converge(land: Land, creation: Creation<'instance'>): Promise<number> {
  for (let reconcile = 1; reconcile <= 4; reconcile++) {
    const session = await land.stage.open();
    const [seen, twin] = (await machinesSeen(session)).filter(({ name }) => name === creation.desired.name);
    assert.equal(twin, undefined, 'there is no second of it');
    if (!seen || seen.condition.missing?.includes('machine')) {
      await createOne(session, {
        ...creation,
        token: `pass-${reconcile}`,
        mark: { ...creation.mark, intent: `pass-${reconcile}` },
      });
    } else {
      const changes = diff(creation.desired.attributes, seen.attributes);
      if (changes.length === 0) return reconcile;
      await revise(land, { desired: creation.desired, observed: seen, changes });
    }
    land.stage.sandbox.control.clock.advance(600_000);
  }
  return assert.fail('it does not come to rest');
}
