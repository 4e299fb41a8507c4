import type { Firewall } from '../../sandbox/compute/records.ts';
import type { Control } from '../../sandbox/control.ts';
import { called } from './called.ts';

/** Routes of subnetworks come and go with them; the default route is the network's way to the internet. */
export function censusOfGcp({ compute }: Control): readonly string[] {
  const project = compute.project('acme-prod');
  return [
    ...[...project.networks.values()].map(({ name }) => `network ${name}`),
    ...[...project.subnetworks.values()].map(({ name, cidr, network }) => `subnet ${name} ${cidr} of ${last(network)}`),
    ...[...project.routes.values()].map(({ destination, network }) => `route ${destination} of ${last(network)}`),
    ...[...project.firewalls.values()].map(firewallLine),
    ...[...project.instances.values()].map(
      ({ name, hardware, power, marks }) =>
        `machine ${called(name)} ${last(hardware.machineType)} ${power.status} tier=${marks.labels.get('tier')}`,
    ),
    ...[...project.disks.values()].map(
      ({ name, users, source }) =>
        `disk ${called(name)} of ${users.map((user) => called(last(user)))} from ${source?.project}`,
    ),
  ];
}

const last = (path: string): string => path.split('/').at(-1) ?? path;

/** Its name ends in a hash of what cannot change. */
function firewallLine({ name, network, direction, priority, rule }: Firewall): string {
  const traffic = rule.traffic.map(({ protocol, ports = [] }) => `${protocol} ${ports}`);
  const sides = [rule.sources.ranges, rule.sources.tags, rule.destinations, rule.targets.tags].map(
    (list) => list?.toSorted().join() ?? '-',
  );
  return `rule ${name.replace(/-[0-9a-f]{8}$/, '')} of ${last(network)} ${direction} ${rule.action} ${traffic} ${sides.join(' ')} at ${priority}`;
}
