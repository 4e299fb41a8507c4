import type { VirtualMachine } from '@azure/arm-compute';
import type { NetworkInterface } from '@azure/arm-network';
import type { Failure, Result } from '../../../src/core/failure.ts';
import type { Observed } from '../../../src/core/observed.ts';
import { type InstanceAttributes, slotOf } from '../../../src/core/resource.ts';
import type { Call, Creation, Launch } from '../../../src/ports/provider.ts';
import { afterCreation } from '../../shared/after-creation.ts';
import { failed } from '../../shared/answer.ts';
import { each } from '../../shared/each.ts';
import { stateOf } from '../condition.ts';
import { cloudIdOf } from '../ids.ts';
import { isSameTry } from '../marks.ts';
import { idIn, placeOf, prefixAt } from '../place.ts';
import type { Scope } from '../scope.ts';
import { findParts, type PartsFound } from './find-parts.ts';
import { identityIdOf } from './identity.ts';
import { deallocate, findMachine } from './machine.ts';
import { machineBody } from './machine-body.ts';
import { makeAddress, makeInterface } from './make-parts.ts';
import { isPartOfMachine, type PartName } from './parts.ts';
import { powerStateOf } from './power-state.ts';
import { nameDisk } from './update-marks.ts';

type Item = Creation<'instance'>;

/**
 * Each machine by itself, side by side. The address goes before the interface and that before the machine, as each names the one
 * before; the disk comes with the machine. What an earlier try left half made is taken up.
 *
 *   stands under the name    | marked               | then
 *   -------------------------+----------------------+--------------------------------------------
 *   the machine              | by this very creation | it is the answer
 *   the machine              | otherwise            | conflict
 *   the machine, and failed  | by this very creation | it is the answer: its checks say that it failed
 *   interface                | and hangs on a machine| terminal: somebody has put it to use
 *   interface, address       | as part of this      | written again as it shall be
 *   interface, address       | otherwise            | terminal: somebody must make room
 *   the disk                 | in whatever way      | terminal: nobody's data is thrown away or booted from
 */
export function launch(
  batch: readonly Item[],
  scope: Scope,
  call: Call,
): Promise<readonly Result<Observed<'instance'>>[]> {
  return each(batch, (item) => launchOne(item, scope, call));
}

const machineIdOf = ({ desired }: Item): string =>
  idIn(placeOf(desired.address, 'instance'), 'Microsoft.Compute/virtualMachines', desired.name);

async function launchOne(item: Item, scope: Scope, call: Call): Promise<Result<Observed<'instance'>>> {
  const existingOne = await findMachine(machineIdOf(item), scope, call);
  if (!existingOne.ok) return existingOne;
  if (existingOne.value) return taken(item, existingOne.value, scope, call);
  const place = placeOf(item.desired.address, 'instance');
  const parts = await findParts({ place, machine: item.desired.name }, scope, call);
  if (!parts.ok) return parts;
  const foreign = foreignAmong(item, parts.value);
  if (foreign) return foreign;
  const secret = item.desired.attributes.boot ? await call.secret(item.desired.address) : {};
  if (secret.access === undefined)
    return failed(
      'terminal',
      'NoAccess',
      `Azure creates no machine without a login: add access to ${item.desired.name}`,
    );
  return make({ item, found: parts.value, secret }, scope, call);
}

/** The machine stands: made by this very try, whose answer was lost, or by somebody. */
async function taken(item: Item, vm: VirtualMachine, scope: Scope, call: Call): Promise<Result<Observed<'instance'>>> {
  if (isSameTry(item.mark, vm.tags)) return finished(item, vm, scope, call);
  const { resourceGroup } = placeOf(item.desired.address, 'instance');
  const message = `machine ${item.desired.name} stands in ${resourceGroup} already and was not created for this: adopt it, or choose another name`;
  return failed('conflict', 'NameTaken', message);
}

function foreignAmong({ mark, desired }: Item, { nic, address, disk }: PartsFound): Result<never> | undefined {
  if (disk) {
    const origin = isPartOfMachine(mark, disk.tags, 'disk')
      ? 'was left by an earlier machine'
      : 'belongs to another machine';
    return inTheWay(disk.id, `${origin}: delete it, or rename it to keep its data`);
  }
  const found = [
    ['network-interface', nic],
    ['public-address', desired.attributes.placement.publicIp ? address : undefined],
  ] as const satisfies readonly (readonly [PartName, PartsFound['nic'] | PartsFound['address']])[];
  if (nic?.virtualMachine)
    return inTheWay(nic.id, `is now attached to ${nic.virtualMachine.id}: detach it there, or delete it`);
  const foreign = found.find(([part, thing]) => thing && !isPartOfMachine(mark, thing.tags, part))?.[1];
  return foreign && inTheWay(foreign.id, 'belongs to another machine: delete it, or give the machine another name');
}

const inTheWay = (id: string | undefined, why: string): Result<never> =>
  failed('terminal', 'NameTaken', `${id} stands already and ${why}`);

interface Making {
  readonly item: Item;
  readonly found: PartsFound;
  readonly secret: Launch;
}

async function make({ item, found, secret }: Making, scope: Scope, call: Call): Promise<Result<Observed<'instance'>>> {
  const { placement } = item.desired.attributes;
  const address = placement.publicIp ? await makeAddress(item, found.address, scope, call) : undefined;
  if (address && !address.ok) return address;
  const nic = await makeInterface({ item, found: found.nic, address: address?.value }, scope, call);
  if (!nic.ok) return nic;
  const made = await makeMachine({ item, nic: nic.value, secret }, scope, call);
  if (made.ok) return finished(item, made.value, scope, call);
  const { kind } = made.failure;
  if (kind !== 'conflict' && kind !== 'terminal') return made;
  const there = await findMachine(machineIdOf(item), scope, call);
  if (!there.ok || !there.value) return made;
  if (kind === 'conflict') return taken(item, there.value, scope, call);
  // why: one whose making failed stands all the same, and would be nobody's: it is ours, and has failed
  return isSameTry(item.mark, there.value.tags) ? finished(item, there.value, scope, call) : made;
}

/** Never a second machine, nor another's made anew: `If-None-Match: *`. */
async function makeMachine(
  { item, nic, secret }: { readonly item: Item; readonly nic: NetworkInterface; readonly secret: Launch },
  { client }: Scope,
  call: Call,
): Promise<Result<VirtualMachine>> {
  const { resourceGroup } = placeOf(item.desired.address, 'instance');
  const secrets = secretsOf(secret);
  const body = machineBody(item, nic.id ?? '', secret);
  const made = await client.run(redactedCall(call, secrets), ({ compute }) =>
    compute.virtualMachines.createOrUpdate(resourceGroup, item.desired.name, body, { ifNoneMatch: '*' }),
  );
  return made.ok ? made : { ok: false, failure: withoutSecrets(made.failure, secrets) };
}

/** Once the machine stands the answer is the machine: what fails of this is seen, and done, by the next reconcile. */
async function finished(
  item: Item,
  vm: VirtualMachine,
  scope: Scope,
  call: Call,
): Promise<Result<Observed<'instance'>>> {
  const state = vm.instanceView ? powerStateOf(vm.instanceView).state : 'ready';
  const provisioned = stateOf(vm.provisioningState);
  const condition = { state: provisioned === 'ready' ? state : provisioned };
  const answer = (power: 'running' | 'stopped'): Result<Observed<'instance'>> => ({
    ok: true,
    value: { ...made(item, vm, power), condition },
  });
  if (condition.state !== 'ready') return answer('running');
  await afterCreation(nameDisk({ vm, mark: item.mark }, scope, call), notYet);
  if (item.desired.attributes.machine.power === 'running') return answer('running');
  const stopped = await afterCreation(deallocate(machineIdOf(item), scope, call), notYet);
  return answer(stopped.ok ? 'stopped' : 'running');
}

const notYet = failed('conflict', 'NotSent', 'the reconcile stopped before Setpoint sent this');

function made(
  { mark, desired }: Item,
  vm: VirtualMachine,
  power: 'running' | 'stopped',
): Omit<Observed<'instance'>, 'condition'> {
  const { id = '', name = '', location, vmId } = vm;
  return {
    kind: 'instance',
    id: cloudIdOf(id, vmId),
    name,
    attributes: asMade(desired, power),
    signs: { mark, slot: slotOf(prefixAt(id, location), 'instance', name) },
  };
}

function asMade({ address, attributes }: Item['desired'], power: 'running' | 'stopped'): InstanceAttributes {
  const { machine, groups } = attributes;
  const identity = machine.identity === undefined ? {} : { identity: identityIdOf(machine.identity, address) };
  return {
    ...attributes,
    ...(groups ? { groups: groups.toSorted() } : {}),
    machine: { ...machine, ...identity, power },
  };
}

/** The secrets of a launch, in plain and in sent form. */
export function secretsOf({ userData, access }: Launch): readonly string[] {
  const texts = [userData, access?.password, ...(access?.sshKeys ?? [])].filter((text) => text !== undefined);
  return texts.flatMap((text) => [text, Buffer.from(text, 'utf8').toString('base64')]);
}

/** The same failure, saying nothing of these texts, nor a piece of one: the cloud may repeat what it was sent, and cut it. */
export function withoutSecrets(failure: Failure, secrets: readonly string[]): Failure {
  const message = secrets.filter((secret) => secret !== '').reduce(without, failure.message);
  return { ...failure, message };
}

/** So many signs in a row are of a secret and no word of the cloud's own; of a short secret, half. */
const telling = 12;

function without(message: string, secret: string): string {
  const least = Math.min(telling, Math.ceil(secret.length / 2));
  let redacted = '';
  for (let at = 0; at < message.length; ) {
    let end = at;
    while (end < message.length && secret.includes(message.slice(at, end + 1))) end++;
    const tells = end - at >= least;
    redacted += tells ? '…' : message.charAt(at);
    at = tells ? end : at + 1;
  }
  return redacted;
}

/** The same call, whose reports tell no secret. */
const redactedCall = (call: Call, secrets: readonly string[]): Call => ({
  signal: call.signal,
  admit: (request) => call.admit(request),
  report: (request, { failure, ...answer }) =>
    call.report(request, failure ? { ...answer, failure: withoutSecrets(failure, secrets) } : answer),
  secret: (address) => call.secret(address),
  operations: call.operations,
});
