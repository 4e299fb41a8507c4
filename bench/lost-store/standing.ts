import type { Control } from '../../sandbox/control.ts';

interface Row {
  readonly id: string;
}

/** Where the example estate stands: `specs/estate.yaml`. */
const aws = { account: '111122223333', region: 'eu-west-1' };
const project = 'acme-prod';
const subscription = '11112222-3333-4444-8555-666677778888';

/** Ids of all that truly stands on the three clouds. */
export function standing({ ec2, compute, arm }: Control): ReadonlySet<string> {
  const region = ec2.region(aws.account, aws.region);
  const google = compute.project(project);
  const azure = arm.subscription(subscription);
  const tables: readonly { values(): Iterable<Row> }[] = [
    ...[region.vpcs, region.subnets, region.gateways, region.routeTables, region.groups, region.rules],
    ...[region.instances, region.volumes, region.interfaces],
    ...[google.networks, google.subnetworks, google.firewalls, google.routes, google.instances, google.disks],
    ...[azure.groups, azure.networks, azure.securityGroups, azure.applicationGroups],
    ...[azure.interfaces, azure.addresses, azure.machines, azure.disks],
  ];
  return new Set(tables.flatMap((table) => [...table.values()].map(({ id }) => id)));
}
