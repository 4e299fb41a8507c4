interface Row {
  readonly type: string;
  /** The label that has the number of the resource. */
  readonly id: string;
  /** The label that says where it is, and the one that names it, if there are such. */
  readonly place?: 'zone' | 'location';
  readonly name?: string;
}

/** By collection: https://docs.cloud.google.com/monitoring/api/resources */
const RESOURCES: Readonly<Record<string, Row>> = {
  networks: { type: 'gce_network', id: 'network_id', place: 'location' },
  subnetworks: { type: 'gce_subnetwork', id: 'subnetwork_id', place: 'location', name: 'subnetwork_name' },
  firewalls: { type: 'gce_firewall_rule', id: 'firewall_rule_id' },
  routes: { type: 'gce_route', id: 'route_id' },
  instances: { type: 'gce_instance', id: 'instance_id', place: 'zone' },
  disks: { type: 'gce_disk', id: 'disk_id', place: 'zone' },
};

/** What an entry is about. A collection that the table does not have is told by its project alone. */
export function monitoredResource(project: string, resourceName: string, number: string): object {
  const [collection = '', name = ''] = resourceName.split('/').slice(-2);
  const row = RESOURCES[collection];
  if (!row) return { type: 'gce_project', labels: { project_id: project } };
  const labels = {
    project_id: project,
    [row.id]: number,
    ...(row.place === undefined ? {} : { [row.place]: locationOf(resourceName) }),
    ...(row.name === undefined ? {} : { [row.name]: name }),
  };
  return { type: row.type, labels };
}

/** `europe-west1-b` of `projects/acme/zones/europe-west1-b/instances/web`, `global` of what has no place. */
export function locationOf(resourceName: string): string {
  return /\/(?:zones|regions)\/([^/]+)\//.exec(resourceName)?.[1] ?? 'global';
}
