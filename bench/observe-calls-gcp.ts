import { gcp } from '../providers/gcp/index.ts';
import { computeEstate, type ProjectShape } from './estate/compute.ts';
import { type Figure, type Spoil, spoilNothing } from './figure.ts';
import { lookCalls, pagesOf } from './world/observe-calls.ts';
import type { Stage } from './world/stage.ts';

/** 10,000 instances with as many disks, 10,000 subnetworks, 10,000 firewalls, in 50 networks. */
export const projectObserved: ProjectShape = { networks: 50, subnetworks: 200, firewalls: 200, machines: 200 };

const project = 'acme-prod';
const plenty = 1_000_000;

/**
 * Calls to look at a whole project, against its pages, one call for the firewall policies of each network and region with a machine, and
 * the one call that says whose it is. Used are `list` of what is
 * global, and `aggregatedList` of what is regional or zonal: all places in one listing, 500 a page, where a listing a zone
 * would take a page for each zone that is empty.
 * https://cloud.google.com/compute/docs/reference/rest/v1/instances/aggregatedList
 */
export const observeCallsGcp = (
  shape: ProjectShape = projectObserved,
  spoil: Spoil = spoilNothing,
): Promise<readonly Figure[]> =>
  lookCalls(
    {
      name: 'observe-calls-gcp',
      cloudScope: { provider: gcp, account: project, region: 'europe-west1' },
      options: {
        compute: {
          quotas: { networks: plenty, subnetworks: plenty, firewalls: plenty, routes: plenty, instances: plenty },
        },
      },
      load: ({ sandbox }) => sandbox.control.compute.load(computeEstate(project, shape)),
      count: (stage) => {
        const { networks, subnetworks, firewalls, instances } = held(stage);
        return { network: networks, subnet: subnetworks, 'firewall-rule': firewalls, instance: instances };
      },
      floor: (stage) =>
        1 + pagesOf(Object.values(held(stage)).map((items) => ({ page, items }))) + networksInUse(stage),
    },
    spoil,
  );

/** "Acceptable values are 0 to 500": the same page. */
const page = 500;

/** The contents of each listing in use. */
function held({ sandbox }: Stage) {
  const { networks, routes, subnetworks, firewalls, instances, disks } = sandbox.control.compute.project(project);
  return {
    networks: [...networks.values()].length,
    routes: [...routes.values()].length,
    subnetworks: [...subnetworks.values()].length,
    firewalls: [...firewalls.values()].length,
    instances: [...instances.values()].length,
    disks: [...disks.values()].length,
  } as const;
}

/** A network counts once in each region where it has a machine. */
function networksInUse({ sandbox }: Stage): number {
  const { instances } = sandbox.control.compute.project(project);
  return new Set([...instances.values()].map(({ nic }) => `${nic.network} ${nic.subnetwork.split('/')[1]}`)).size;
}
