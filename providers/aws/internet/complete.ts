import { createHash } from 'node:crypto';
import type { Failure, Result } from '../../../src/core/failure.ts';
import type { Mark, Part } from '../../../src/core/observed.ts';
import type { CloudId } from '../../../src/core/resource.ts';
import type { Call } from '../../../src/ports/provider.ts';
import { done, failed } from '../../shared/answer.ts';
import { storeTime } from '../../shared/store-time.ts';
import { markTags, tagKey } from '../marks.ts';
import type { Scope } from '../scope.ts';
import { ec2 } from '../sdk.ts';
import { tagList } from '../tags.ts';
import type { InternetParts } from './parts.ts';
import { everywhere, gatewayPart, isNearPartOf, isPartOf, tablePart } from './signs.ts';

/** A VPC that needs its internet gateway, route table or route created. */
export interface Unfinished {
  readonly vpcId: CloudId;
  readonly mark: Mark;
  /** The observed parts of it. */
  readonly parts: readonly Part[];
  /** Milliseconds since the epoch, by the store's clock, when a gateway was last asked for: by the VPC's tag. */
  readonly askedAt?: number;
  /** Made this moment: nothing can stand in it, and its tag already says that a gateway is being asked for. */
  readonly fresh?: boolean;
}

/**
 * Gateway → attached → route table → default route; each step is skipped where it was seen done, so that a half made
 * way is finished and never made twice. Stops at the first failure and says how far it came.
 */
export async function completeInternet(wanted: Unfinished, scope: Scope, call: Call): Promise<InternetParts> {
  const gateway = await gatewayFor(wanted, scope, call);
  if (!gateway.ok)
    return unfinished(
      wanted.parts,
      ['internet-gateway', 'attachment', 'route-table', 'default-route'],
      gateway.failure,
    );
  const gatewayIs = { part: gatewayPart, id: gateway.value };
  const attached = await attach(gateway.value, wanted, scope, call);
  if (!attached.ok) return unfinished([gatewayIs], ['attachment', 'route-table', 'default-route'], attached.failure);
  const table = await tableFor(wanted, scope, call);
  if (!table.ok) return unfinished([gatewayIs], ['route-table', 'default-route'], table.failure);
  const parts = [gatewayIs, { part: tablePart, id: table.value }];
  const routed = await route(table.value, gateway.value, scope, call);
  if (!routed.ok) return unfinished(parts, ['default-route'], routed.failure);
  scope.known.tables.set(wanted.vpcId, table.value);
  return { internet: true, parts, missing: [], table: table.value };
}

const unfinished = (parts: readonly Part[], missing: readonly string[], failure: Failure): InternetParts => ({
  internet: 'partial',
  parts,
  missing,
  failure,
});

/** The longest time for which a describe may miss a new object: https://docs.aws.amazon.com/ec2/latest/devguide/eventual-consistency.html */
const visibilityMs = 300_000;

/**
 * CreateInternetGateway has no ClientToken. So the VPC's tag says when one is asked for, before it is; while that is
 * recent and no gateway shows, the lost one may still come to light and no other is made.
 */
async function gatewayFor(wanted: Unfinished, scope: Scope, call: Call): Promise<Result<CloudId>> {
  const seen = wanted.parts.find(({ part }) => part === gatewayPart);
  if (seen) return { ok: true, value: seen.id };
  if (wanted.fresh) return makeGateway(wanted, scope, call);
  const found = await findGateway(wanted, scope, call);
  if (!found.ok || found.value !== undefined) return found.ok ? { ok: true, value: found.value ?? '' } : found;
  const waited = storeTime(call, scope.clock).earliest - (wanted.askedAt ?? 0);
  if (waited < visibilityMs) {
    return failed(
      'conflict',
      'GatewayPending',
      `an internet gateway of ${wanted.vpcId} was requested ${Math.round(waited / 1000)} s ago and may still appear`,
    );
  }
  const noted = await note(wanted.vpcId, scope, call);
  return noted.ok ? makeGateway(wanted, scope, call) : noted;
}

async function findGateway(
  { vpcId, mark }: Unfinished,
  { client }: Scope,
  call: Call,
): Promise<Result<CloudId | undefined>> {
  const Filters = Object.entries(
    markTags({ estate: mark.estate, store: mark.store, address: mark.address }, { part: gatewayPart }),
  ).map(([key, value]) => ({ Name: `tag:${key}`, Values: [value] }));
  const answer = await client.send(
    'DescribeInternetGateways',
    new ec2.DescribeInternetGatewaysCommand({ Filters }),
    call,
  );
  if (!answer.ok) return answer;
  const usable = (answer.value.InternetGateways ?? []).filter(
    ({ Attachments = [] }) => Attachments.length === 0 || Attachments.some((attachment) => attachment.VpcId === vpcId),
  );
  const best = usable.find(({ Attachments = [] }) => Attachments.length > 0) ?? usable[0];
  return { ok: true, value: best?.InternetGatewayId };
}

async function note(vpcId: CloudId, { client, clock }: Scope, call: Call): Promise<Result<unknown>> {
  const Tags = [{ Key: tagKey('gateway'), Value: `${storeTime(call, clock).latest}` }];
  return client.send('CreateTags', new ec2.CreateTagsCommand({ Resources: [vpcId], Tags }), call);
}

async function makeGateway({ vpcId, mark }: Unfinished, { client }: Scope, call: Call): Promise<Result<CloudId>> {
  const TagSpecifications = [
    { ResourceType: 'internet-gateway' as const, Tags: tagList(markTags(mark, { part: gatewayPart })) },
  ];
  const made = await client.send(
    'CreateInternetGateway',
    new ec2.CreateInternetGatewayCommand({ TagSpecifications }),
    call,
  );
  if (made.ok) return { ok: true, value: made.value.InternetGateway?.InternetGatewayId ?? '' };
  if (made.failure.kind !== 'ambiguous') {
    const Tags = [{ Key: tagKey('gateway') }];
    await client.send('DeleteTags', new ec2.DeleteTagsCommand({ Resources: [vpcId], Tags }), call);
  }
  return made;
}

async function attach(
  InternetGatewayId: CloudId,
  { vpcId }: Unfinished,
  { client }: Scope,
  call: Call,
): Promise<Result<void>> {
  const command = new ec2.AttachInternetGatewayCommand({ InternetGatewayId, VpcId: vpcId });
  const answer = await client.send('AttachInternetGateway', command, call);
  return answer.ok || answer.failure.code === 'Resource.AlreadyAssociated' ? done : answer;
}

async function tableFor(wanted: Unfinished, scope: Scope, call: Call): Promise<Result<CloudId>> {
  const seen = wanted.parts.find(({ part }) => part === tablePart);
  if (seen) return { ok: true, value: seen.id };
  const found = wanted.fresh ? { ok: true as const, value: undefined } : await findTable(wanted, scope, call);
  if (!found.ok || found.value !== undefined) return found.ok ? { ok: true, value: found.value ?? '' } : found;
  const TagSpecifications = [
    { ResourceType: 'route-table' as const, Tags: tagList(markTags(wanted.mark, { part: tablePart })) },
  ];
  const command = new ec2.CreateRouteTableCommand({
    VpcId: wanted.vpcId,
    ClientToken: tokenOf(wanted, storeTime(call, scope.clock).earliest),
    TagSpecifications,
  });
  const made = await scope.client.send('CreateRouteTable', command, call);
  return made.ok ? { ok: true, value: made.value.RouteTable?.RouteTableId ?? '' } : made;
}

/** The hour is in it because a table deleted by hand must not be answered from the token's memory for ever. */
function tokenOf({ vpcId, mark }: Unfinished, now: number): string {
  const hour = Math.floor(now / 3_600_000);
  return createHash('sha256')
    .update(JSON.stringify([tablePart, vpcId, mark, hour]))
    .digest('hex')
    .slice(0, 64);
}

async function findTable(
  { vpcId, mark }: Unfinished,
  { client }: Scope,
  call: Call,
): Promise<Result<CloudId | undefined>> {
  const Filters = [
    { Name: 'vpc-id', Values: [vpcId] },
    { Name: `tag:${tagKey('part')}`, Values: [tablePart] },
  ];
  const answer = await client.send('DescribeRouteTables', new ec2.DescribeRouteTablesCommand({ Filters }), call);
  if (!answer.ok) return answer;
  const { RouteTables: tables = [] } = answer.value;
  const best =
    tables.find(({ Tags }) => isPartOf(mark, Tags, tablePart)) ??
    tables.find(({ Tags }) => isNearPartOf(mark, Tags, tablePart));
  return { ok: true, value: best?.RouteTableId };
}

async function route(RouteTableId: CloudId, GatewayId: CloudId, { client }: Scope, call: Call): Promise<Result<void>> {
  const wanted = { RouteTableId, GatewayId, DestinationCidrBlock: everywhere };
  const made = await client.send('CreateRoute', new ec2.CreateRouteCommand(wanted), call);
  if (made.ok || made.failure.code !== 'RouteAlreadyExists') return made.ok ? done : made;
  const replaced = await client.send('ReplaceRoute', new ec2.ReplaceRouteCommand(wanted), call);
  return replaced.ok ? done : replaced;
}
