import type { InternetGateway, RouteTable, Vpc } from '@aws-sdk/client-ec2';
import type { Failure } from '../../../src/core/failure.ts';
import type { Mark, Part } from '../../../src/core/observed.ts';
import type { CloudId } from '../../../src/core/resource.ts';
import { readMark } from '../marks.ts';
import {
  gatewayPart,
  hasDefaultRouteTo,
  internetRouteOf,
  isAdoptedPart,
  isNearPartOf,
  isPartOf,
  tablePart,
} from './signs.ts';

/** The existing parts of a VPC's way to the internet. `table`: the route table that leads there, or will. */
export interface InternetParts {
  readonly internet: boolean | 'partial';
  readonly parts: readonly Part[];
  readonly missing: readonly string[];
  readonly table?: CloudId;
  readonly failure?: Failure;
}

/**
 *   attached gateway | table with a default route to it | pieces with its mark | internet
 *   -----------------+----------------------------------+----------------------+---------
 *   yes              | yes                              | any                  | true
 *   yes              | yes                              | a second gateway     | 'partial'
 *   yes              | a table with other routes to it   | any                  | 'partial'
 *   otherwise                                           | some                 | 'partial'
 *   otherwise                                           | none                 | false
 *
 * Whoever made the pieces: an adopted VPC brings its own. Loose gateways count where they carry the VPC's own mark.
 */
export function internetPartsOf(
  vpc: Vpc,
  gateways: readonly InternetGateway[],
  tables: readonly RouteTable[],
): InternetParts {
  const pieces = piecesOf(vpc, gateways, tables);
  const { attached, gateway, table, routed, leaks, begun, spare } = pieces;
  if (!attached && !begun) return { internet: false, parts: [], missing: [], ...named(table) };
  const parts = [
    ...(gateway ? [{ part: gatewayPart, id: gateway.InternetGatewayId ?? '' }] : []),
    ...(table ? [{ part: tablePart, id: table.RouteTableId ?? '' }] : []),
    ...spare.map((id) => ({ part: gatewayPart, id })),
  ];
  if (spare.length > 0) return { internet: 'partial', parts, missing: missingOf(pieces), ...named(table) };
  if (attached && routed) return { internet: true, parts, missing: [], ...named(table) };
  if (!begun) return { internet: leaks ? 'partial' : false, parts, missing: [], ...named(table) };
  return { internet: 'partial', parts, missing: missingOf(pieces), ...named(table) };
}

interface Pieces {
  readonly attached: boolean;
  readonly gateway: InternetGateway | undefined;
  readonly table: RouteTable | undefined;
  /** The default route stands in `table`. */
  readonly routed: boolean;
  /** Some table sends something to the attached gateway. */
  readonly leaks: boolean;
  /** One of them is ours. */
  readonly begun: boolean;
  /** Gateways that a call which came late made beside the attached one. */
  readonly spare: readonly CloudId[];
}

/** The network's own table before any other: the subnets are associated with it. */
function piecesOf(vpc: Vpc, gateways: readonly InternetGateway[], tables: readonly RouteTable[]): Pieces {
  const vpcId = vpc.VpcId ?? '';
  const mark = readMark(vpc.Tags);
  const attached = gateways.find((gateway) => isAttachedTo(gateway, vpcId));
  const gateway =
    attached ?? gateways.find((loose) => !loose.Attachments?.length && isPartOf(mark, loose.Tags, gatewayPart));
  const here = tables.filter((table) => table.VpcId === vpcId);
  const leads = (table: RouteTable): boolean =>
    attached !== undefined && hasDefaultRouteTo(table, attached.InternetGatewayId);
  const own = here.filter(({ Tags }) => isPartOf(mark, Tags, tablePart) || isAdoptedPart(mark, Tags));
  const near = here.find(({ Tags }) => isNearPartOf(mark, Tags, tablePart));
  const table = own.find(leads) ?? own[0] ?? near ?? here.find(leads);
  const begun = isNearPartOf(mark, gateway?.Tags, gatewayPart) || isNearPartOf(mark, table?.Tags, tablePart);
  const spare = attached
    ? gateways.filter((one) => isUnattachedGateway(mark, one)).map((one) => one.InternetGatewayId ?? '')
    : [];
  return {
    attached: attached !== undefined,
    gateway,
    table,
    routed: table !== undefined && leads(table),
    leaks: here.some((each) => attached !== undefined && internetRouteOf(each, attached.InternetGatewayId) !== false),
    begun,
    spare,
  };
}

const isAttachedTo = ({ Attachments = [] }: InternetGateway, vpcId: string): boolean =>
  Attachments.some((attachment) => attachment.VpcId === vpcId && attachment.State !== 'detached');

/** A gateway that is attached to nothing and was made for the very intent of that network, which has another attached. */
export const isUnattachedGateway = (owner: Mark | undefined, { Attachments = [], Tags }: InternetGateway): boolean =>
  Attachments.length === 0 &&
  owner?.intent !== undefined &&
  readMark(Tags)?.intent === owner.intent &&
  isPartOf(owner, Tags, gatewayPart);

const missingOf = ({ attached, gateway, table, routed, spare }: Pieces): readonly string[] => [
  ...(gateway ? [] : [gatewayPart]),
  ...(attached ? [] : ['attachment']),
  ...(table ? [] : [tablePart]),
  ...(routed ? [] : ['default-route']),
  ...(spare.length === 0 ? [] : ['one-gateway-only']),
];

const named = (table: RouteTable | undefined): { readonly table?: CloudId } =>
  table ? { table: table.RouteTableId ?? '' } : {};
