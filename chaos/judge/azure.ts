import type { NetworkSecurityGroup, SecurityRule } from '../../sandbox/arm/records.ts';
import type { Control } from '../../sandbox/control.ts';
import { called } from './called.ts';

export function censusOfAzure({ arm }: Control): readonly string[] {
  const subscription = arm.subscription('11112222-3333-4444-8555-666677778888');
  return [
    ...[...subscription.groups.values()].map(({ path }) => `resource group ${last(path)}`),
    ...[...subscription.networks.values()].flatMap(({ path, addressPrefixes, subnets, tags }) => [
      `network ${last(path)} ${addressPrefixes} env=${tags.get('env')}`,
      ...subnets.map(
        (subnet) =>
          `subnet ${last(subnet.path)} ${subnet.prefixes.list} of ${last(path)} behind ${last(subnet.securityGroup ?? 'nothing')}`,
      ),
    ]),
    ...[...subscription.securityGroups.values()].flatMap((each) => [
      `rules ${last(each.path)}`,
      ...each.rules.map((rule) => ruleLine(rule, each)),
    ]),
    ...[...subscription.applicationGroups.values()].map(({ path }) => `group ${last(path)}`),
    ...[...subscription.machines.values()].map(
      ({ path, size, power, tags, storage }) =>
        `machine ${called(last(path))} ${size} ${storage.image.written['publisher']} ${power.state} tier=${tags.get('tier')}`,
    ),
    ...[...subscription.interfaces.values()].map(
      ({ path, machine }) => `interface ${called(last(path))} of ${called(last(machine ?? 'nothing'))}`,
    ),
    ...[...subscription.addresses.values()].map(
      ({ path, usedBy }) => `address ${called(last(path))} ${usedBy === undefined ? 'unused' : 'used'}`,
    ),
    ...[...subscription.disks.values()].map(
      ({ path, machine }) => `disk ${called(last(path))} of ${called(last(machine ?? 'nothing'))}`,
    ),
  ];
}

const last = (path: string): string => path.split('/').at(-1) ?? path;

function ruleLine({ path, traffic, source, destination }: SecurityRule, of: NetworkSecurityGroup): string {
  const side = ({ prefix, prefixes, groups }: SecurityRule['source']): string =>
    [prefix ?? '', ...prefixes, ...groups.map(last)]
      .filter((text) => text !== '')
      .toSorted()
      .join();
  const ports = [destination.portRange ?? [], destination.portRanges].flat();
  return `rule ${last(path).replace(/-[0-9a-f]{8}$/, '')} of ${last(of.path)} ${traffic.direction} ${traffic.access} ${traffic.protocol} ${ports} from ${side(source)} to ${side(destination)}`;
}
