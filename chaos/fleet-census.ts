import { setTimeout as sleep } from 'node:timers/promises';
import type { Fleet } from './fleet.ts';

/** The places of AWS that a trial is about. */
export interface Places {
  readonly account: string;
  readonly regions: readonly string[];
}

/** A network, subnet, gateway or machine of the sandbox. `name`: its kind and address, the same for twins. */
interface Standing {
  readonly id: string;
  readonly name: string;
}

interface Tagged {
  readonly id: string;
  readonly tags: ReadonlyMap<string, string>;
  readonly launch?: { readonly index: number };
}

/** The resources that truly stand in a region. */
export function standingIn({ sandbox }: Pick<Fleet, 'sandbox'>, account: string, region: string): readonly Standing[] {
  const { vpcs, subnets, gateways, instances } = sandbox.control.ec2.region(account, region);
  const named =
    (kind: string) =>
    ({ id, tags, launch }: Tagged): Standing => {
      const first = tags.get('setpoint:first');
      const address = `${tags.get('setpoint:address') ?? id}${first === undefined ? '' : `-${Number(first) + (launch?.index ?? 0)}`}`;
      return { id, name: `${kind} ${address}` };
    };
  const up = [...instances.values()].filter(({ power }) => power.state === 'running' || power.state === 'pending');
  return [
    ...[...vpcs.values()].map(named('network')),
    ...[...subnets.values()].map(named('subnet')),
    ...[...gateways.values()].map(named('gateway')),
    ...up.map(named('machine')),
  ];
}

export const censusIn = (fleet: Fleet, { account, regions }: Places): readonly string[] =>
  regions.map(
    (region) =>
      `${region}: ${standingIn(fleet, account, region)
        .map(({ name }) => name)
        .join(', ')}`,
  );

const twinsIn = (all: readonly Standing[]): readonly string[] =>
  [...Map.groupBy(all, ({ name }) => name)].flatMap(([name, these]) =>
    these.length > 1 ? [`${these.length} of ${name}: ${these.map(({ id }) => id).join(', ')}`] : [],
  );

/** Looks all the time, so that a twin is found also where it is ended again. */
export function watchTwins(fleet: Fleet, { account, regions }: Places): { end(): readonly string[] } {
  const found = new Set<string>();
  const look = (): void => {
    for (const region of regions) for (const twins of twinsIn(standingIn(fleet, account, region))) found.add(twins);
  };
  const timer = setInterval(look, 200);
  return {
    end: () => {
      clearInterval(timer);
      look();
      return [...found];
    },
  };
}

/** Once all is at rest: objects that are not known to the store, chains that go back in time or are broken, workers that ended. */
export async function violationsIn(fleet: Fleet, places: Places): Promise<readonly string[]> {
  return [
    ...(await forgotten(fleet, places)),
    ...(await backInTime(fleet)),
    ...(await fleet.verify()),
    ...fleet.workers.fallen(),
  ];
}

const knownMs = 120_000;

/** Objects that stand and that the store does not know for ours, also after the reconciles that look for lost ones. */
async function forgotten(fleet: Fleet, places: Places): Promise<readonly string[]> {
  for (const end = performance.now() + knownMs; ; await sleep(1000)) {
    const unknown = await unknownTo(fleet, places);
    if (unknown.length === 0 || performance.now() > end) return unknown;
  }
}

async function unknownTo(fleet: Fleet, { account, regions }: Places): Promise<readonly string[]> {
  const row = await fleet.servers.ask(
    "SELECT array_agg(id) AS ids FROM setpoint.claims WHERE estate = 'fleet' AND ended_at IS NULL",
    [],
  );
  const known = new Set<unknown>(Array.isArray(row?.['ids']) ? row['ids'] : []);
  return regions
    .flatMap((region) => standingIn(fleet, account, region))
    .filter(({ id, name }) => !name.startsWith('gateway ') && !known.has(id))
    .map(({ id, name }) => `${name} (${id}) is not known to the store`);
}

/** Entries of a chain that are dated before the one that they follow. */
async function backInTime({ servers }: Fleet): Promise<readonly string[]> {
  const row = await servers.ask(
    "SELECT count(*)::int AS count FROM (SELECT at, lag(at) OVER (PARTITION BY chain ORDER BY number) AS former FROM setpoint.ledger WHERE estate = 'fleet') AS entries WHERE at < former",
    [],
  );
  return row?.['count'] === 0
    ? []
    : [`${row?.['count']} entries of the ledger are dated before the one that they follow`];
}

const longestMs = 480_000;

/** Until it is so. Throws where that takes longer than 480 s, or where no worker is left. */
export async function until(isSo: () => boolean, otherwise: () => string, { workers }: Fleet): Promise<void> {
  for (const end = performance.now() + longestMs; !isSo(); await sleep(100)) {
    if (performance.now() > end) throw new Error(`not within ${longestMs / 1000} s: ${otherwise()}`);
    if (workers.pids().length === 0) throw new Error('no worker is left');
  }
}
