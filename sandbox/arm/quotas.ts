/**
 * How much a subscription may hold.
 * https://learn.microsoft.com/azure/azure-resource-manager/management/azure-subscription-service-limits#azure-resource-manager-virtual-networking-limits
 */
export interface Quotas {
  /** Per subscription and location. */
  readonly networks: number;
  readonly subnetsPerNetwork: number;
  /** Per subscription and location. */
  readonly securityGroups: number;
  /** Per subscription. */
  readonly applicationGroups: number;
  readonly rules: RuleQuotas;
  readonly machines: MachineQuotas;
}

/** Per subscription and location. Subscriptions begin with far fewer vCPUs: https://learn.microsoft.com/azure/virtual-machines/quotas */
export interface MachineQuotas {
  readonly machines: number;
  /** vCPUs of all families together. */
  readonly cores: number;
  /** vCPUs of each family. */
  readonly coresPerFamily: number;
}

export interface RuleQuotas {
  readonly perSecurityGroup: number;
  /** Addresses and ranges on one side of a rule. */
  readonly prefixesPerSide: number;
  /** Application security groups in all rules of a security group together. */
  readonly applicationGroups: number;
}

export const QUOTAS: Quotas = {
  networks: 1000,
  subnetsPerNetwork: 3000,
  securityGroups: 5000,
  applicationGroups: 3000,
  rules: { perSecurityGroup: 1000, prefixesPerSide: 4000, applicationGroups: 100 },
  machines: { machines: 25_000, cores: 10_400_000, coresPerFamily: 10_400_000 },
};
