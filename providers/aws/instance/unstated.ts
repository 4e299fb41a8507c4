import type { Instance } from '@aws-sdk/client-ec2';
import type { Setting } from '../../../src/core/observed.ts';

/**
 * Settings of a machine that no spec states and that open it to others, as DescribeInstances has them.
 * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_Instance.html
 *
 *   setting                  | told where
 *   -------------------------+-----------------------------------------------------------------------------------------------
 *   further interfaces       | there is one besides that of device index 0
 *   source/destination check | it is off
 *   IMDSv1                   | it answers, though the hop limit is not 1. Setpoint sends no metadata options, so the image asked for
 *                            | version 2 and a limit of 2, and somebody turned that off; an image that asks for nothing has 1:
 *                            | https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/configuring-IMDS-new-instances.html
 */
export function unstatedOf(instance: Instance): readonly Setting[] {
  const { NetworkInterfaces = [], SourceDestCheck, MetadataOptions } = instance;
  const further = NetworkInterfaces.filter(({ Attachment }) => (Attachment?.DeviceIndex ?? 0) > 0);
  const unchecked =
    SourceDestCheck === false || NetworkInterfaces.some(({ SourceDestCheck: checked }) => checked === false);
  const { HttpTokens, HttpEndpoint, HttpPutResponseHopLimit: hops = 1 } = MetadataOptions ?? {};
  const answersV1 = HttpTokens === 'optional' && HttpEndpoint !== 'disabled' && hops > 1;
  return [
    ...further
      .map(({ NetworkInterfaceId = '' }) => NetworkInterfaceId)
      .toSorted()
      .map((id) => ({ field: `interface ${id}`, detail: `has the further network interface ${id}` })),
    ...(unchecked ? [{ field: 'sourceDestCheck', detail: 'has its source/destination check turned off' }] : []),
    ...(answersV1
      ? [{ field: 'metadataOptions', detail: `answers IMDSv1 (HttpTokens optional), with a hop limit of ${hops}` }]
      : []),
  ];
}
