import type { NetworkDoc } from '../document.ts';
import type { Located } from '../located.ts';
import { subnetPlaceOf, targetsOf } from '../placement.ts';
import type { Path } from '../position.ts';
import { error, type Problem } from '../problem.ts';
import { groupsIn } from '../spec-groups.ts';
import type { SpecSet } from '../spec-set.ts';
import { place } from './place.ts';

/**
 * A thing inside a network is called `<network>-<name>`, so `core` with `web-app` and `core-web` with `app` are one where
 * the cloud knows such names beyond the network: subnets of a region on GCP
 * (https://cloud.google.com/compute/docs/naming-resources), application security groups of a resource group on Azure
 * (https://learn.microsoft.com/azure/azure-resource-manager/management/resource-name-rules).
 */
export function* joinedNames(set: SpecSet): Iterable<Problem> {
  const told = new Set<string>();
  for (const [key, things] of Map.groupBy(thingsIn(set), ({ where, called }) => `${where} ${called.toLowerCase()}`)) {
    const first = things[0];
    const other = things.find(({ network }) => network !== first?.network);
    if (!first || !other || told.has(other.called)) continue;
    told.add(other.called);
    const where = place(first.document.at(first.path));
    const message = `${other.network} and ${first.network} (${where}) both have a ${other.what} called ${other.called} in ${key.split(' ')[0]}`;
    yield error('joined-name', other.document.at(other.path), message, { expected: 'another name for one of the two' });
  }
}

interface Thing {
  readonly what: 'subnet' | 'group';
  readonly document: Located<unknown>;
  readonly path: Path;
  readonly network: string;
  readonly where: string;
  readonly called: string;
}

const thingsIn = (set: SpecSet): readonly Thing[] => [
  ...[...set.networks.values()].flatMap((network) => [...subnetsOnGcp(set, network)]),
  ...groupsOnAzure(set),
];

function* subnetsOnGcp(set: SpecSet, document: Located<NetworkDoc>): Iterable<Thing> {
  const { metadata, spec } = document.value;
  const network = metadata.name;
  for (const [index, { name, target }] of spec.subnets.entries()) {
    const path = ['spec', 'subnets', index, 'name'];
    for (const where of placesOf(set, target === undefined ? spec.targets : [target], 'gcp')) {
      yield { what: 'subnet', document, path, network, where, called: `${network}-${name}` };
    }
  }
}

function* groupsOnAzure(set: SpecSet): Iterable<Thing> {
  for (const { document, path, network, name } of groupsIn(set)) {
    for (const where of placesOf(set, set.networks.get(network)?.value.spec.targets ?? [], 'azure')) {
      yield { what: 'group', document, path, network, where, called: `${network}-${name}` };
    }
  }
}

/** Where the names are unique; `subnetPlaceOf` is the resource group on Azure. */
const placesOf = (set: SpecSet, targets: readonly string[], provider: 'gcp' | 'azure'): ReadonlySet<string> =>
  new Set(
    targetsOf(set, targets)
      .filter(({ value }) => value.spec.provider === provider)
      .map(({ value }) => subnetPlaceOf(value)),
  );
