import type { InstanceStatus, InstanceStatusSummary } from '@aws-sdk/client-ec2';
import type { Result } from '../../../src/core/failure.ts';
import type { CloudId } from '../../../src/core/resource.ts';
import type { Call, Health } from '../../../src/ports/provider.ts';
import { chunks } from '../../shared/chunks.ts';
import { lookup } from '../lookup.ts';
import { most } from '../rate-limits.ts';
import type { Scope } from '../scope.ts';
import { ec2 } from '../sdk.ts';

/**
 * EC2's system and instance status checks, 100 machines a call. Both are `ok` once they passed; `initializing` and `impaired` may
 * still become so. https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/monitoring-system-instance-status-check.html
 */
export async function healthOf(
  ids: readonly CloudId[],
  { client }: Scope,
  call: Call,
): Promise<readonly Result<Health>[]> {
  const describe = async (InstanceIds: readonly CloudId[]): Promise<Result<readonly InstanceStatus[]>> => {
    const command = new ec2.DescribeInstanceStatusCommand({ InstanceIds: [...InstanceIds], IncludeAllInstances: true });
    const answer = await client.send('DescribeInstanceStatus', command, call);
    return answer.ok ? { ok: true, value: answer.value.InstanceStatuses ?? [] } : answer;
  };
  const found: Result<Health>[] = [];
  for (const some of chunks(ids, most.idsToCheck)) {
    const statuses = await lookup(some, describe, ({ InstanceId }) => InstanceId);
    found.push(...statuses.map((one) => (one.ok ? { ok: true as const, value: healthIn(one.value) } : one)));
  }
  return found;
}

/** A machine that is not found is too new to be shown: whether it is gone is for a read to say. */
function healthIn(status: InstanceStatus | undefined): Health {
  if (status === undefined) return { state: 'checking', detail: 'no status checks yet' };
  const [system, instance] = [statusOf(status.SystemStatus), statusOf(status.InstanceStatus)];
  if (system === 'ok' && instance === 'ok') return { state: 'passed' };
  return { state: 'checking', detail: `system status ${system}, instance status ${instance}` };
}

const statusOf = (summary: InstanceStatusSummary | undefined): string => summary?.Status ?? 'untold';
