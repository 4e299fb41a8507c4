import type { InternetGateway, RouteTable, Vpc } from '@aws-sdk/client-ec2';
import type { Failure } from '../../../src/core/failure.ts';
import type { Mark, Part } from '../../../src/core/observed.ts';
import type { CloudId } from '../../../src/core/resource.ts';
import { readMark } from '../marks.ts';
import type { Tag } from '../tags.ts';
import { gatewayPart, isPart, leadsTo, tablePart } from './signs.ts';

/** How far a VPC's way to the internet stands. `table`: the route table that leads there, or will. */
export interface InternetParts {
  readonly internet: boolean | 'partial';
  readonly parts: readonly Part[];
  readonly missing: readonly string[];
  readonly table?: CloudId;
  readonly failure?: Failure;
}

/**
 *   attached gateway | table with a default route to it | pieces with our mark | internet
 *   -----------------+----------------------------------+----------------------+---------
 *   yes              | yes                              | any                  | true
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
  const { attached, gateway, table, routed } = pieces;
  if (!attached && !isBegun(pieces)) return { internet: false, parts: [], missing: [], ...named(table) };
  const parts = [
    ...(gateway ? [{ part: gatewayPart, id: gateway.InternetGatewayId ?? '' }] : []),
    ...(table ? [{ part: tablePart, id: table.RouteTableId ?? '' }] : []),
  ];
  if (attached && routed) return { internet: true, parts, missing: [], ...named(table) };
  if (!isBegun(pieces)) return { internet: false, parts, missing: [], ...named(table) };
  return { internet: 'partial', parts, missing: missingOf(pieces), ...named(table) };
}

interface Pieces {
  readonly attached: boolean;
  readonly gateway: InternetGateway | undefined;
  readonly table: RouteTable | undefined;
  /** The default route stands in `table`. */
  readonly routed: boolean;
}

/** Our own table before any other: the subnets are associated with it. */
function piecesOf(vpc: Vpc, gateways: readonly InternetGateway[], tables: readonly RouteTable[]): Pieces {
  const vpcId = vpc.VpcId ?? '';
  const mark = readMark(vpc.Tags);
  const attached = gateways.find((gateway) => isAttachedTo(gateway, vpcId));
  const gateway =
    attached ??
    gateways.find((loose) => !loose.Attachments?.length && samePlace(mark, readMark(loose.Tags), loose.Tags));
  const here = tables.filter((table) => table.VpcId === vpcId);
  const leads = (table: RouteTable): boolean => attached !== undefined && leadsTo(table, attached.InternetGatewayId);
  const table = here.find(({ Tags }) => isPart(Tags, tablePart)) ?? here.find(leads);
  return { attached: attached !== undefined, gateway, table, routed: table !== undefined && leads(table) };
}

const isAttachedTo = ({ Attachments = [] }: InternetGateway, vpcId: string): boolean =>
  Attachments.some((attachment) => attachment.VpcId === vpcId && attachment.State !== 'detached');

function samePlace(mark: Mark | undefined, other: Mark | undefined, tags: readonly Tag[] | undefined): boolean {
  if (!mark || !other || !isPart(tags, gatewayPart)) return false;
  return other.estate === mark.estate && other.store === mark.store && other.address === mark.address;
}

const isBegun = ({ gateway, table }: Pieces): boolean =>
  isPart(gateway?.Tags, gatewayPart) || isPart(table?.Tags, tablePart);

const missingOf = ({ attached, gateway, table, routed }: Pieces): readonly string[] => [
  ...(gateway ? [] : [gatewayPart]),
  ...(attached ? [] : ['attachment']),
  ...(table ? [] : [tablePart]),
  ...(routed ? [] : ['default-route']),
];

const named = (table: RouteTable | undefined): { readonly table?: CloudId } =>
  table ? { table: table.RouteTableId ?? '' } : {};
