import type { Result } from '../../src/core/failure.ts';
import type { Observed } from '../../src/core/observed.ts';
import { type CloudId, slotOf } from '../../src/core/resource.ts';
import type { Actuator, Call, Creation, Removal, Revision } from '../../src/ports/provider.ts';
import { afterCreation } from '../shared/after-creation.ts';
import { done, failed } from '../shared/answer.ts';
import { awaitAll } from '../shared/await-all.ts';
import { each } from '../shared/each.ts';
import { mapInTurns } from '../shared/turns.ts';
import { idOf, placeOf } from './cloud-id.ts';
import { createEach } from './creation.ts';
import { closeDefaultRoute, removeRoutes, routesIn } from './default-route/close.ts';
import { openDefaultRoute } from './default-route/open.ts';
import { defaultRouteOf } from './default-route/routes.ts';
import { getNetwork } from './get.ts';
import { inexpressibleOf } from './inexpressible.ts';
import { pathOf } from './links.ts';
import { lookUp } from './lookup.ts';
import { describe, readDescription } from './marks/description.ts';
import type { Firewall, Network, Route } from './messages.ts';
import { ipv6OfNetwork, type ListedSettings, listSettings, networkSettingsOf } from './network-settings.ts';
import { originOf } from './origin.ts';
import { answered } from './pages.ts';
import { deleteEach } from './removal.ts';
import type { Scope } from './scope.ts';
import { unsupported } from './unsupported.ts';

/** Networks are VPC networks in custom mode; their part, the default route, is in default-route.ts. */
export function networkActuator(scope: Scope): Actuator<'network'> {
  return {
    list: (call) => list(scope, call),
    read: (ids, call) => read(ids, scope, call),
    create: (batch, call) => create(batch, scope, call),
    update: (batch, call) => each(batch, (item) => change(item, scope, call)),
    delete: (batch, call) => remove(batch, scope, call),
  };
}

async function* list(scope: Scope, call: Call): AsyncGenerator<readonly Observed<'network'>[]> {
  const { listings } = scope;
  const [networks, routes, settings] = await awaitAll([
    listings.networks('network', call),
    listings.routes('network', call),
    listSettings(scope, call),
  ]);
  yield await mapInTurns(networks, (network) => observeNetwork(network, routes, settings));
}

/** A network bears no labels, and its blocks are its subnets'. `routes`: all of the project; undefined where they are not known. */
export function observeNetwork(
  network: Network,
  routes: readonly Route[] | undefined,
  settings: ListedSettings = { unlisted: [] },
): Observed<'network'> {
  const { mark } = readDescription(network.description);
  const defaultRoute = defaultRouteOf(pathOf(network.selfLink ?? ''), mark, routes ?? []);
  const ipv6 = ipv6OfNetwork(network);
  const name = network.name ?? '';
  const origin = mark ? undefined : networkOrigin(network);
  return {
    kind: 'network',
    id: idOf(network) ?? '',
    name,
    attributes: {
      internet: defaultRoute.internet,
      settings: networkSettingsOf(network, routes, settings),
      labels: {},
    },
    signs: {
      ...(mark ? { mark } : {}),
      slot: slotOf(prefixOf(pathOf(network.selfLink ?? '')), 'network', name),
      ...(origin ? { origin } : {}),
    },
    condition: {
      state: 'ready',
      ...(defaultRoute.parts.length === 0 ? {} : { parts: defaultRoute.parts }),
      ...(defaultRoute.missing.length === 0 ? {} : { missing: defaultRoute.missing }),
      ...(ipv6.length === 0 ? {} : { furtherBlocks: ipv6 }),
      ...inexpressibleOf.network(network),
      ...(settings.unlisted.length === 0 ? {} : { unlisted: settings.unlisted }),
    },
  };
}

/** `projects/acme/global/networks/core` → `gcp/acme/global` */
const prefixOf = (path: string): string => `gcp/${path.split('/')[1]}/global`;

/** https://cloud.google.com/vpc/docs/vpc#default-network */
function networkOrigin({ name, description, autoCreateSubnetworks }: Network): Observed['signs']['origin'] {
  if (name === 'default' && autoCreateSubnetworks === true)
    return { why: 'provider-default', detail: 'the default network of the project' };
  return originOf({ name: name ?? '', description: description ?? '' });
}

async function read(
  ids: readonly CloudId[],
  scope: Scope,
  call: Call,
): Promise<readonly Result<Observed<'network'> | undefined>[]> {
  const found = await each(ids, (id) => lookUp(id, (each) => getNetwork(each, scope, call)));
  if (!found.some((result) => result.ok && result.value)) return found.map(withoutNetwork);
  const [routes, settings] = await awaitAll([
    answered(scope.listings.routes('network', call)),
    listSettings(scope, call),
  ]);
  return found.map((result) => {
    if (!result.ok || !result.value) return withoutNetwork(result);
    if (!routes.ok) return routes;
    return { ok: true, value: observeNetwork(result.value, routes.value, settings) };
  });
}

const withoutNetwork = (result: Result<unknown>): Result<undefined> =>
  result.ok ? { ok: true, value: undefined } : result;

/** Every network is born with a default route. Where none is wanted it goes in the same step, or with the next reconcile. */
async function create(
  batch: readonly Creation<'network'>[],
  scope: Scope,
  call: Call,
): Promise<readonly Result<Observed<'network'>>[]> {
  const { project, client } = scope;
  const results = await createEach<'network', Network>(
    batch,
    {
      path: ({ desired }) => `projects/${project}/global/networks/${desired.name}`,
      insert: ({ desired, mark }, requestId) =>
        client.write('networks.insert', call, (sdk, options) => {
          const networkResource = {
            name: desired.name,
            description: describe('', mark),
            autoCreateSubnetworks: false,
            routingConfig: { routingMode: 'REGIONAL' },
          };
          return sdk.networks().insert({ project, requestId, networkResource }, options);
        }),
      get: ({ desired }) => getNetwork(desired.name, scope, call),
      markOf: ({ description }) => readDescription(description).mark,
      made: createdAs,
    },
    scope,
    call,
  );
  return each([...batch.entries()], async ([index, item]) => {
    const made = results[index];
    if (!made?.ok || item.desired.attributes.internet !== false) return made ?? unanswered;
    const close = closeDefaultRoute({ path: placeOf(made.value.id).path, mark: item.mark }, scope, call);
    const closed = await afterCreation(close, failed('conflict', 'NotSent', 'the reconcile stopped'));
    return { ok: true, value: { ...made.value, attributes: { internet: !closed.ok, labels: {} } } };
  });
}

const unanswered = failed('ambiguous', 'Unanswered', 'the cloud did not answer for this network');

function createdAs({ desired, mark }: Creation<'network'>, id: CloudId): Observed<'network'> {
  const { name } = desired;
  return {
    kind: 'network',
    id,
    name,
    attributes: { internet: true, labels: {} },
    signs: { mark, slot: slotOf(prefixOf(placeOf(id).path), 'network', name) },
    condition: { state: 'ready' },
  };
}

/** Only its way to the internet changes: a network's description, and so its mark, is fixed. */
async function change(
  { desired, observed, changes }: Revision<'network'>,
  scope: Scope,
  call: Call,
): Promise<Result<void>> {
  const failure = unsupported(changes, ['internet']);
  if (failure) return { ok: false, failure };
  if (changes.length === 0) return done;
  const found = await lookUp(observed.id, (id) => getNetwork(id, scope, call));
  if (!found.ok) return found;
  if (!found.value) return failed('not-found', 'notFound', `${observed.id} is gone`);
  const { path } = placeOf(observed.id);
  const { mark } = readDescription(found.value.description);
  if (desired.attributes.internet === false) return closeDefaultRoute({ path, mark }, scope, call);
  if (mark) return openDefaultRoute({ path, mark }, scope, call);
  const message = `${path} was adopted and has no mark, so Setpoint could not recognise its own route later; create its default route by hand`;
  return failed('terminal', 'NoMark', message);
}

/**
 * A network that anything stands in is not deleted (https://cloud.google.com/vpc/docs/create-modify-vpc-networks#deleting_a_network),
 * and a route of ours counts. So it is looked into before that goes: a network that stays, stays whole.
 */
function remove(batch: readonly Removal<'network'>[], scope: Scope, call: Call): Promise<readonly Result<void>[]> {
  const { project, client } = scope;
  return deleteEach<'network', Network>(
    batch,
    {
      get: (id) => getNetwork(id, scope, call),
      markOf: ({ description }) => readDescription(description).mark,
      delete: async (network, id) => {
        const freed = await freeOfRoutes(network, scope, call);
        if (!freed.ok) return freed;
        return client.write('networks.delete', call, (sdk, options) =>
          sdk.networks().delete({ project, network: placeOf(id).name }, options),
        );
      },
    },
    scope,
    call,
  );
}

async function freeOfRoutes(network: Network, scope: Scope, call: Call): Promise<Result<void>> {
  const path = pathOf(network.selfLink ?? '');
  const routes = await routesIn({ path, mark: readDescription(network.description).mark }, scope, call);
  if (!routes.ok) return routes;
  const { own, others } = routes.value;
  if (own.length === 0) return done;
  const firewalls = await answered(scope.listings.firewalls('network', call));
  if (!firewalls.ok) return firewalls;
  const inside = [
    ...(network.subnetworks ?? []).map(pathOf),
    ...firewalls.value.filter(standsIn(path)).map(({ name }) => `firewall ${name}`),
    ...others.map(({ name }) => `route ${name}`),
  ];
  if (inside.length === 0) return removeRoutes(own, scope, call);
  return failed('conflict', 'resourceInUse', `${path} still holds ${inside.slice(0, 5).join(', ')}`);
}

const standsIn =
  (path: string) =>
  ({ network }: Firewall): boolean =>
    pathOf(network ?? '') === path;
