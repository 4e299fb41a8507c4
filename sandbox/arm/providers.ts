import { LOCATIONS } from './location.ts';

interface Provider {
  readonly namespace: string;
  readonly types: readonly string[];
  /** Those that the SDKs of 2026 ask for; the sandbox takes any. */
  readonly apiVersions: readonly string[];
  readonly locations: readonly string[];
}

const locations = LOCATIONS;

/** https://learn.microsoft.com/azure/azure-resource-manager/management/resource-providers-and-types */
export const PROVIDERS: readonly Provider[] = [
  {
    namespace: 'Microsoft.Network',
    types: [
      'virtualNetworks',
      'networkSecurityGroups',
      'applicationSecurityGroups',
      'networkInterfaces',
      'publicIPAddresses',
      'routeTables',
      'natGateways',
      'locations',
      'locations/operations',
      'locations/operationResults',
    ],
    apiVersions: ['2026-01-01'],
    locations,
  },
  {
    namespace: 'Microsoft.Compute',
    types: ['virtualMachines', 'disks', 'locations', 'locations/operations'],
    apiVersions: ['2026-04-01', '2026-03-02'],
    locations,
  },
  {
    namespace: 'Microsoft.Resources',
    types: ['resourceGroups', 'subscriptions'],
    apiVersions: ['2025-04-01'],
    locations,
  },
];

/** API versions of a namespace, in any case; none of one that there is not. */
export const versionsOf = (namespace: string): readonly string[] =>
  PROVIDERS.find((provider) => provider.namespace.toLowerCase() === namespace.toLowerCase())?.apiVersions ?? [];
