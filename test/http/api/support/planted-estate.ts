import assert from 'node:assert/strict';
import { apiOn } from '../../../../src/bootstrap/http-server.ts';
import { openEstate } from '../../../../src/estate/load.ts';
import type { Route } from '../../../../src/http/api/route.ts';
import type { SpecSnapshot } from '../../../../src/ports/fleet-state.ts';
import { parseStored } from '../../../../src/source/stored-tree.ts';
import { machineIn, network, rule } from '../../../support/engine-world/documents.ts';
import { type FleetWorld, fleetWorld, today, where } from '../../../support/fleet-world.ts';

/**
 * An estate of two targets in one place and of three owners, in which something of every kind was done and said. Each word that
 * not everybody may read begins with whose it is:
 *
 *   zzlab    | of the target zztarget-lab, and of its owner
 *   zznet    | names a network there: objects that nobody wants are of all targets of a place, and say which network they are in
 *   zztarget | names that target
 *   zzdata   | of zzdata-team, in the target here
 *   zzall    | about more than any one target or owner
 */
export interface PlantedEstate {
  readonly world: FleetWorld;
  readonly routes: readonly Route[];
  /** The things that a request can name. */
  readonly names: { readonly addresses: readonly string[]; readonly targets: readonly string[] };
}

export const planted = [
  ...[
    'zznet-lab',
    'zzlab-team',
    'zzlab-db',
    'zzlab-subnet',
    'zzlab-label',
    'zzlab-specs',
    'zzlab-freeze',
    'zzlab-stop',
    'zzlab-sale',
  ],
  ...['zzdata-db', 'zzdata-team', 'zzdata-label', 'zzdata-specs', 'zzdata-stop'],
  ...['zzall-source', 'zzall-head', 'zzall-why', 'zzall-pause', 'zzall-person', 'zzall-approval', 'zzall-wish'],
  ...['zzall-poison', 'zzall-token', 'zztarget-lab'],
] as const;

const lab = 'zztarget-lab';
const machine = machineIn({ image: 'img-1', size: 'small' });

const future = { from: '2098-01-01T00:00', to: '2099-01-01T00:00', reason: 'zzlab-sale' };
const freezes = [
  { ...future, name: 'zzlab-owner', owners: ['zzlab-team'] },
  { ...future, name: 'zzlab-target', targets: [lab] },
  { ...future, name: 'both', reason: 'a sale', owners: ['team-web', 'zzdata-team', 'zzlab-team'] },
];

/** `tier`: the field that a second generation changes in every machine. */
const specs = (tier: string, mode: string): Readonly<Record<string, readonly object[]>> => ({
  'estate.yaml': [
    { kind: 'Estate', metadata: { name: 'acme' }, spec: { mode, freezes } },
    ...['here', lab].map((name) => ({
      ...{ kind: 'Target', metadata: { name } },
      spec: {
        ...{ provider: 'memory', account: 'acme', region: 'north' },
        ...(name === lab ? { freezes: [{ ...future, name: 'zzlab-own' }] } : {}),
      },
    })),
  ],
  'web.yaml': [
    network({ internet: false }, { owner: 'team-web' }),
    rule('https', {}, { owner: 'team-web' }),
    machine('web', {}, { owner: 'team-web', labels: { tier } }),
  ],
  'zzdata-specs.yaml': [machine('zzdata-db', {}, { owner: 'zzdata-team', labels: { tier, note: 'zzdata-label' } })],
  'zzlab-specs.yaml': [
    network(
      {
        targets: [lab],
        cidr: '10.99.0.0/16',
        internet: false,
        subnets: [{ name: 'zzlab-subnet', cidr: '10.99.1.0/24' }],
      },
      { name: 'zznet-lab', owner: 'zzlab-team' },
    ),
    machine(
      'zzlab-db',
      { targets: [lab], network: 'zznet-lab', subnet: 'zzlab-subnet', groups: [] },
      { owner: 'zzlab-team', labels: { tier, note: 'zzlab-label' } },
    ),
  ],
});

export async function plantedEstate(): Promise<PlantedEstate> {
  const world = fleetWorld();
  const { store, context, clock } = world;
  await accept(world, 'a', 'enforce');
  await passed(world);
  await accept(world, 'b', 'plan');
  await passed(world);
  await store.fleet.requests.ask(where, 'zzall-person: zzall-wish');
  await passed(world);
  meddle(world);
  await speak(world);
  await passed(world);
  const { log } = context.telemetry;
  const { routes } = apiOn({ store, outside: context.outside, clock, log }, { reaches: [], access: undefined });
  return { world, routes, names: await namesIn(world) };
}

async function accept({ store, context }: FleetWorld, tier: string, mode: string): Promise<void> {
  const kept: SpecSnapshot = {
    specs: Object.entries(specs(tier, mode)).map(([path, documents]) => ({
      path,
      text: documents.map((one) => JSON.stringify({ apiVersion: 'setpoint.dev/v1', ...one })).join('\n---\n'),
    })),
    userData: [],
  };
  const tree = parseStored(kept, tier, today);
  assert.deepEqual(tree.problems, []);
  const { compiled } = await openEstate(tree, context.outside.cloud, today);
  await store.fleet.specSnapshots.keep('acme', tier, kept);
  await store.generations.accept('acme', tier, compiled.guards);
}

async function passed(world: FleetWorld): Promise<void> {
  await world.clock.advance(1000);
  await world.reconcile();
}

/** Somebody changes every machine behind our back, and makes a network of their own. */
function meddle({ cloud }: FleetWorld): void {
  const ids = cloud.inspect.live().flatMap(({ type, id }) => (type === 'instance' ? [id] : []));
  cloud.outside.do('TagObjects', { ids, tags: { note: 'by hand' } });
  cloud.outside.do('CreateNetwork', { cidr: '10.77.0.0/16', tags: {} });
}

/** Notes of people and workers about the things of others. */
async function speak({ store, clock }: FleetWorld): Promise<void> {
  const { fleet, sources, tokens } = store;
  const until = clock.now() + 86_400_000;
  const by = { person: 'zzall-person', reason: 'zzall-approval' };
  await fleet.approvals.give({
    ...{ estate: 'acme', scope: where.scope, generation: 2, digest: 'd'.repeat(64), actions: ['e'.repeat(64)] },
    ...{ destroys: 0, by, until },
  });
  const held = { what: 'all', person: 'zzall-person', until } as const;
  const pause = (reason: string, by: 'owner' | 'target' | 'address', name: string) =>
    fleet.pauses.begin('acme', { ...held, reason, of: { by, name } });
  await pause('zzall-pause', 'owner', 'zzlab-team');
  await pause('zzlab-freeze', 'target', lab);
  await pause('zzlab-freeze', 'address', `${where.scope}/instance/zzlab-db-0`);
  for (const word of ['zzlab', 'zzdata'])
    await fleet.rollouts.stop(where, {
      document: `${where.scope}/instance/${word}-db`,
      generation: 2,
      why: `${word}-stop`,
    });
  await fleet.quarantine.put(where, 'zzall-poison', 2);
  const broken = { source: 'zzall-source', head: 'git:zzall-head', state: 'broken', why: 'zzall-why' } as const;
  await sources.states.record('acme', broken);
  const maker = { person: 'zzall-person', identities: [] };
  await tokens.make({ name: 'zzall-token', grants: [{ role: 'viewer', estates: ['acme'] }], expiresAt: until, maker });
  const reason = 'zzall-person paused everything for owner zzlab-team: zzall-pause';
  await fleet.requests.ask(where, reason);
}

async function namesIn({ store }: FleetWorld): Promise<PlantedEstate['names']> {
  const { rows } = await store.rows.page({
    ...{ seen: [{}], filter: {}, limit: 1000 },
    sort: { by: 'address', descending: false },
  });
  const addresses = rows.flatMap(({ called: { address, id } }) => [address, id].filter((name) => name !== undefined));
  return { addresses, targets: ['here', lab] };
}
