import type { Instance, Reservation, Volume } from '@aws-sdk/client-ec2';
import type { Result } from '../../src/core/failure.ts';
import type { Observed } from '../../src/core/observed.ts';
import type { CloudId } from '../../src/core/resource.ts';
import { type Actuator, type Call, ListingFailed } from '../../src/ports/provider.ts';
import { chunks } from '../shared/chunks.ts';
import { mapInTurns } from '../shared/turns.ts';
import type { Client } from './client.ts';
import { change } from './instance/change.ts';
import { healthOf } from './instance/health.ts';
import { launch } from './instance/launch.ts';
import { observeInstance, type Seen, withDisk } from './instance/observe.ts';
import { terminate } from './instance/terminate.ts';
import { lookup } from './lookup.ts';
import { sharedBy } from './owner.ts';
import { type Ask, pages } from './pages.ts';
import { most } from './rate-limits.ts';
import type { Scope } from './scope.ts';
import { ec2 } from './sdk.ts';

/** Instances with their disks and network interfaces. Launching, changing and ending them is in instance/. */
export function instanceActuator(scope: Scope): Actuator<'instance'> {
  return {
    list: (call) => list(scope, call),
    read: (ids, call) => read(ids, scope, call),
    health: (ids, call) => healthOf(ids, scope, call),
    create: (batch, call) => launch(batch, scope, call),
    update: (batch, call) => change(batch, scope, call),
    delete: (batch, call) => terminate(batch, scope, call),
  };
}

/**
 * Pages of 1000 without ids or filter, terminated ones included. Disks are told by their volumes, listed once and only
 * if an instance has one; after the instances, so that no volume can be too new for its listing.
 */
async function* list(
  { client, listings, account }: Scope,
  call: Call,
): AsyncGenerator<readonly Observed<'instance'>[]> {
  const seen: Seen[] = [];
  for await (const page of pages(reservationPages(client), call))
    for (const each of await mapInTurns(machinesOf(page), seenBy(account))) seen.push(each);
  const needed = seen.some(({ rootVolume }) => rootVolume !== undefined);
  const volumes = byId(needed ? await listings.volumes('instance', call) : []);
  for (const page of chunks(seen, most.page)) yield await mapInTurns(page, (each) => complete(each, volumes));
}

function reservationPages(client: Client): Ask<Reservation> {
  return async (NextToken, call) => {
    const command = new ec2.DescribeInstancesCommand({ MaxResults: most.page, NextToken });
    const answer = await client.send('DescribeInstances', command, call);
    return answer.ok
      ? { ok: true, value: { items: answer.value.Reservations ?? [], next: answer.value.NextToken } }
      : answer;
  };
}

interface Machine {
  readonly instance: Instance;
  readonly OwnerId: string | undefined;
}

/** Those of all reservations. */
const machinesOf = (reservations: readonly Reservation[]): readonly Machine[] =>
  reservations.flatMap(({ OwnerId, Instances = [] }) => Instances.map((instance) => ({ instance, OwnerId })));

/** A machine of another account is none of ours. */
function seenBy(account: string): (machine: Machine) => Seen {
  return ({ instance, OwnerId }) => {
    const origin = sharedBy({ OwnerId }, account);
    const seen = observeInstance(instance);
    return origin === undefined ? seen : { ...seen, observed: { ...seen.observed, signs: { origin } } };
  };
}

const byId = (volumes: readonly Volume[]): ReadonlyMap<string, Volume> =>
  new Map(volumes.map((volume) => [volume.VolumeId ?? '', volume]));

/** If a ready machine has no listed disk, the listing of disks was incomplete. */
function complete(seen: Seen, volumes: ReadonlyMap<string, Volume>): Observed<'instance'> {
  const observed = withDisk(seen, volumes);
  if (seen.rootVolume !== undefined && !volumes.has(seen.rootVolume) && observed.condition.state === 'ready') {
    const message = `volume ${seen.rootVolume} of ${observed.id} was not listed`;
    throw new ListingFailed('ShortListing', message, { kind: 'retryable', code: 'ShortListing', message });
  }
  return observed;
}

async function read(
  ids: readonly CloudId[],
  { client, account }: Scope,
  call: Call,
): Promise<readonly Result<Observed<'instance'> | undefined>[]> {
  const describe = async (InstanceIds: readonly CloudId[]): Promise<Result<readonly Seen[]>> => {
    const answer = await client.send(
      'DescribeInstances',
      new ec2.DescribeInstancesCommand({ InstanceIds: [...InstanceIds] }),
      call,
    );
    return answer.ok ? { ok: true, value: machinesOf(answer.value.Reservations ?? []).map(seenBy(account)) } : answer;
  };
  const found = await lookup(ids, describe, ({ observed }) => observed.id);
  const seen = found.map((result) => (result.ok ? result.value : undefined));
  const volumes = await rootVolumes(seen, client, call);
  return found.map((result, index) => {
    const one = seen[index];
    if (!result.ok || !one) return result.ok ? { ok: true, value: undefined } : result;
    return volumes.ok ? { ok: true, value: withDisk(one, volumes.value) } : volumes;
  });
}

/** "up to 200 values in a single request": https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_Filter.html */
const mostFilterValues = 200;

async function rootVolumes(
  seen: readonly (Seen | undefined)[],
  client: Client,
  call: Call,
): Promise<Result<ReadonlyMap<string, Volume>>> {
  const ids = seen.flatMap((each) => (each?.rootVolume === undefined ? [] : [each.rootVolume]));
  const volumes: Volume[] = [];
  for (const Values of chunks(ids, mostFilterValues)) {
    const Filters = [{ Name: 'volume-id', Values: [...Values] }];
    const answer = await client.send('DescribeVolumes', new ec2.DescribeVolumesCommand({ Filters }), call);
    if (!answer.ok) return answer;
    volumes.push(...(answer.value.Volumes ?? []));
  }
  return { ok: true, value: byId(volumes) };
}
