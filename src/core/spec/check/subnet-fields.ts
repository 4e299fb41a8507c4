import { parseCidr } from '../../cidr.ts';
import type { NetworkDoc, TargetDoc } from '../document.ts';
import { instanceOn } from '../instance-on.ts';
import type { Located } from '../located.ts';
import { subnetPlaceOf, targetsOf } from '../placement.ts';
import { error, type Problem, warning } from '../problem.ts';
import type { SpecSet } from '../spec-set.ts';

type Subnet = NetworkDoc['spec']['subnets'][number];

/** A subnet lies in a zone only where subnets do, and has an address for each machine that is to be in it. */
export function* subnetFields(set: SpecSet): Iterable<Problem> {
  const machines = machinesBySubnet(set);
  for (const network of set.networks.values()) {
    for (const [index, subnet] of network.value.spec.subnets.entries()) {
      const targets = targetsOf(set, subnet.target === undefined ? network.value.spec.targets : [subnet.target]);
      const path = ['spec', 'subnets', index];
      yield* zone(network, [...path, 'zone'], subnet, targets);
      yield* room(network, [...path, 'cidr'], { subnet, targets, machines });
    }
  }
}

type Path = readonly PropertyKey[];

/** https://cloud.google.com/vpc/docs/subnets and https://learn.microsoft.com/azure/reliability/reliability-virtual-network */
function* zone(
  network: Located<NetworkDoc>,
  path: Path,
  { zone: given }: Subnet,
  targets: readonly Located<TargetDoc>[],
): Iterable<Problem> {
  if (given === undefined) return;
  const aws = targets.filter(({ value }) => value.spec.provider === 'aws' || value.spec.provider === 'memory');
  if (aws.length === 0 && targets.length > 0) {
    const message = 'GCP and Azure subnets span all zones: `zone` means nothing here';
    yield warning('not-here', network.at(path), message, { expected: "no zone; that of a machine is its target's" });
  }
  for (const { value } of aws) {
    const { provider, region } = value.spec;
    const within = given.startsWith(region) && /^[a-z-]/.test(given.slice(region.length));
    if (provider !== 'aws' || within) continue;
    const message = `the zone \`${given}\` is not in ${region} (${value.metadata.name})`;
    yield error('bad-value', network.at(path), message, { expected: `a zone of it, such as ${region}a` });
  }
}

/**
 * Addresses that a cloud keeps of every subnet:
 * https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html (the first four and the last),
 * https://cloud.google.com/vpc/docs/subnets#unusable-ip-addresses-in-every-subnet (the first two and the last two),
 * https://learn.microsoft.com/azure/virtual-network/virtual-networks-faq (the first four and the last)
 */
const KEPT: Readonly<Record<TargetDoc['spec']['provider'], number>> = { aws: 5, gcp: 4, azure: 5, memory: 0 };

interface Room {
  readonly subnet: Subnet;
  readonly targets: readonly Located<TargetDoc>[];
  readonly machines: ReadonlyMap<string, number>;
}

function* room(network: Located<NetworkDoc>, path: Path, { subnet, targets, machines }: Room): Iterable<Problem> {
  const cidr = parseCidr(subnet.cidr);
  if (!cidr || cidr.family === 6) return;
  const told = new Set<string>();
  for (const { value } of targets) {
    const kept = KEPT[value.spec.provider];
    const here = subnetKey(network.value.metadata.name, subnet.name, value);
    const wanted = machines.get(here) ?? 0;
    const free = Math.max(2 ** (32 - cidr.prefix) - kept, 0);
    if (wanted <= free || told.has(here)) continue;
    told.add(here);
    const message = `${wanted} machines are to be in this subnet on ${value.metadata.name}, and it has ${free} addresses: ${value.spec.provider} keeps ${kept}`;
    yield error('subnet-full', network.at(path), message, { expected: 'a larger block, or fewer replicas' });
  }
}

function machinesBySubnet(set: SpecSet): ReadonlyMap<string, number> {
  const machines = new Map<string, number>();
  for (const { value } of set.instances) {
    for (const { value: target } of targetsOf(set, value.spec.targets)) {
      const made = instanceOn(value, target.metadata.name);
      if (!made) continue;
      const key = subnetKey(value.spec.network, made.subnet, target);
      machines.set(key, (machines.get(key) ?? 0) + made.replicas);
    }
  }
  return machines;
}

/** One for all zones of a GCP region. */
const subnetKey = (network: string, subnet: string, target: TargetDoc): string =>
  `${target.spec.provider === 'gcp' ? subnetPlaceOf(target) : target.metadata.name} ${network}.${subnet}`;
