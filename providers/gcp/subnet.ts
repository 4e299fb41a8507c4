import type { Result } from '../../src/core/failure.ts';
import type { Observed } from '../../src/core/observed.ts';
import { type CloudId, slotOf } from '../../src/core/resource.ts';
import type { Actuator, Call, Creation, Removal, Revision } from '../../src/ports/provider.ts';
import { done } from '../shared/answer.ts';
import { awaitAll } from '../shared/await-all.ts';
import { each } from '../shared/each.ts';
import { mapInTurns } from '../shared/turns.ts';
import { idOf, placeOf } from './cloud-id.ts';
import { createEach } from './creation.ts';
import { getNetwork, getSubnetwork } from './get.ts';
import { inexpressibleOf } from './inexpressible.ts';
import { lastOf } from './links.ts';
import { lookUp } from './lookup.ts';
import { describe, readDescription } from './marks/description.ts';
import type { Subnetwork } from './messages.ts';
import { ipv6OfSubnet, subnetSettingsOf } from './network-settings.ts';
import { originOf } from './origin.ts';
import { type Resolve, resolveBy, resolveIn } from './parents.ts';
import { deleteEach } from './removal.ts';
import type { Scope } from './scope.ts';
import { canonicalCidr } from './spelling.ts';
import { unsupported } from './unsupported.ts';

/** Subnets are subnetworks: of one region, in one network, fixed as they were made. */
export function subnetActuator(scope: Scope): Actuator<'subnet'> {
  return {
    list: (call) => list(scope, call),
    read: (ids, call) => read(ids, scope, call),
    create: (batch, call) => create(batch, scope, call),
    update: async (batch) => batch.map(change),
    delete: (batch, call) => remove(batch, scope, call),
  };
}

async function* list(scope: Scope, call: Call): AsyncGenerator<readonly Observed<'subnet'>[]> {
  const { listings } = scope;
  const [subnetworks, networks] = await awaitAll([
    listings.subnetworks('subnet', call),
    listings.networks('subnet', call),
  ]);
  const resolve = resolveIn(networks, scope);
  yield await mapInTurns(subnetworks, (subnetwork) => observeSubnet(subnetwork, resolve, scope));
}

export function observeSubnet(
  subnetwork: Subnetwork,
  resolve: Resolve,
  { project }: Pick<Scope, 'project'>,
): Observed<'subnet'> {
  const { mark } = readDescription(subnetwork.description);
  const name = subnetwork.name ?? '';
  const origin = mark ? undefined : subnetOrigin(subnetwork);
  const ipv6 = ipv6OfSubnet(subnetwork);
  return {
    kind: 'subnet',
    id: idOf(subnetwork) ?? '',
    name,
    attributes: {
      network: resolve(subnetwork.network),
      cidr: canonicalCidr(subnetwork.ipCidrRange ?? ''),
      settings: subnetSettingsOf(subnetwork),
      labels: {},
    },
    signs: {
      ...(mark ? { mark } : {}),
      slot: slotOf(`gcp/${project}/${lastOf(subnetwork.region ?? '')}`, 'subnet', name),
      ...(origin ? { origin } : {}),
    },
    condition: {
      state: 'ready',
      ...(ipv6.length === 0 ? {} : { furtherBlocks: ipv6 }),
      ...inexpressibleOf.subnet(subnetwork),
    },
  };
}

/** A network in auto mode makes one in every region, named as itself: https://cloud.google.com/vpc/docs/subnets#subnet-types */
function subnetOrigin({ name, description, network }: Subnetwork): Observed['signs']['origin'] {
  const detail = `made by the network ${name}, which has one in every region`;
  if (name === lastOf(network ?? '')) return { why: 'provider-default', detail };
  return originOf({ name: name ?? '', description: description ?? '' });
}

async function read(
  ids: readonly CloudId[],
  scope: Scope,
  call: Call,
): Promise<readonly Result<Observed<'subnet'> | undefined>[]> {
  const found = await each(ids, (id) => lookUp(id, (each) => getSubnetwork(each, scope, call)));
  const links = found.flatMap((result) => (result.ok && result.value ? [result.value.network] : []));
  const resolve = await resolveBy(links, (path) => getNetwork(path, scope, call));
  return found.map((result) => {
    if (!result.ok || !result.value) return result.ok ? { ok: true, value: undefined } : result;
    return resolve.ok ? { ok: true, value: observeSubnet(result.value, resolve.value, scope) } : resolve;
  });
}

/** A name is taken once in a region, and a block once in a network. */
function create(
  batch: readonly Creation<'subnet'>[],
  scope: Scope,
  call: Call,
): Promise<readonly Result<Observed<'subnet'>>[]> {
  const { project, client } = scope;
  const pathIn = ({ desired }: Creation<'subnet'>): string =>
    `projects/${project}/regions/${regionOf(desired.address)}/subnetworks/${desired.name}`;
  return createEach<'subnet', Subnetwork>(
    batch,
    {
      path: pathIn,
      insert: ({ desired, mark }, requestId) => {
        const region = regionOf(desired.address);
        const subnetworkResource = {
          name: desired.name,
          description: describe('', mark),
          network: placeOf(desired.attributes.network).path,
          ipCidrRange: desired.attributes.cidr,
        };
        return client.write({ action: 'subnetworks.insert', region }, call, (sdk, options) =>
          sdk.subnetworks().insert({ project, region, requestId, subnetworkResource }, options),
        );
      },
      get: (item) => getSubnetwork(pathIn(item), scope, call),
      markOf: ({ description }) => readDescription(description).mark,
      made: ({ desired, mark }, id) =>
        madeAs(desired, id, {
          mark,
          slot: slotOf(`gcp/${project}/${regionOf(desired.address)}`, 'subnet', desired.name),
        }),
    },
    scope,
    call,
  );
}

/** `gcp/acme/europe-west1/subnet/core.app` → `europe-west1` */
const regionOf = (address: string): string => address.split('/')[2] ?? '';

const madeAs = (
  { name, attributes: { network, cidr } }: Creation<'subnet'>['desired'],
  id: CloudId,
  signs: Observed['signs'],
): Observed<'subnet'> => ({
  kind: 'subnet',
  id,
  name,
  attributes: { network, cidr, labels: {} },
  signs,
  condition: { state: 'ready' },
});

/** A subnet's description, and so its mark, is fixed; it bears no labels. */
function change({ changes }: Revision<'subnet'>): Result<void> {
  const failure = unsupported(changes, []);
  return failure ? { ok: false, failure } : done;
}

function remove(batch: readonly Removal<'subnet'>[], scope: Scope, call: Call): Promise<readonly Result<void>[]> {
  const { project, client } = scope;
  return deleteEach<'subnet', Subnetwork>(
    batch,
    {
      get: (id) => getSubnetwork(id, scope, call),
      markOf: ({ description }) => readDescription(description).mark,
      delete: (_, id) => {
        const { location: region = '', name: subnetwork } = placeOf(id);
        return client.write({ action: 'subnetworks.delete', region }, call, (sdk, options) =>
          sdk.subnetworks().delete({ project, region, subnetwork }, options),
        );
      },
    },
    scope,
    call,
  );
}
