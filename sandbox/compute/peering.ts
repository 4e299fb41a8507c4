import { overlaps } from '../cidr.ts';
import { hexDigits } from '../random.ts';
import { invalid, refused, required } from './errors.ts';
import { flag, type Message, message, oneOf, text } from './message.ts';
import { anyReferenceTo, linkTo } from './place.ts';
import { freshNumber, type Project } from './project.ts';
import type { Json, Network, Peering, PeeringExchanges, PeerNetwork } from './records.ts';
import { checkedName, shown } from './resource.ts';
import { blocksIn } from './subnetwork.ts';

const fields = {
  name: text,
  network: text,
  autoCreateRoutes: flag,
  exchangeSubnetRoutes: flag,
  exportCustomRoutes: flag,
  importCustomRoutes: flag,
  exportSubnetRoutesWithPublicIp: flag,
  importSubnetRoutesWithPublicIp: flag,
  stackType: oneOf('IPV4_ONLY', 'IPV4_IPV6'),
} as const;

const peeringMessage = message(fields, {
  outputs: ['connectionStatus', 'peerMtu', 'state', 'stateDetails'],
  unmodelled: ['updateStrategy'],
});

/** https://docs.cloud.google.com/compute/docs/reference/rest/v1/networks/addPeering */
export const addPeeringMessage = message({
  name: text,
  peerNetwork: text,
  autoCreateRoutes: flag,
  networkPeering: peeringMessage,
});

/** https://docs.cloud.google.com/compute/docs/reference/rest/v1/networks/removePeering */
export const removePeeringMessage = message({ name: text });

type AddPeering = Message<{
  readonly name: typeof text;
  readonly peerNetwork: typeof text;
  readonly autoCreateRoutes: typeof flag;
  readonly networkPeering: typeof peeringMessage;
}>;

/** The wanted peering: all of it in `networkPeering`, or its name and network beside it, as older clients send them. */
export function peeringContent(project: Project, network: Network, asked: AddPeering): Peering {
  const { networkPeering: inner } = asked;
  const [given, place, peerField] =
    inner === undefined
      ? ([wholeOf(asked), 'resource', 'resource.peerNetwork'] as const)
      : ([inner, 'resource.networkPeering', 'resource.networkPeering.network'] as const);
  const name = checkedName(given.name, `${place}.name`);
  if (!given.network) throw required(peerField);
  const peer = anyReferenceTo(project, 'networks', { value: given.network, field: peerField });
  if (given.exchangeSubnetRoutes !== true)
    throw invalid(`${place}.exchangeSubnetRoutes`, given.exchangeSubnetRoutes ?? '', 'Must be true.');
  if (isSame(peer, { project: project.id, id: network.id }))
    throw invalid(peerField, given.network, 'A network cannot be peered with itself.');
  for (const other of network.peerings) {
    if (other.name === name) throw invalid(`${place}.name`, name, 'The network has a peering of this name.');
    if (isSame(other.peer, peer)) throw invalid(peerField, given.network, `The peering ${other.name} leads there.`);
  }
  return { name, peer, exchanges: exchangesOf(given), stackType: given.stackType ?? 'IPV4_ONLY', isConnected: false };
}

const wholeOf = ({ name, peerNetwork, autoCreateRoutes = false }: AddPeering): Message<typeof fields> => ({
  ...(name === undefined ? {} : { name }),
  ...(peerNetwork === undefined ? {} : { network: peerNetwork }),
  exchangeSubnetRoutes: autoCreateRoutes,
});

const isSame = (one: PeerNetwork, other: PeerNetwork): boolean => one.project === other.project && one.id === other.id;

/** Defaults of https://docs.cloud.google.com/compute/docs/reference/rest/v1/networks */
const exchangesOf = (given: Message<typeof fields>): PeeringExchanges => ({
  exportCustomRoutes: given.exportCustomRoutes ?? false,
  importCustomRoutes: given.importCustomRoutes ?? false,
  exportSubnetRoutesWithPublicIp: given.exportSubnetRoutesWithPublicIp ?? true,
  importSubnetRoutesWithPublicIp: given.importSubnetRoutesWithPublicIp ?? false,
});

export function peeringJson(project: Project, network: Network, peering: Peering): Json {
  const isActive = isConnected(project, network, peering);
  return shown({
    name: peering.name,
    network: linkTo({ id: peering.peer.project }, peering.peer.id),
    state: isActive ? 'ACTIVE' : 'INACTIVE',
    stateDetails: isActive ? 'Connected.' : 'Waiting for peer network to connect.',
    autoCreateRoutes: true,
    exchangeSubnetRoutes: true,
    ...peering.exchanges,
    stackType: peering.stackType,
  });
}

/** "Matching configuration exists on the peer", as the discovery document says of `ACTIVE`. */
function isConnected(project: Project, network: Network, { peer, isConnected: said }: Peering): boolean {
  if (peer.project !== project.id) return said;
  const other = project.networks.get(peer.id);
  return other?.peerings.some((back) => back.peer.project === project.id && back.peer.id === network.id) ?? false;
}

/** The networks of this project that a network's peerings work with. */
function connectedTo(project: Project, network: Network): readonly (readonly [Peering, Network])[] {
  return network.peerings.flatMap((peering) => {
    const other = peering.peer.project === project.id ? project.networks.get(peering.peer.id) : undefined;
    return other !== undefined && isConnected(project, network, peering) ? [[peering, other] as const] : [];
  });
}

/** https://docs.cloud.google.com/vpc/docs/vpc-peering#overlapping_subnets_at_time_of_peering */
export function mustNotOverlapPeers(project: Project, network: Network): void {
  const own = [...project.subnetworks.of(network.id)].flatMap(blocksIn);
  for (const [peering, other] of connectedTo(project, network))
    for (const taken of [...project.subnetworks.of(other.id)].flatMap(blocksIn)) {
      const clash = own.find((block) => overlaps(block, taken));
      if (clash)
        throw refused(
          'invalidUsage',
          `An IP range in the peer network (${taken.text}) overlaps with an IP range in the local network (${clash.text}): peering ${peering.name}.`,
        );
    }
}

interface PeeringRoute {
  readonly network: Network;
  readonly peering: string;
  readonly block: string;
}

/** Subnet routes of the other network come with a peering: https://docs.cloud.google.com/vpc/docs/routes#peering-subnet-routes */
export function refreshPeeringRoutes(project: Project): void {
  const wanted = new Map(
    [...project.networks.values()]
      .flatMap((network) => peeringRoutesOf(project, network))
      .map((route) => [`${route.network.id} ${route.peering} ${route.block}`, route]),
  );
  for (const { id, network, next, destination } of [...project.routes.values()])
    if (next.kind === 'peering' && !wanted.delete(`${network} ${next.peering} ${destination}`))
      project.routes.remove(id);
  for (const route of wanted.values()) addPeeringRoute(project, route);
}

function peeringRoutesOf(project: Project, network: Network): readonly PeeringRoute[] {
  return connectedTo(project, network).flatMap(([{ name: peering }, other]) =>
    [...project.subnetworks.of(other.id)]
      .flatMap(blocksIn)
      .map(({ text: block }): PeeringRoute => ({ network, peering, block })),
  );
}

function addPeeringRoute(project: Project, { network, peering, block }: PeeringRoute): void {
  const name = `peering-route-${hexDigits(project.random, 16)}`;
  project.routes.put({
    id: `global/routes/${name}`,
    number: freshNumber(project),
    name,
    scope: 'global',
    createdAt: network.createdAt,
    network: network.id,
    description: `Auto generated route via peering [${peering}].`,
    destination: block,
    priority: 0,
    tags: undefined,
    next: { kind: 'peering', peering },
  });
}
