import type { Control } from '../../sandbox/control.ts';
import type { TrialCloud } from '../specs.ts';

/** Every tag, label and description in an account: what whoever may read it is shown. */
export const marksOf = (cloud: TrialCloud, control: Control): string => JSON.stringify(readers[cloud](control));

const readers: Readonly<Record<TrialCloud, (control: Control) => unknown>> = {
  aws: ({ ec2 }) => {
    const region = ec2.region('111122223333', 'eu-west-1');
    const tagged = [region.vpcs, region.subnets, region.groups, region.gateways, region.routeTables, region.instances];
    return [
      ...tagged.flatMap((table) => [...table.values()].map(({ tags }) => [...tags])),
      ...[...region.rules.values()].map(({ description }) => description),
    ];
  },
  gcp: ({ compute }) => {
    const project = compute.project('acme-prod');
    return [
      ...[...project.instances.values()].map(({ marks }) => [...marks.labels]),
      ...[project.networks, project.subnetworks, project.firewalls].flatMap((table) =>
        [...table.values()].map(({ description }) => description),
      ),
    ];
  },
  azure: ({ arm }) => {
    const subscription = arm.subscription('11112222-3333-4444-8555-666677778888');
    const { networks, securityGroups, applicationGroups, machines, interfaces, addresses } = subscription;
    return [
      ...[networks, securityGroups, applicationGroups, machines, interfaces, addresses].flatMap((table) =>
        [...table.values()].map(({ tags }) => [...tags]),
      ),
      ...[...securityGroups.values()].flatMap(({ rules }) => rules.map(({ description }) => description)),
    ];
  },
};
