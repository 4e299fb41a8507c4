import type { SecurityRule } from '@azure/arm-network';

export const web =
  '/subscriptions/s1/resourcegroups/rg-hc/providers/microsoft.network/applicationsecuritygroups/core-web';
export const lb =
  '/subscriptions/s1/resourcegroups/rg-hc/providers/microsoft.network/applicationsecuritygroups/core-lb';

/** What the cloud reports of the plainest rule, in the words that we would send. */
export const report = (over: SecurityRule = {}): SecurityRule => ({
  protocol: 'Tcp',
  sourcePortRange: '*',
  destinationPortRange: '443',
  sourceAddressPrefix: '10.0.0.0/8',
  destinationApplicationSecurityGroups: [{ id: web }],
  access: 'Allow',
  priority: 1000,
  direction: 'Inbound',
  ...over,
});

const { destinationPortRange: _, ...rest } = report();

/** The same without any port. */
export const noPort: SecurityRule = rest;
