import { FirewallsClient } from '@google-cloud/compute/build/src/v1/firewalls_client.js';
import { InstancesClient } from '@google-cloud/compute/build/src/v1/instances_client.js';

const project = 'acme-prod';
const zone = 'europe-west1-b';

/** Somebody with access to Google Cloud: Google's own SDK, and nothing of ours. */
export interface GcpColleague {
  /** Opens a port more in the firewall whose name begins so. */
  widen(firewall: string, port: number): Promise<void>;
  /** Gives a machine another value of a label. */
  label(machine: string, key: string, value: string): Promise<void>;
}

export function gcpColleague(endpoint: string): GcpColleague {
  const { hostname, port } = new URL(endpoint);
  const options = { apiEndpoint: hostname, port: Number(port), protocol: 'http', fallback: true, authClient: anybody };
  // why: the SDK asks of its authentication only what is there
  const firewalls = new FirewallsClient(options as ConstructorParameters<typeof FirewallsClient>[0]);
  const instances = new InstancesClient(options as ConstructorParameters<typeof InstancesClient>[0]); // why: as above
  return {
    widen: async (name, opened) => {
      const [all] = await firewalls.list({ project });
      const found = all.find((one) => one.name?.startsWith(name));
      if (found?.name == null) throw new Error(`there is no firewall ${name}`);
      const allowed = [...(found.allowed ?? []), { IPProtocol: 'tcp', ports: [`${opened}`] }];
      await firewalls.patch({ project, firewall: found.name, firewallResource: { name: found.name, allowed } });
    },
    label: async (instance, key, value) => {
      const [{ labels, labelFingerprint }] = await instances.get({ project, zone, instance });
      const instancesSetLabelsRequestResource = { labels: { ...labels, [key]: value }, labelFingerprint };
      // why: the SDK's own types differ between what it reads and what it writes
      await instances.setLabels({ project, zone, instance, instancesSetLabelsRequestResource } as never);
    },
  };
}

/** The sandbox takes anybody. */
const anybody = {
  getRequestHeaders: async () => new Headers({ authorization: 'Bearer colleague' }),
  fetch: (url: string, { agent: _, validateStatus: __, responseType: ___, ...init }: GaxiosInit) => {
    const headers = new Headers(init.headers);
    headers.set('authorization', 'Bearer colleague');
    return fetch(url, { ...init, headers });
  },
};

interface GaxiosInit extends RequestInit {
  readonly agent?: unknown;
  readonly validateStatus?: unknown;
  readonly responseType?: unknown;
}
