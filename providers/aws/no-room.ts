import type { Failure } from '../../src/core/failure.ts';

/**
 * EC2's message says only that a group is full. This adds the cause: Setpoint adds new rules before it removes the replaced
 * ones, so a changing group needs room for both. Without that room Setpoint removes nothing.
 * The quota, 60 unless it was raised: https://docs.aws.amazon.com/vpc/latest/userguide/amazon-vpc-limits.html#vpc-limits-security-groups
 */
export function explained<F extends Failure>(failure: F): F {
  if (failure.code !== 'RulesPerSecurityGroupLimitExceeded') return failure;
  return { ...failure, message: `${failure.message} ${why} ${next}` };
}

const why =
  'Setpoint adds new rules of a group before it removes the old ones, so that it interrupts no traffic. There is no room for both, so the old ones stay.';
const next =
  'Raise the quota "Inbound or outbound rules per security group" (L-0EA8095F) to the sum of both. Or put the new rules into another group, name that group on the instances, apply, and remove the old rules afterwards.';
