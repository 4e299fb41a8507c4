import { inUse, invalid, refused } from '../errors.ts';
import { globalList } from '../listing.ts';
import { type Asked, get, list, type Method, write } from '../method.ts';
import { networkContent, networkJson, networkMessage } from '../network.ts';
import { begin } from '../operation.ts';
import { pathTo } from '../place.ts';
import { freshNumber, type Project } from '../project.ts';
import type { Network } from '../records.ts';
import { checkedName, mustBeFree, seen, target } from '../resource.ts';
import { addInternetRoute } from '../route.ts';

const idOf = ({ at }: Asked): string => `global/networks/${at['network']}`;

/** https://docs.cloud.google.com/compute/docs/reference/rest/v1/networks */
export const networkMethods: readonly Method[] = [
  get({
    id: 'compute.networks.get',
    path: 'global/networks/{network}',
    run: ({ project }, asked) => networkJson(project, seen(project, project.networks, idOf(asked))),
  }),
  list({
    id: 'compute.networks.list',
    path: 'global/networks',
    run: globalList('network', ({ networks }) => networks, networkJson),
  }),
  write({
    id: 'compute.networks.insert',
    verb: 'POST',
    path: 'global/networks',
    run: (context, { body }) => {
      const { project, now } = context;
      const asked = networkMessage(body, 'resource');
      const name = checkedName(asked.name);
      const content = networkContent(asked);
      const id = `global/networks/${name}`;
      mustBeFree(project, project.networks, id);
      const network: Network = { id, number: freshNumber(project), name, scope: 'global', createdAt: now, ...content };
      return begin(context, {
        type: 'insert',
        target: network,
        ms: project.durations.network,
        finish: () => {
          mustFit(project);
          addInternetRoute(project, project.networks.put(network));
        },
      });
    },
  }),
  write({
    id: 'compute.networks.patch',
    verb: 'PATCH',
    path: 'global/networks/{network}',
    run: (context, asked) => {
      const { project } = context;
      const network = target(project, project.networks, idOf(asked));
      const patched = patchedNetwork(project, network, asked.body);
      return begin(context, {
        type: 'patch',
        target: network,
        ms: project.durations.network,
        finish: () => void project.networks.put(patched),
      });
    },
  }),
  write({
    id: 'compute.networks.delete',
    verb: 'DELETE',
    path: 'global/networks/{network}',
    run: (context, asked) => {
      const { project } = context;
      const network = target(project, project.networks, idOf(asked));
      return begin(context, {
        type: 'delete',
        target: network,
        ms: project.durations.network,
        finish: () => {
          mustBeUnused(project, network);
          for (const route of [...project.routes.of(network.id)]) project.routes.remove(route.id);
          project.networks.remove(network.id);
        },
      });
    },
  }),
];

/** "Only routingConfig can be modified"; the rest may be sent as it is. */
function patchedNetwork(project: Project, network: Network, body: unknown): Network {
  const patch = networkMessage(body, 'resource');
  const before = networkMessage(networkJson(project, network), 'resource');
  for (const key of [
    'name',
    'description',
    'mtu',
    'autoCreateSubnetworks',
    'networkFirewallPolicyEnforcementOrder',
  ] as const)
    if (key in patch && patch[key] !== before[key])
      throw invalid(`resource.${key}`, patch[key], 'Only routingConfig of a network can be changed.');
  return {
    ...network,
    ...networkContent({ ...before, routingConfig: { ...before.routingConfig, ...patch.routingConfig } }),
  };
}

/** Seen as the failure of the operation, with these words */
function mustFit(project: Project): void {
  const { networks } = project.quotas;
  if ([...project.networks.values()].length >= networks)
    throw refused('quotaExceeded', `Quota 'NETWORKS' exceeded.  Limit: ${networks.toFixed(1)} globally.`);
}

/**
 * Its own default routes go with it; a subnetwork, a firewall or a route that somebody made keep it. The operation fails
 * so, not the request ("Error waiting for Deleting Network", as Terraform's users see it):
 * https://docs.cloud.google.com/vpc/docs/create-modify-vpc-networks#delete-network
 */
function mustBeUnused(project: Project, network: Network): void {
  const routes = [...project.routes.of(network.id)].filter(({ name }) => !name.startsWith('default-route-'));
  const users = [...project.subnetworks.of(network.id), ...project.firewalls.of(network.id), ...routes];
  const user = users[0];
  if (user) throw inUse('network', pathTo(project, network.id), pathTo(project, user.id));
}
