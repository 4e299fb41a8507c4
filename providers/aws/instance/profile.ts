import type { Result } from '../../../src/core/failure.ts';
import type { CloudId } from '../../../src/core/resource.ts';
import type { Call } from '../../../src/ports/provider.ts';
import { done } from '../../shared/answer.ts';
import type { Scope } from '../scope.ts';
import { ec2 } from '../sdk.ts';
import { profileOf } from './launch.ts';

/**
 * Gives a machine this instance profile, or none: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/attach-iam-role.html
 *
 *   wanted | there | sent
 *   -------+-------+--------
 *   yes    | no    | Associate
 *   yes    | yes   | Replace, by the association's id
 *   no     | yes   | Disassociate
 *   no     | no    | nothing
 */
export async function setProfile(
  InstanceId: CloudId,
  identity: string | undefined,
  { client }: Scope,
  call: Call,
): Promise<Result<void>> {
  const Filters = [
    { Name: 'instance-id', Values: [InstanceId] },
    { Name: 'state', Values: ['associating', 'associated'] },
  ];
  const look = new ec2.DescribeIamInstanceProfileAssociationsCommand({ Filters });
  const found = await client.send('DescribeIamInstanceProfileAssociations', look, call);
  if (!found.ok) return found;
  const AssociationId = found.value.IamInstanceProfileAssociations?.[0]?.AssociationId;
  const IamInstanceProfile = profileOf(identity);
  if (IamInstanceProfile === undefined) {
    if (AssociationId === undefined) return done;
    const answer = await client.send(
      'DisassociateIamInstanceProfile',
      new ec2.DisassociateIamInstanceProfileCommand({ AssociationId }),
      call,
    );
    return answer.ok ? done : answer;
  }
  const answer =
    AssociationId === undefined
      ? await client.send(
          'AssociateIamInstanceProfile',
          new ec2.AssociateIamInstanceProfileCommand({ InstanceId, IamInstanceProfile }),
          call,
        )
      : await client.send(
          'ReplaceIamInstanceProfileAssociation',
          new ec2.ReplaceIamInstanceProfileAssociationCommand({ AssociationId, IamInstanceProfile }),
          call,
        );
  return answer.ok ? done : answer;
}
