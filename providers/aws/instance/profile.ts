import {
  AssociateIamInstanceProfileCommand,
  DescribeIamInstanceProfileAssociationsCommand,
  DisassociateIamInstanceProfileCommand,
  ReplaceIamInstanceProfileAssociationCommand,
} from '@aws-sdk/client-ec2';
import type { Result } from '../../../src/core/failure.ts';
import type { CloudId } from '../../../src/core/resource.ts';
import type { Call } from '../../../src/ports/actuator.ts';
import { done } from '../answer.ts';
import type { Scope } from '../scope.ts';
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
  const look = new DescribeIamInstanceProfileAssociationsCommand({ Filters });
  const found = await client.send('DescribeIamInstanceProfileAssociations', look, call);
  if (!found.ok) return found;
  const AssociationId = found.value.IamInstanceProfileAssociations?.[0]?.AssociationId;
  const IamInstanceProfile = profileOf(identity);
  if (IamInstanceProfile === undefined) {
    if (AssociationId === undefined) return done;
    const answer = await client.send(
      'DisassociateIamInstanceProfile',
      new DisassociateIamInstanceProfileCommand({ AssociationId }),
      call,
    );
    return answer.ok ? done : answer;
  }
  const answer =
    AssociationId === undefined
      ? await client.send(
          'AssociateIamInstanceProfile',
          new AssociateIamInstanceProfileCommand({ InstanceId, IamInstanceProfile }),
          call,
        )
      : await client.send(
          'ReplaceIamInstanceProfileAssociation',
          new ReplaceIamInstanceProfileAssociationCommand({ AssociationId, IamInstanceProfile }),
          call,
        );
  return answer.ok ? done : answer;
}
