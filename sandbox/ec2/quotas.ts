/** What an account may hold. Defaults: https://docs.aws.amazon.com/vpc/latest/userguide/amazon-vpc-limits.html */
export interface Quotas {
  readonly vpcs: number;
  readonly subnetsPerVpc: number;
  /** Counted apart per direction, and for IPv4 and IPv6; a reference to a group counts in both. */
  readonly rulesPerGroup: number;
  readonly groupsPerInterface: number;
  readonly groups: number;
  readonly instances: number;
}

export const QUOTAS: Quotas = {
  vpcs: 5,
  subnetsPerVpc: 200,
  rulesPerGroup: 60,
  groupsPerInterface: 5,
  groups: 2500,
  instances: 5000,
};
