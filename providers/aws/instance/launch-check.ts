import type { Image } from '@aws-sdk/client-ec2';
import type { Failure, Result } from '../../../src/core/failure.ts';
import type { Call, LaunchAnswer, LaunchQuestion } from '../../../src/ports/provider.ts';
import { failed } from '../../shared/answer.ts';
import { firstObstacle, impossible, possible, unknown } from '../../shared/launch-answer.ts';
import type { Scope } from '../scope.ts';
import { ec2 } from '../sdk.ts';

/**
 * Checks that EC2 would launch such a machine. `DryRun` proves only permission and does not check the image:
 * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_RunInstances.html
 *
 *   asked                         | impossible where
 *   ------------------------------+------------------------------------------------------------
 *   DescribeImages                | there is no such image that this account may use, or it is not available
 *   DescribeSubnets               | the machine needs an address, and AvailableIpAddressCount is 0
 *   DescribeInstanceTypeOfferings | the zone of the subnet does not offer the size; no subnet: the region does not
 */
export async function canLaunch(question: LaunchQuestion, scope: Scope, call: Call): Promise<LaunchAnswer> {
  const { image, subnet } = question;
  return firstObstacle([
    async () => (image === undefined ? possible : imageAnswer(image, scope, call)),
    async () =>
      subnet === undefined ? sizeAnswer(question, undefined, scope, call) : inSubnet(question, subnet, scope, call),
  ]);
}

async function imageAnswer(image: string, scope: Scope, call: Call): Promise<LaunchAnswer> {
  const found = await imageOf(image, scope, call);
  if (found.ok)
    return found.value.State === undefined || found.value.State === 'available' ? possible : notAvailable(found.value);
  return isAboutImage(found.failure)
    ? impossible(found.failure, `image ${image} cannot be launched here`)
    : unknown(found.failure);
}

const isAboutImage = ({ code }: Failure): boolean => code.startsWith('InvalidAMIID.') || code === 'NoImage';

const notAvailable = ({ ImageId, State, StateReason }: Image): LaunchAnswer =>
  impossible(
    { kind: 'terminal', code: 'InvalidAMIID.Unavailable', message: StateReason?.Message ?? `its state is ${State}` },
    `image ${ImageId} is not available`,
  );

/** An image, asked for once a session. */
export async function imageOf(image: string, { client, known }: Scope, call: Call): Promise<Result<Image>> {
  const cached = known.images.get(image);
  if (cached !== undefined) return { ok: true, value: cached };
  const answer = await client.send('DescribeImages', new ec2.DescribeImagesCommand({ ImageIds: [image] }), call);
  if (!answer.ok) return answer;
  const found = answer.value.Images?.[0];
  if (found === undefined) return failed('terminal', 'NoImage', 'the cloud lists no such image for this account');
  known.images.set(image, found);
  return { ok: true, value: found };
}

async function inSubnet(question: LaunchQuestion, subnet: string, scope: Scope, call: Call): Promise<LaunchAnswer> {
  const command = new ec2.DescribeSubnetsCommand({ SubnetIds: [subnet] });
  const answer = await scope.client.send('DescribeSubnets', command, call);
  if (!answer.ok) return unknown(answer.failure);
  const { AvailableIpAddressCount, AvailabilityZone, CidrBlock } = answer.value.Subnets?.[0] ?? {};
  if (question.needsRoom && AvailableIpAddressCount === 0)
    return impossible(
      { kind: 'terminal', code: 'InsufficientFreeAddressesInSubnet', message: `${CidrBlock} has no free address.` },
      `subnet ${subnet} is full: delete machines there, or place these in another subnet`,
    );
  return sizeAnswer(question, AvailabilityZone, scope, call);
}

async function sizeAnswer(
  { size }: LaunchQuestion,
  zone: string | undefined,
  { client, known }: Scope,
  call: Call,
): Promise<LaunchAnswer> {
  const place = zone ?? 'the region';
  if (known.offered.has(`${size} ${place}`)) return possible;
  const Filters = [
    { Name: 'instance-type', Values: [size] },
    ...(zone === undefined ? [] : [{ Name: 'location', Values: [zone] }]),
  ];
  const LocationType = zone === undefined ? ('region' as const) : ('availability-zone' as const);
  const command = new ec2.DescribeInstanceTypeOfferingsCommand({ LocationType, Filters });
  const answer = await client.send('DescribeInstanceTypeOfferings', command, call);
  if (!answer.ok) return unknown(answer.failure);
  if ((answer.value.InstanceTypeOfferings ?? []).length === 0)
    return impossible(
      { kind: 'terminal', code: 'Unsupported', message: `DescribeInstanceTypeOfferings lists no ${size} there.` },
      `size ${size} is not offered in ${place}: correct the size, or place the machine in a subnet of another zone`,
    );
  known.offered.add(`${size} ${place}`);
  return possible;
}
