import { invalid, refused, required } from './errors.ts';
import { flag, listOf, type Message, message, oneOf, type Reader, text, whole } from './message.ts';
import { linkTo, nameIn, referenceTo } from './place.ts';
import { freshNumber, type Project } from './project.ts';
import type { Json, NatSubnetwork, Router, RouterNat, Scope } from './records.ts';
import { checkedDescription, checkedName, mustBeFree, resourceJson, shown } from './resource.ts';

/** An autonomous system: private numbers only, by https://docs.cloud.google.com/compute/docs/reference/rest/v1/routers */
const asn: Reader<number> = (value, field) => {
  if (typeof value !== 'number' || !isPrivate(value)) throw invalid(field, value, 'Must be a private ASN of RFC 6996.');
  return value;
};

const isPrivate = (value: number): boolean =>
  Number.isInteger(value) &&
  ((value >= 64_512 && value <= 65_534) || (value >= 4_200_000_000 && value <= 4_294_967_294));

const natSubnetwork = message(
  { name: text, sourceIpRangesToNat: listOf(oneOf('ALL_IP_RANGES', 'PRIMARY_IP_RANGE')) },
  { unmodelled: ['secondaryIpRangeNames'] },
);

const natFields = {
  name: text,
  type: oneOf('PUBLIC', 'PRIVATE'),
  natIpAllocateOption: oneOf('AUTO_ONLY'),
  sourceSubnetworkIpRangesToNat: oneOf(
    'ALL_SUBNETWORKS_ALL_IP_RANGES',
    'ALL_SUBNETWORKS_ALL_PRIMARY_IP_RANGES',
    'LIST_OF_SUBNETWORKS',
  ),
  subnetworks: listOf(natSubnetwork),
} as const;

const nat = message(natFields, {
  outputs: ['effectiveTcpTimeWaitTimeoutSec', 'endpointTypes', 'autoNetworkTier', 'enableEndpointIndependentMapping'],
  unmodelled: [
    'drainNatIps',
    'enableDynamicPortAllocation',
    'icmpIdleTimeoutSec',
    'logConfig',
    'maxPortsPerVm',
    'minPortsPerVm',
    'nat64Subnetworks',
    'natIps',
    'rules',
    'sourceSubnetworkIpRangesToNat64',
    'tcpEstablishedIdleTimeoutSec',
    'tcpTimeWaitTimeoutSec',
    'tcpTransitoryIdleTimeoutSec',
    'udpIdleTimeoutSec',
  ],
});

const fields = {
  name: text,
  description: text,
  network: text,
  region: text,
  bgp: message(
    { asn, advertiseMode: oneOf('DEFAULT'), keepaliveInterval: whole },
    { unmodelled: ['advertisedGroups', 'advertisedIpRanges', 'identifierRange'] },
  ),
  nats: listOf(nat),
  encryptedInterconnectRouter: flag,
} as const;

/** https://docs.cloud.google.com/compute/docs/reference/rest/v1/routers */
export const routerMessage = message(fields, {
  outputs: ['kind', 'id', 'creationTimestamp', 'selfLink'],
  unmodelled: ['bgpPeers', 'interfaces', 'md5AuthenticationKeys', 'nccGateway', 'params'],
});

export type RouterMessage = Message<typeof fields>;

type NatMessage = Message<typeof natFields>;

/** The router that a request or an estate file asks for. It is not stored yet. */
export function newRouter(
  project: Project,
  given: RouterMessage,
  where: Pick<Router, 'scope' | 'network' | 'createdAt'>,
): Router {
  const name = checkedName(given.name);
  const id = `${where.scope}/routers/${name}`;
  mustBeFree(project, project.routers, id);
  const router: Router = {
    ...{ id, number: freshNumber(project), name, ...where },
    description: checkedDescription(given.description),
    bgp: bgpOf(given),
    nats: natsOf(project, given),
  };
  mustNatAlone(project, router);
  return router;
}

/** The NAT gateways of a router, as a request lists them: whole, as a JSON merge patch replaces lists. */
export function natsOf(project: Project, { nats = [] }: RouterMessage): readonly RouterNat[] {
  const made = nats.map((each, index) => natOf(project, each, `resource.nats[${index}]`));
  for (const [index, { name }] of made.entries())
    if (made.slice(0, index).some((other) => other.name === name))
      throw invalid(`resource.nats[${index}].name`, name, 'The name is taken in this router.');
  return made;
}

function natOf(project: Project, asked: NatMessage, field: string): RouterNat {
  const name = checkedName(asked.name, `${field}.name`);
  const { type = 'PUBLIC', natIpAllocateOption, sourceSubnetworkIpRangesToNat: ranges, subnetworks } = asked;
  if (type === 'PUBLIC' && natIpAllocateOption === undefined) throw required(`${field}.natIpAllocateOption`);
  if (ranges === undefined) throw required(`${field}.sourceSubnetworkIpRangesToNat`);
  if (ranges !== 'LIST_OF_SUBNETWORKS') {
    if (subnetworks?.length) throw invalid(`${field}.subnetworks`, '', `Must be empty with ${ranges}.`);
    return { name, type, ranges, subnetworks: undefined };
  }
  if (!subnetworks?.length) throw required(`${field}.subnetworks`);
  return {
    name,
    type,
    ranges,
    subnetworks: subnetworks.map((each, index): NatSubnetwork => {
      const place = `${field}.subnetworks[${index}].name`;
      const subnetwork = referenceTo(project, 'subnetworks', { value: each.name ?? '', field: place });
      if (!project.subnetworks.get(subnetwork)) throw invalid(place, each.name, 'The subnetwork cannot be found.');
      return { subnetwork, ranges: each.sourceIpRangesToNat ?? ['ALL_IP_RANGES'] };
    }),
  };
}

/**
 * "if this field contains ALL_SUBNETWORKS_ALL_IP_RANGES then there should not be any other Router.Nat section in any Router
 * for this network in this region", says the discovery document.
 */
export function mustNatAlone(project: Project, router: Router): void {
  const here = [...project.routers.of(router.network)].filter(
    ({ id, scope }) => id !== router.id && scope === router.scope,
  );
  const nats = [...here, router].flatMap((one) => one.nats.map((nat) => ({ nat, of: one.name })));
  const whole = nats.find(({ nat }) => nat.ranges === 'ALL_SUBNETWORKS_ALL_IP_RANGES');
  if (whole && nats.length > 1)
    throw refused(
      'invalid',
      `Invalid value for field 'resource.nats': NAT ${whole.nat.name} of router ${whole.of} serves all subnetworks of the network in ${nameIn(router.scope)}.`,
    );
}

export function routerJson(project: Project, router: Router): Json {
  return shown({
    ...resourceJson(project, 'router', router),
    region: linkTo(project, router.scope satisfies Scope),
    network: linkTo(project, router.network),
    bgp: router.bgp,
    nats: router.nats.length > 0 ? router.nats.map((each) => natJson(project, each)) : undefined,
    encryptedInterconnectRouter: false,
  });
}

function natJson(project: Project, { name, type, ranges, subnetworks }: RouterNat): Json {
  return shown({
    name,
    type,
    ...(type === 'PUBLIC' ? { natIpAllocateOption: 'AUTO_ONLY', autoNetworkTier: 'PREMIUM' } : {}),
    sourceSubnetworkIpRangesToNat: ranges,
    subnetworks: subnetworks?.map((each) => ({
      name: linkTo(project, each.subnetwork),
      sourceIpRangesToNat: each.ranges,
    })),
    enableEndpointIndependentMapping: false,
    endpointTypes: ['ENDPOINT_TYPE_VM'],
  });
}

/** The field `bgp`, with the usual values of what a request leaves out. */
export const bgpOf = ({ bgp }: RouterMessage): Json | undefined =>
  bgp && { advertiseMode: 'DEFAULT', keepaliveInterval: 20, ...bgp };
