// A person's own script: asks for the project's name, then for all listings at once, and prints the number of objects. The
// services are imported one by one, as the index of the package costs a second more.
import { DisksClient } from '@google-cloud/compute/build/src/v1/disks_client.js';
import { FirewallsClient } from '@google-cloud/compute/build/src/v1/firewalls_client.js';
import { InstancesClient } from '@google-cloud/compute/build/src/v1/instances_client.js';
import { NetworksClient } from '@google-cloud/compute/build/src/v1/networks_client.js';
import { ProjectsClient } from '@google-cloud/compute/build/src/v1/projects_client.js';
import { RegionNetworkFirewallPoliciesClient } from '@google-cloud/compute/build/src/v1/region_network_firewall_policies_client.js';
import { RegionsClient } from '@google-cloud/compute/build/src/v1/regions_client.js';
import { RoutesClient } from '@google-cloud/compute/build/src/v1/routes_client.js';
import { SubnetworksClient } from '@google-cloud/compute/build/src/v1/subnetworks_client.js';
import { OAuth2Client } from 'google-auth-library';

const [, , endpoint = ''] = process.argv;
const { hostname, port } = new URL(endpoint);
const project = 'acme-prod';
const authClient = new OAuth2Client();
authClient.setCredentials({ access_token: 'sandbox', expiry_date: Date.now() + 3_600_000 });
const options = { apiEndpoint: hostname, port: Number(port), protocol: 'http', authClient };
const [{ name }] = await new ProjectsClient(options).get({ project });
await new RegionsClient(options).get({ project, region: 'europe-west1' });

const all = { project, maxResults: 500 };

/** @param {AsyncIterable<unknown>} items */
async function count(items) {
  let found = 0;
  for await (const _ of items) found += 1;
  return found;
}

/** @template T @param {AsyncIterable<[string, T]>} places @param {(place: T) => readonly unknown[] | null | undefined} held */
async function countIn(places, held) {
  let found = 0;
  for await (const [, place] of places) found += held(place)?.length ?? 0;
  return found;
}

/** Networks with a machine, by region. @type {Set<string>} */
const inUse = new Set();

const counts = await Promise.all([
  count(new NetworksClient(options).listAsync(all)),
  count(new RoutesClient(options).listAsync(all)),
  count(new FirewallsClient(options).listAsync(all)),
  countIn(new SubnetworksClient(options).aggregatedListAsync(all), ({ subnetworks }) => subnetworks),
  countIn(new InstancesClient(options).aggregatedListAsync(all), ({ instances }) => {
    for (const { zone, networkInterfaces } of instances ?? [])
      inUse.add(`${zone?.replace(/^.*\/|-[a-z]$/g, '')} ${networkInterfaces?.[0]?.network}`);
    return instances;
  }),
  countIn(new DisksClient(options).aggregatedListAsync(all), ({ disks }) => disks),
]);
const policies = new RegionNetworkFirewallPoliciesClient(options);
const effective = await Promise.all(
  [...inUse].map(async (place) => {
    const [region, network] = place.split(' ');
    const [{ firewallPolicys }] = await policies.getEffectiveFirewalls({ project, region, network });
    return firewallPolicys?.length ?? 0;
  }),
);
process.stdout.write(`${[name, ...counts, ...effective].join(' ')}\n`);
