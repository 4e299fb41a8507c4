/**
 * Service tags that rules may name, with ranges for the packet check. The names are Azure's; its ranges are thousands
 * and change weekly, so those here are a sample out of the blocks that the tag really holds.
 * https://learn.microsoft.com/azure/virtual-network/service-tags-overview#available-service-tags
 */
const RANGES: Readonly<Record<string, readonly string[]>> = {
  ActionGroup: [],
  ApiManagement: [],
  AppService: ['20.50.64.0/24'],
  AzureActiveDirectory: ['20.190.128.0/18'],
  AzureBackup: [],
  AzureCloud: ['20.38.64.0/19', '20.50.0.0/16', '20.190.128.0/18', '52.239.128.0/17', '40.74.0.0/15'],
  AzureContainerRegistry: ['40.74.100.160/27'],
  AzureCosmosDB: ['40.74.98.192/26'],
  AzureKeyVault: ['20.50.88.128/25'],
  AzureMonitor: ['20.50.65.64/26'],
  AzureResourceManager: ['20.50.68.112/28'],
  AzureTrafficManager: [],
  EventHub: ['20.50.72.0/26'],
  GatewayManager: [],
  ServiceBus: ['20.50.72.64/26'],
  Sql: ['40.74.96.0/24'],
  Storage: ['20.38.64.0/19', '52.239.128.0/17'],
};

const REGIONS: ReadonlySet<string> = new Set(['westeurope', 'northeurope', 'eastus', 'eastus2', 'westus', 'westus2']);

/** The three that mean a place and no service: any case is taken. */
const PLACES: ReadonlySet<string> = new Set(['virtualnetwork', 'internet', 'azureloadbalancer']);

/** The probes' and the platform's own address: https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16 */
export const LOAD_BALANCER = '168.63.129.16';

const byKey = new Map(Object.entries(RANGES).map(([name, ranges]) => [name.toLowerCase(), ranges]));

export function isServiceTag(value: string): boolean {
  return PLACES.has(value.toLowerCase()) || rangesOf(value) !== undefined;
}

/** The blocks of a service, also of `Storage.WestEurope`; undefined when no service has this tag. */
export function rangesOf(tag: string): readonly string[] | undefined {
  const [name = '', region] = tag.toLowerCase().split('.');
  return region === undefined || REGIONS.has(region) ? byKey.get(name) : undefined;
}
