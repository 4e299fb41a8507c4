import { messyAws } from './messy-aws.ts';

/** Existing resources of a project before the demo, in the form of `sandbox/compute/estate-form.ts`. */
const messyGcp = {
  cloud: 'gcp',
  projects: [
    {
      project: 'acme-prod',
      networks: [
        {
          name: 'legacy',
          subnetworks: [
            { name: 'legacy-eu', region: 'europe-west1', cidr: '10.132.0.0/20' },
            { name: 'legacy-us', region: 'us-central1', cidr: '10.128.0.0/20' },
          ],
          firewalls: [
            { name: 'legacy-allow-ssh', allowed: [{ IPProtocol: 'tcp', ports: ['22'] }], sourceRanges: ['0.0.0.0/0'] },
            { name: 'legacy-allow-internal', allowed: [{ IPProtocol: 'all' }], sourceRanges: ['10.128.0.0/9'] },
          ],
        },
      ],
    },
  ],
} as const;

const rule = (name: string, priority: number, port: string, source: string): object => ({
  name,
  properties: {
    priority,
    direction: 'Inbound',
    access: 'Allow',
    protocol: 'Tcp',
    sourceAddressPrefix: source,
    sourcePortRange: '*',
    destinationAddressPrefix: '*',
    destinationPortRange: port,
  },
});

/** Existing resources of a subscription before the demo, in the form of `sandbox/arm/estate.ts`. */
const messyAzure = {
  cloud: 'azure',
  subscriptions: [
    {
      groups: [{ name: 'Legacy', location: 'westeurope' }],
      resources: [
        {
          type: 'Microsoft.Network/networkSecurityGroups',
          group: 'Legacy',
          name: 'shop-nsg',
          tags: { managedBy: 'terraform' },
          properties: { securityRules: [rule('http', 100, '80', '*'), rule('rdp', 110, '3389', 'Internet')] },
        },
        {
          type: 'Microsoft.Network/virtualNetworks',
          group: 'Legacy',
          name: 'shop',
          properties: {
            addressSpace: { addressPrefixes: ['10.99.0.0/16'] },
            subnets: [{ name: 'default', properties: { addressPrefix: '10.99.0.0/24' } }],
          },
        },
      ],
    },
  ],
} as const;

/** Accounts on three clouds that others have used before us. */
export const messyAccounts = [messyAws, messyGcp, messyAzure] as const;
