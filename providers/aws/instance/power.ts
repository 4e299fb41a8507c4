import type { Instance } from '@aws-sdk/client-ec2';
import type { Result } from '../../../src/core/failure.ts';
import type { CloudId } from '../../../src/core/resource.ts';
import type { Call } from '../../../src/ports/provider.ts';
import { done, failed } from '../../shared/answer.ts';
import { chunks } from '../../shared/chunks.ts';
import { sendBisecting } from '../bisect.ts';
import { most } from '../rate-limits.ts';
import type { Scope } from '../scope.ts';
import { ec2 } from '../sdk.ts';

/** One call for all; answers as soon as the cloud has accepted. Stopping a stopped machine succeeds. */
export function stop(ids: readonly CloudId[], { client }: Scope, call: Call): Promise<readonly Result<void>[]> {
  return sendBisecting(ids, (some) =>
    client.send(
      { action: 'StopInstances', instances: some.length },
      new ec2.StopInstancesCommand({ InstanceIds: [...some] }),
      call,
    ),
  );
}

export function start(ids: readonly CloudId[], { client }: Scope, call: Call): Promise<readonly Result<void>[]> {
  return sendBisecting(ids, (some) =>
    client.send(
      { action: 'StartInstances', instances: some.length },
      new ec2.StartInstancesCommand({ InstanceIds: [...some] }),
      call,
    ),
  );
}

const pollEveryMs = 5_000;
/** A machine that will not stop within ten minutes needs a person or another reconcile. */
const mostPolls = 120;

/** Until every one of them is in this state: polled together, by the clock, each poll within the budget. */
export async function waitFor(
  state: 'running' | 'stopped',
  ids: readonly CloudId[],
  scope: Scope,
  call: Call,
): Promise<Result<void>> {
  for (let poll = 0; poll < mostPolls; poll++) {
    const states = await statesOf(ids, scope, call);
    if (!states.ok) return states;
    if (ids.every((id) => states.value.get(id) === state)) return done;
    const lost = ids.find((id) => dead.has(states.value.get(id) ?? ''));
    if (lost !== undefined) return failed('conflict', 'InstanceGone', `${lost} was terminated before it was ${state}`);
    await scope.clock.sleep(pollEveryMs, call.signal);
  }
  return failed('retryable', 'WaitTimeout', `not all of ${ids.join(', ')} were ${state} after ten minutes`);
}

const dead: ReadonlySet<string> = new Set(['shutting-down', 'terminated']);

/** An id that a describe misses, as it may just after a launch, is not there yet. */
async function statesOf(
  ids: readonly CloudId[],
  { client }: Scope,
  call: Call,
): Promise<Result<ReadonlyMap<CloudId, string>>> {
  const instances: Instance[] = [];
  for (const some of chunks(ids, most.idsToRead)) {
    const answer = await client.send(
      'DescribeInstances',
      new ec2.DescribeInstancesCommand({ InstanceIds: [...some] }),
      call,
    );
    if (!answer.ok && answer.failure.kind !== 'not-found') return answer;
    if (answer.ok) instances.push(...(answer.value.Reservations ?? []).flatMap(({ Instances = [] }) => Instances));
  }
  return { ok: true, value: new Map(instances.map(({ InstanceId = '', State }) => [InstanceId, State?.Name ?? ''])) };
}
