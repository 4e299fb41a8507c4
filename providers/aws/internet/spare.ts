import type { Result } from '../../../src/core/failure.ts';
import type { Mark, Part } from '../../../src/core/observed.ts';
import type { Call } from '../../../src/ports/provider.ts';
import { done } from '../../shared/answer.ts';
import { each } from '../../shared/each.ts';
import type { Scope } from '../scope.ts';
import { ec2 } from '../sdk.ts';
import { isSpare } from './parts.ts';
import { gatewayPart } from './signs.ts';

/**
 * CreateInternetGateway has no ClientToken: a call that came after it was given up makes a second gateway. It is looked at
 * again, and goes if it is still attached to nothing; EC2 refuses to delete one that is attached meanwhile.
 */
export async function removeSpares(
  { owner, seen, kept }: { readonly owner: Mark; readonly seen: readonly Part[]; readonly kept: readonly Part[] },
  { client }: Scope,
  call: Call,
): Promise<Result<void>> {
  const Values = seen.flatMap(({ part, id }) =>
    part === gatewayPart && !kept.some((one) => one.id === id) ? [id] : [],
  );
  if (Values.length === 0) return done;
  const Filters = [{ Name: 'internet-gateway-id', Values }];
  const found = await client.send(
    'DescribeInternetGateways',
    new ec2.DescribeInternetGatewaysCommand({ Filters }),
    call,
  );
  if (!found.ok) return found;
  const spares = (found.value.InternetGateways ?? []).filter((gateway) => isSpare(owner, gateway));
  const gone = await each(spares, async ({ InternetGatewayId }): Promise<Result<void>> => {
    const command = new ec2.DeleteInternetGatewayCommand({ InternetGatewayId });
    const answer = await client.send('DeleteInternetGateway', command, call);
    return answer.ok || answer.failure.kind === 'not-found' ? done : answer;
  });
  return gone.find(({ ok }) => !ok) ?? done;
}
