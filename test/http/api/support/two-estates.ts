import { makeCloud } from '../../../../providers/memory/cloud.ts';
import { memoryProvider } from '../../../../providers/memory/index.ts';
import { apiOn } from '../../../../src/bootstrap/http-server.ts';
import { openEstate } from '../../../../src/estate/load.ts';
import { generationsOf } from '../../../../src/fleet/generations.ts';
import { reconcileHandler } from '../../../../src/fleet/scope-reconcile.ts';
import type { WorkerContext } from '../../../../src/fleet/worker-context.ts';
import type { Route } from '../../../../src/http/api/route.ts';
import { parseStored } from '../../../../src/source/stored-tree.ts';
import { network, rule } from '../../../support/engine-world/documents.ts';
import { fleetWorld, today } from '../../../support/fleet-world.ts';
import type { VirtualClock } from '../../../support/virtual-clock.ts';

/** Every route as the product wires it, on one store with two estates of which each has had a reconcile. */
export interface TwoEstates {
  readonly clock: VirtualClock;
  readonly routes: readonly Route[];
  readonly own: Place;
  readonly foreign: Place;
  /** Names of the calls that the routes have made to the store since this was asked last, in their order. */
  readonly taken: () => readonly string[];
}

/** One thing of each kind in one estate. Those of `nowhere` look as if they existed. */
export interface Place {
  readonly estate: string;
  readonly target: string;
  readonly address: string;
  /** Ids of the stored objects. */
  readonly ids: { readonly reconcile: string; readonly token: string; readonly plan: string };
}

export const nowhere: Place = {
  estate: 'nowhere',
  target: 'nowhere',
  address: 'memory/nowhere/north/network/nowhere',
  ids: {
    reconcile: '00000000-0000-4000-8000-00000000dead',
    token: '00000000000000ad',
    plan: '00000000-0000-4000-8000-0000000000ad',
  },
};

/** Stands in every name of the foreign estate. */
export const strange = 'strangers';

interface Names {
  readonly estate: string;
  readonly target: string;
  readonly account: string;
  readonly network: string;
}

export async function twoEstates(): Promise<TwoEstates> {
  const world = fleetWorld();
  const { clock, store, context } = world;
  const own = await settle(context, clock, { estate: 'acme', target: 'here', account: 'acme', network: 'core' });
  const foreign = await settle(context, clock, {
    estate: strange,
    target: `${strange}-target`,
    account: `${strange}-account`,
    network: `${strange}-net`,
  });
  const { log } = context.telemetry;
  const asked: string[] = [];
  const { routes } = apiOn(
    { store: told(store, '', asked), outside: context.outside, clock, log },
    { reaches: [], access: undefined },
  );
  return { clock, routes, own, foreign, taken: () => asked.splice(0) };
}

/** The same object, with a record of its calls and those of its parts, by name. */
function told<T extends object>(whole: T, name: string, calls: string[]): T {
  return new Proxy(whole, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key);
      const path = `${name}${String(key)}`;
      if (typeof value === 'function')
        return (...args: readonly unknown[]): unknown => {
          calls.push(path);
          return Reflect.apply(value, target, args);
        };
      return typeof value === 'object' && value !== null ? told(value, `${path}.`, calls) : value;
    },
  });
}

/** The estate's specs are in force, and one reconcile has carried them out. */
async function settle(context: WorkerContext, clock: VirtualClock, names: Names): Promise<Place> {
  const { estate, target, account } = names;
  const cloud = makeCloud({ clock });
  const here: WorkerContext = { ...context, outside: { ...context.outside, cloud: async () => memoryProvider(cloud) } };
  const kept = { specs: [{ path: 'all.yaml', text: textOf(names) }], userData: [] };
  const tree = parseStored(kept, estate, today);
  const { compiled } = await openEstate(tree, here.outside.cloud, today);
  await context.store.fleet.specSnapshots.keep(estate, estate, kept);
  await context.store.generations.accept(estate, estate, compiled.guards);
  const at = { estate, scope: `memory/${account}/north` };
  await clock.run(() => reconcileHandler(here, generationsOf(here))(at, new AbortController().signal));
  return { estate, target, address: `${at.scope}/network/${names.network}`, ids: await idsOf(context, at, clock) };
}

async function idsOf(
  { store }: WorkerContext,
  { estate }: { readonly estate: string },
  clock: VirtualClock,
): Promise<Place['ids']> {
  const { reconciles } = await store.reconciles.page({ filter: { estate }, seen: [{ estates: [estate] }], limit: 1 });
  const { token } = await store.tokens.make({
    name: estate,
    grants: [{ role: 'viewer', estates: [estate] }],
    expiresAt: clock.now() + 86_400_000,
    maker: { person: `somebody of ${estate}`, identities: [] },
  });
  return { reconcile: reconciles[0]?.id ?? '', token: token.id, plan: '' };
}

function textOf({ estate, target, account, network: name }: Names): string {
  const documents = [
    { kind: 'Estate', metadata: { name: estate }, spec: { mode: 'enforce' } },
    { kind: 'Target', metadata: { name: target }, spec: { provider: 'memory', account, region: 'north' } },
    network({ targets: [target] }, { name, owner: `${estate}-team` }),
    rule(`${name}-web`, { network: name }, { owner: `${estate}-team` }),
  ];
  return documents.map((one) => JSON.stringify({ apiVersion: 'setpoint.dev/v1', ...one })).join('\n---\n');
}
