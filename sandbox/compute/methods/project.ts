import { get, type Method } from '../method.ts';
import { BASE } from '../place.ts';
import { timestamp } from '../resource.ts';

export const projectMethods: readonly Method[] = [
  get({
    id: 'compute.projects.get',
    path: '',
    run: ({ project }) => ({
      kind: 'compute#project',
      id: project.number,
      creationTimestamp: timestamp(project.createdAt),
      name: project.id,
      commonInstanceMetadata: { kind: 'compute#metadata' },
      quotas: [
        { metric: 'NETWORKS', limit: project.quotas.networks, usage: count(project.networks.values()) },
        { metric: 'SUBNETWORKS', limit: project.quotas.subnetworks, usage: count(project.subnetworks.values()) },
        { metric: 'FIREWALLS', limit: project.quotas.firewalls, usage: count(project.firewalls.values()) },
        { metric: 'ROUTES', limit: project.quotas.routes, usage: count(project.routes.values()) },
      ],
      selfLink: `${BASE}projects/${project.id}`,
      defaultServiceAccount: `${project.number}-compute@developer.gserviceaccount.com`,
      xpnProjectStatus: 'UNSPECIFIED_XPN_PROJECT_STATUS',
      defaultNetworkTier: 'PREMIUM',
    }),
  }),
];

function count(records: Iterable<unknown>): number {
  let number = 0;
  for (const _ of records) number++;
  return number;
}
