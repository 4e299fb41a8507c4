import type { NetworkInterface } from '@aws-sdk/client-ec2';
import type { Result } from '../../src/core/failure.ts';
import type { CloudId } from '../../src/core/resource.ts';
import type { Call } from '../../src/ports/provider.ts';
import type { Scope } from './scope.ts';
import { ec2 } from './sdk.ts';

/** At least 5: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeNetworkInterfaces.html */
const most = 10;

/** Some of the interfaces in a subnet, or in a group: `DependencyViolation` does not say which they are. */
export async function interfacesIn(
  what: 'subnet-id' | 'group-id',
  id: CloudId,
  { client }: Scope,
  call: Call,
): Promise<Result<readonly string[]>> {
  const command = new ec2.DescribeNetworkInterfacesCommand({
    Filters: [{ Name: what, Values: [id] }],
    MaxResults: most,
  });
  const answer = await client.send('DescribeNetworkInterfaces', command, call);
  return answer.ok ? { ok: true, value: (answer.value.NetworkInterfaces ?? []).map(interfaceText) } : answer;
}

/** `eni-0a1 (instance i-0b2)`, `eni-0a1 (lambda, RequesterId amazon-aws, "AWS Lambda VPC ENI-web")`. */
function interfaceText({ NetworkInterfaceId = '', ...eni }: NetworkInterface): string {
  const { Attachment, InterfaceType, RequesterManaged, RequesterId, Description } = eni;
  const facts = [
    Attachment?.InstanceId === undefined ? undefined : `instance ${Attachment.InstanceId}`,
    InterfaceType === 'interface' ? undefined : InterfaceType,
    RequesterManaged && RequesterId ? `RequesterId ${RequesterId}` : undefined,
    Description ? `"${Description}"` : undefined,
  ].filter((fact) => fact !== undefined);
  return facts.length === 0 ? NetworkInterfaceId : `${NetworkInterfaceId} (${facts.join(', ')})`;
}
