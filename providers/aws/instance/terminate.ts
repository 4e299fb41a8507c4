import type { Result } from '../../../src/core/failure.ts';
import type { Call, Removal } from '../../../src/ports/provider.ts';
import { done } from '../../shared/answer.ts';
import { chunks } from '../../shared/chunks.ts';
import { sendBisecting } from '../bisect.ts';
import { most } from '../rate-limits.ts';
import type { Scope } from '../scope.ts';
import { ec2 } from '../sdk.ts';

/**
 * One id that is wrong or protected sinks the call, so it is then sent in halves. Their disks and interfaces go with them
 * (DeleteOnTermination). https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_TerminateInstances.html
 */
export async function terminate(
  batch: readonly Removal<'instance'>[],
  { client }: Scope,
  call: Call,
): Promise<readonly Result<void>[]> {
  const results: Result<void>[] = [];
  for (const some of chunks(batch, most.terminated)) {
    const answers = await sendBisecting(some, (items) => {
      const command = new ec2.TerminateInstancesCommand({ InstanceIds: items.map(({ id }) => id) });
      return client.send({ action: 'TerminateInstances', instances: items.length }, command, call);
    });
    results.push(...answers.map(explained));
  }
  return results;
}

function explained(answer: Result<void>): Result<void> {
  if (answer.ok || answer.failure.kind === 'not-found') return done;
  if (answer.failure.code !== 'OperationNotPermitted') return answer;
  const message = `termination protection is on: turn it off (disableApiTermination) and plan again. ${answer.failure.message}`;
  return { ok: false, failure: { ...answer.failure, message } };
}
