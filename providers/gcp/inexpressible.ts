import { type Inexpressible, inexpressibleIn, listed } from '../shared/inexpressible.ts';
import { metadataKeys } from './instance/metadata-keys.ts';
import { lastOf } from './links.ts';
import type { Firewall, Instance, Network, Subnetwork } from './messages.ts';

/*
 * Settings that no document can state, where they differ from their default:
 * https://cloud.google.com/compute/docs/reference/rest/v1/instances, networks, subnetworks, firewalls
 */

const ofInstance: readonly Inexpressible<Instance>[] = [
  ['deletionProtection', ({ deletionProtection }) => (deletionProtection ? 'is protected from deletion' : undefined)],
  [
    'guestAccelerators',
    ({ guestAccelerators }) =>
      listed(
        'has the accelerators',
        guestAccelerators?.map(({ acceleratorCount, acceleratorType }) =>
          [acceleratorCount, lastOf(acceleratorType ?? '')].join(' '),
        ),
      ),
  ],
  ['minCpuPlatform', ({ minCpuPlatform }) => listed('needs the CPU platform', [minCpuPlatform])],
  [
    'shieldedInstanceConfig',
    ({ shieldedInstanceConfig: shield }) => (shield?.enableSecureBoot ? 'has secure boot turned on' : undefined),
  ],
  [
    'confidentialInstanceConfig',
    ({ confidentialInstanceConfig: confidential }) =>
      confidential?.enableConfidentialCompute || confidential?.confidentialInstanceType
        ? 'is a confidential machine'
        : undefined,
  ],
  [
    'scheduling.automaticRestart',
    ({ scheduling }) =>
      scheduling?.automaticRestart === false && !isSpot(scheduling) ? 'does not restart after a failure' : undefined,
  ],
  [
    'scheduling.onHostMaintenance',
    ({ scheduling }) =>
      scheduling?.onHostMaintenance === 'TERMINATE' && !isSpot(scheduling) ? 'stops for maintenance' : undefined,
  ],
  ['resourcePolicies', ({ resourcePolicies }) => listed('has the resource policies', resourcePolicies?.map(lastOf))],
  ['hostname', ({ hostname }) => listed('has the host name', [hostname])],
  [
    'networkInterfaces.aliasIpRanges',
    ({ networkInterfaces }) =>
      listed(
        'has the alias ranges',
        networkInterfaces?.[0]?.aliasIpRanges?.map(({ ipCidrRange }) => ipCidrRange),
      ),
  ],
  [
    'networkInterfaces.stackType',
    ({ networkInterfaces }) => {
      const stack = networkInterfaces?.[0]?.stackType ?? 'IPV4_ONLY';
      return stack === 'IPV4_ONLY' ? undefined : `has the stack type ${stack}`;
    },
  ],
  // why: values of metadata may be secrets
  ['metadata', ({ metadata }) => listed('has the metadata keys', metadata?.items?.map(otherKey))],
];

type Scheduling = NonNullable<Instance['scheduling']>;

/** A spot machine neither restarts nor moves: https://cloud.google.com/compute/docs/instances/spot */
const isSpot = ({ preemptible, provisioningModel }: Scheduling): boolean =>
  preemptible === true || provisioningModel === 'SPOT';

/** Login and script are fields of a document. */
const ofDocuments: ReadonlySet<string> = new Set([
  ...Object.values(metadataKeys),
  'ssh-keys',
  'startup-script',
  'user-data',
]);

const otherKey = ({ key }: { readonly key?: string | null }): string =>
  key === undefined || key === null || ofDocuments.has(key) ? '' : key;

const usualMtu = 1460;

const ofNetwork: readonly Inexpressible<Network>[] = [
  ['mtu', ({ mtu }) => (mtu && mtu !== usualMtu ? `has an MTU of ${mtu}` : undefined)],
  [
    'routingConfig.routingMode',
    ({ routingConfig }) => (routingConfig?.routingMode === 'GLOBAL' ? 'routes between regions (GLOBAL)' : undefined),
  ],
  [
    'autoCreateSubnetworks',
    ({ autoCreateSubnetworks }) => (autoCreateSubnetworks ? 'makes a subnet in every region' : undefined),
  ],
  ['firewallPolicy', ({ firewallPolicy }) => listed('has the firewall policy', [lastOf(firewallPolicy ?? '')])],
];

const ofSubnetwork: readonly Inexpressible<Subnetwork>[] = [
  [
    'logConfig',
    ({ logConfig, enableFlowLogs }) => (logConfig?.enable || enableFlowLogs ? 'logs its flows' : undefined),
  ],
  ['purpose', ({ purpose }) => (purpose && purpose !== 'PRIVATE' ? `has the purpose ${purpose}` : undefined)],
  [
    'stackType',
    ({ stackType }) => (stackType && stackType !== 'IPV4_ONLY' ? `has the stack type ${stackType}` : undefined),
  ],
];

const ofFirewall: readonly Inexpressible<Firewall>[] = [
  [
    'logConfig.metadata',
    ({ logConfig }) =>
      logConfig?.enable && logConfig.metadata === 'EXCLUDE_ALL_METADATA' ? 'logs without metadata' : undefined,
  ],
];

export const inexpressibleOf = {
  instance: (instance: Instance) => inexpressibleIn(ofInstance, instance),
  network: (network: Network) => inexpressibleIn(ofNetwork, network),
  subnet: (subnetwork: Subnetwork) => inexpressibleIn(ofSubnetwork, subnetwork),
  rule: (firewall: Firewall) => inexpressibleIn(ofFirewall, firewall),
};
