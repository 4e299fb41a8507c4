import { inUse, invalid, refused, required } from '../errors.ts';
import { globalList } from '../listing.ts';
import { type Asked, type Context, get, list, type Method, write } from '../method.ts';
import { networkContent, networkJson, networkMessage } from '../network.ts';
import { begin } from '../operation.ts';
import {
  addPeeringMessage,
  mustNotOverlapPeers,
  peeringContent,
  refreshPeeringRoutes,
  removePeeringMessage,
} from '../peering.ts';
import { pathTo } from '../place.ts';
import { freshNumber, type Project } from '../project.ts';
import type { Network, Operation, Peering } from '../records.ts';
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
      const content = networkContent(project, asked);
      const id = `global/networks/${name}`;
      mustBeFree(project, project.networks, id);
      const network: Network = {
        id,
        number: freshNumber(project),
        name,
        scope: 'global',
        createdAt: now,
        peerings: [],
        ...content,
      };
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
    id: 'compute.networks.addPeering',
    verb: 'POST',
    path: 'global/networks/{network}/addPeering',
    run: addPeering,
  }),
  write({
    id: 'compute.networks.removePeering',
    verb: 'POST',
    path: 'global/networks/{network}/removePeering',
    run: removePeering,
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
          refreshPeeringRoutes(project);
        },
      });
    },
  }),
];

function addPeering(context: Context, asked: Asked): Operation {
  const { project } = context;
  const network = target(project, project.networks, idOf(asked));
  const peering = peeringContent(project, network, addPeeringMessage(asked.body, 'resource'));
  return changePeerings(context, 'addPeering', { network, peer: peering.peer }, (before) => [...before, peering]);
}

function removePeering(context: Context, asked: Asked): Operation {
  const { project } = context;
  const network = target(project, project.networks, idOf(asked));
  const { name } = removePeeringMessage(asked.body, 'resource');
  if (!name) throw required('resource.name');
  const peering = network.peerings.find((one) => one.name === name);
  if (!peering) throw invalid('resource.name', name, `The network ${network.name} has no peering of this name.`);
  return changePeerings(context, 'removePeering', { network, peer: peering.peer }, (before) =>
    before.filter((one) => one.name !== name),
  );
}

/** Both networks are held meanwhile, as "There is a peering operation in progress on the local or peer network" says. */
function changePeerings(
  context: Context,
  type: string,
  { network, peer }: { readonly network: Network; readonly peer: Peering['peer'] },
  after: (before: readonly Peering[]) => readonly Peering[],
): Operation {
  const { project } = context;
  return begin(context, {
    type,
    target: network,
    ms: project.durations.network,
    holds: [network.id, ...(peer.project === project.id ? [peer.id] : [])],
    finish: () => {
      const changed = { ...network, peerings: after(network.peerings) };
      mustNotOverlapPeers(project, changed);
      project.networks.put(changed);
      refreshPeeringRoutes(project);
    },
  });
}

/** "Only routingConfig can be modified"; the rest may be sent as it is. */
function patchedNetwork(project: Project, network: Network, body: unknown): Network {
  const patch = networkMessage(body, 'resource');
  const before = networkMessage(networkJson(project, network), 'resource');
  for (const key of [
    'name',
    'description',
    'mtu',
    'autoCreateSubnetworks',
    'enableUlaInternalIpv6',
    'internalIpv6Range',
    'networkFirewallPolicyEnforcementOrder',
  ] as const)
    if (key in patch && patch[key] !== before[key])
      throw invalid(`resource.${key}`, patch[key], 'Only routingConfig of a network can be changed.');
  return {
    ...network,
    ...networkContent(project, { ...before, routingConfig: { ...before.routingConfig, ...patch.routingConfig } }),
  };
}

/** Seen as the failure of the operation, with these words */
function mustFit(project: Project): void {
  const { networks } = project.quotas;
  if ([...project.networks.values()].length >= networks)
    throw refused('quotaExceeded', `Quota 'NETWORKS' exceeded.  Limit: ${networks.toFixed(1)} globally.`);
}

/**
 * Its own default routes go with it; a subnetwork, a firewall, a router or a route that somebody made keep it. The operation fails
 * so, not the request ("Error waiting for Deleting Network", as Terraform's users see it):
 * https://docs.cloud.google.com/vpc/docs/create-modify-vpc-networks#delete-network
 */
function mustBeUnused(project: Project, network: Network): void {
  const routes = [...project.routes.of(network.id)].filter(
    ({ name, next }) => !name.startsWith('default-route-') && next.kind !== 'peering',
  );
  const users = [
    ...project.subnetworks.of(network.id),
    ...project.firewalls.of(network.id),
    ...project.routers.of(network.id),
    ...routes,
  ];
  const user = users[0];
  if (user) throw inUse('network', pathTo(project, network.id), pathTo(project, user.id));
}
