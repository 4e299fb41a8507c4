import type { Result } from '../../../src/core/failure.ts';
import type { Part } from '../../../src/core/observed.ts';
import type { CloudId } from '../../../src/core/resource.ts';
import type { Call, Revision } from '../../../src/ports/provider.ts';
import { chunks } from '../../shared/chunks.ts';
import { readMark } from '../marks.ts';
import type { Scope } from '../scope.ts';
import { ec2 } from '../sdk.ts';
import type { Tag } from '../tags.ts';
import { mostFilterValues } from './around.ts';
import { gatewayPart, isAdoptedPart, isPartOf, tablePart } from './signs.ts';

type Tagged = ReadonlyMap<CloudId, readonly Tag[]>;

/**
 * The same revisions; those with a new mark name only the parts to write it on, looked at again: the network's own, and
 * what bears no mark where the network bears none either and so is adopted as it stands. Never another's.
 */
export async function withPartsToMark(
  batch: readonly Revision<'network'>[],
  scope: Scope,
  call: Call,
): Promise<Result<readonly Revision<'network'>[]>> {
  const parts = batch.flatMap(({ mark, observed }) => (mark ? (observed.condition.parts ?? []) : []));
  if (parts.length === 0) return { ok: true, value: batch };
  const tagged = await tagsOf(parts, scope, call);
  if (!tagged.ok) return tagged;
  return { ok: true, value: batch.map((revision) => (revision.mark ? narrowed(revision, tagged.value) : revision)) };
}

function narrowed(revision: Revision<'network'>, tagged: Tagged): Revision<'network'> {
  const { observed } = revision;
  const parts = (observed.condition.parts ?? []).filter((part) => isToMark(part, revision, tagged.get(part.id)));
  return { ...revision, observed: { ...observed, condition: { ...observed.condition, parts } } };
}

function isToMark({ part }: Part, { mark, observed }: Revision<'network'>, tags: readonly Tag[] | undefined): boolean {
  if (!tags) return false;
  const before = observed.signs.mark;
  if (isPartOf(before, tags, part) || isPartOf(mark, tags, part)) return true;
  if (isAdoptedPart(before, tags) || isAdoptedPart(mark, tags)) return true;
  return before === undefined && readMark(tags) === undefined;
}

async function tagsOf(parts: readonly Part[], { client }: Scope, call: Call): Promise<Result<Tagged>> {
  const tagged = new Map<CloudId, readonly Tag[]>();
  for (const Values of idsOf(parts, gatewayPart)) {
    const Filters = [{ Name: 'internet-gateway-id', Values }];
    const seen = await client.send(
      'DescribeInternetGateways',
      new ec2.DescribeInternetGatewaysCommand({ Filters }),
      call,
    );
    if (!seen.ok) return seen;
    for (const { InternetGatewayId = '', Tags = [] } of seen.value.InternetGateways ?? [])
      tagged.set(InternetGatewayId, Tags);
  }
  for (const Values of idsOf(parts, tablePart)) {
    const Filters = [{ Name: 'route-table-id', Values }];
    const seen = await client.send('DescribeRouteTables', new ec2.DescribeRouteTablesCommand({ Filters }), call);
    if (!seen.ok) return seen;
    for (const { RouteTableId = '', Tags = [] } of seen.value.RouteTables ?? []) tagged.set(RouteTableId, Tags);
  }
  return { ok: true, value: tagged };
}

const idsOf = (parts: readonly Part[], name: string): readonly CloudId[][] => {
  const ids = parts.filter(({ part }) => part === name).map(({ id }) => id);
  return chunks(ids, mostFilterValues).map((some) => [...some]);
};
