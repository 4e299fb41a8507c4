import { type Cidr, overlaps, parseCidr } from '../cidr.ts';
import { optional, scalar } from '../json.ts';
import { anything, fields, readOnly } from './body.ts';
import { refused } from './errors.ts';
import { freshEtag } from './etag.ts';
import type { Asked } from './method.ts';
import { reference } from './network-interface.ts';
import type { Peering, VirtualNetwork } from './records.ts';
import { checkedName, childPath, keyOf, nameOf } from './resource-id.ts';
import type { Subscription } from './subscription.ts';

const flag = optional(scalar('boolean'));

/** Kept and given back; they change nothing in the sandbox. */
const KEPT = {
  allowVirtualNetworkAccess: flag,
  allowForwardedTraffic: flag,
  allowGatewayTransit: flag,
  useRemoteGateways: flag,
  doNotVerifyRemoteGateways: flag,
  peerCompleteVnets: flag,
  enableOnlyIPv6Peering: flag,
  localSubnetNames: anything,
  remoteSubnetNames: anything,
} as const;

/** https://learn.microsoft.com/rest/api/virtualnetwork/virtual-network-peerings/create-or-update */
export const peeringForm = fields({
  name: optional(scalar('string')),
  properties: fields({
    ...KEPT,
    remoteVirtualNetwork: reference,
    localAddressSpace: readOnly,
    localVirtualNetworkAddressSpace: readOnly,
    remoteAddressSpace: readOnly,
    remoteVirtualNetworkAddressSpace: readOnly,
    remoteBgpCommunities: readOnly,
    remoteVirtualNetworkEncryption: readOnly,
    peeringState: readOnly,
    peeringSyncLevel: readOnly,
    provisioningState: readOnly,
    resourceGuid: readOnly,
  }),
  id: readOnly,
  etag: readOnly,
  type: readOnly,
});

type PeeringForm = ReturnType<typeof peeringForm>;

type Network = Pick<VirtualNetwork, 'path' | 'addressPrefixes' | 'peerings'>;

/** One peering of a network, checked by itself. It keeps the case of a peering of the same name. */
export function readPeering({ subscription }: Asked, network: Network, name: string, form: PeeringForm): Peering {
  const written = childPath(network, 'virtualNetworkPeerings', checkedName(name));
  const path = network.peerings.find(({ id }) => id === keyOf(written))?.path ?? written;
  const { remoteVirtualNetwork: remote, ...properties } = form.properties;
  const other = subscription.networks.get(keyOf(remote));
  if (other === undefined && !subscription.outside.has(keyOf(remote))) throw noRemote(path, remote);
  if (other !== undefined) checkSpaces(path, network, other);
  const back = other && counterpart(other, network.path);
  if (back?.met && !standsIn(network, other)) throw disconnected(path, back, network);
  return {
    id: keyOf(path),
    path,
    remote,
    met: back !== undefined,
    kept: Object.fromEntries(Object.entries(properties).filter(([key, value]) => key in KEPT && value !== undefined)),
  };
}

/** All peerings of a network together: one for each other network. */
export function checkPeerings(peerings: readonly Peering[]): void {
  const byRemote = new Map<string, Peering>();
  for (const peering of peerings) {
    const first = byRemote.get(keyOf(peering.remote));
    if (first !== undefined)
      throw refused(
        'AnotherPeeringAlreadyReferencesRemoteVnet',
        `Peering ${first.path} already references remote virtual network ${peering.remote}. Cannot add another peering ${peering.path} referencing the same remote virtual network.`,
        { details: [] },
      );
    byRemote.set(keyOf(peering.remote), peering);
  }
}

/** Tells the other side of each peering that it is whole now: without its counterpart it is disconnected from then on. */
export function connect({ subscription }: Asked, network: VirtualNetwork): void {
  for (const { remote } of network.peerings) {
    const other = subscription.networks.get(keyOf(remote));
    const back = other && counterpart(other, network.path);
    if (other === undefined || back === undefined || back.met) continue;
    subscription.networks.put({
      ...other,
      peerings: other.peerings.map((one) => (one === back ? { ...one, met: true } : one)),
      version: { ...other.version, etag: freshEtag(subscription.random) },
    });
  }
}

/** A peering as answers show it. */
export function peeringBody(subscription: Subscription, network: VirtualNetwork, peering: Peering): object {
  const other = subscription.networks.get(keyOf(peering.remote));
  const space = { addressPrefixes: other?.addressPrefixes ?? [] };
  return {
    name: nameOf(peering.path),
    id: peering.path,
    etag: network.version.etag,
    type: 'Microsoft.Network/virtualNetworks/virtualNetworkPeerings',
    properties: {
      provisioningState: network.version.state,
      peeringState: stateOf(other, network, peering),
      peeringSyncLevel: 'FullyInSync',
      remoteVirtualNetwork: { id: peering.remote },
      allowVirtualNetworkAccess: true,
      allowForwardedTraffic: false,
      allowGatewayTransit: false,
      useRemoteGateways: false,
      ...peering.kept,
      remoteAddressSpace: space,
      remoteVirtualNetworkAddressSpace: space,
    },
  };
}

/**
 * https://learn.microsoft.com/azure/virtual-network/virtual-network-troubleshoot-peering-issues
 *
 *   the other side | has it been there | state
 *   ---------------+-------------------+-------------
 *   there          |                   | Connected
 *   not there      | no                | Initiated
 *   not there      | yes               | Disconnected
 */
function stateOf(other: VirtualNetwork | undefined, network: VirtualNetwork, { met }: Peering): string {
  if (other !== undefined && counterpart(other, network.path) !== undefined) return 'Connected';
  return met ? 'Disconnected' : 'Initiated';
}

/** The peering of a network that leads to another. */
const counterpart = ({ peerings }: VirtualNetwork, to: string): Peering | undefined =>
  peerings.find(({ remote }) => keyOf(remote) === keyOf(to));

const standsIn = ({ peerings }: Network, other: VirtualNetwork | undefined): boolean =>
  peerings.some(({ remote }) => keyOf(remote) === other?.id);

function noRemote(from: string, to: string): Error {
  const message = `Resource ${to} referenced by resource ${from} was not found. Please make sure that the referenced resource exists, and that both resources are in the same region.`;
  return refused('InvalidResourceReference', message, {
    details: [{ code: 'NotFound', message: `Resource ${to} not found.` }],
  });
}

/** As recorded in https://github.com/alan-turing-institute/data-safe-haven/issues/2152 and its neighbours. */
function checkSpaces(path: string, network: Network, other: VirtualNetwork): void {
  const theirs = blocksOf(other);
  const overlap = blocksOf(network).find((block) => theirs.some((each) => overlaps(block, each)))?.text;
  if (overlap === undefined) return;
  throw refused(
    'VnetAddressSpacesOverlap',
    `Cannot create or update peering ${path}. Virtual networks ${network.path} and ${other.path} cannot be peered because their address spaces overlap. Overlapping address prefixes: ${overlap}.`,
    { details: [] },
  );
}

const blocksOf = ({ addressPrefixes }: Network): readonly Cidr[] =>
  addressPrefixes.flatMap((text) => parseCidr(text, text.includes(':') ? 'ipv6' : 'ipv4') ?? []);

/** As recorded in https://github.com/hashicorp/terraform-provider-azurerm/issues/14051 */
function disconnected(path: string, back: Peering, network: Network): Error {
  return refused(
    'RemotePeeringIsDisconnected',
    `Cannot create or update peering ${path} because remote peering ${back.path} referencing parent virtual network ${network.path} is in Disconnected state. Update or re-create the remote peering to get it back to Initiated state. Peering gets Disconnected when remote vnet or remote peering is deleted and re-created.`,
    { details: [] },
  );
}
