import { hooks } from './events.ts';

const head = (kind: string, metadata: string): string =>
  `apiVersion: setpoint.dev/v1\nkind: ${kind}\nmetadata: ${metadata}\nspec:`;

const everywhere = '[aws-prod, gcp-prod, azure-prod]';

const estate = (endpoint: string, mode = 'plan'): string => `${head('Estate', '{ name: acme }')}
  mode: ${mode}
  limits: { deletes: 9, replaces: 5, share: 50% }
  hooks:${hooks(endpoint)}
---
${head('Target', '{ name: aws-prod }')}
  provider: aws
  account: "111122223333"
  region: eu-west-1
  endpoint: ${endpoint}
  minReady: 0
---
${head('Target', '{ name: gcp-prod }')}
  provider: gcp
  account: acme-prod
  region: europe-west1
  zone: europe-west1-b
  endpoint: ${endpoint}
  minReady: 0
---
${head('Target', '{ name: azure-prod }')}
  provider: azure
  account: 11112222-3333-4444-8555-666677778888
  region: westeurope
  resourceGroup: acme-prod
  endpoint: ${endpoint}
  minReady: 0
`;

const network = `${head('Network', '{ name: core, owner: team-net }')}
  targets: ${everywhere}
  cidr: 10.20.0.0/16
  internet: true
  subnets:
    - { name: app, cidr: 10.20.1.0/24 }
    - { name: db, cidr: 10.20.2.0/24 }
---
${head('FirewallRule', '{ name: web-https, owner: team-web }')}
  { network: core, protocol: tcp, ports: [443], group: web, peers: { cidrs: [0.0.0.0/0] }, description: public site }
---
${head('FirewallRule', '{ name: office-ssh, owner: team-ops }')}
  { network: core, protocol: tcp, ports: [22], peers: { cidrs: [203.0.113.0/24] }, description: ssh from the office }
`;

const ftp = `---
${head('FirewallRule', '{ name: old-ftp, owner: team-web }')}
  { network: core, protocol: tcp, ports: [21], group: web, peers: { cidrs: [192.0.2.0/24] }, description: partner upload }
`;

const toDatabase = `---
${head('FirewallRule', '{ name: web-to-db, owner: team-web }')}
  { network: core, protocol: tcp, ports: [5432], group: db, peers: { groups: [web] }, description: the site reads it }
`;

const metrics = `---
${head('FirewallRule', '{ name: metrics, owner: team-ops }')}
  { network: core, protocol: tcp, ports: [9100], peers: { cidrs: [203.0.113.0/24] }, description: the office watches }
`;

const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f';

const machines = (
  replicas: number,
): string => `${head('Instance', '{ name: web, owner: team-web, labels: { tier: web } }')}
  targets: ${everywhere}
  replicas: ${replicas}
  network: core
  subnet: app
  groups: [web]
  access: { user: ops, sshKeys: ["${key}"] }
  publicIp: true
  on:
    aws-prod: { image: ami-0abcdef1234567890, size: t3.small, disk: { size: 20, type: gp3, encrypted: true } }
    gcp-prod: { image: projects/debian-cloud/global/images/family/debian-12, size: e2-small, disk: { size: 20 } }
    azure-prod: { image: "Debian:debian-12:12-gen2:latest", size: Standard_B1ms, disk: { size: 32 } }
---
${head('Instance', '{ name: db, owner: team-data, labels: { tier: db } }')}
  targets: ${everywhere}
  network: core
  subnet: db
  groups: [db]
  access: { user: ops, sshKeys: ["${key}"] }
  protect: true
  on:
    aws-prod: { image: ami-0abcdef1234567890, size: t3.medium, disk: { size: 100, type: gp3, encrypted: true } }
    gcp-prod: { image: projects/debian-cloud/global/images/family/debian-12, size: e2-medium, disk: { size: 100 } }
    azure-prod: { image: "Debian:debian-12:12-gen2:latest", size: Standard_B2s, disk: { size: 128 } }
`;

type Files = Readonly<Record<string, string>>;

/** The specs that were applied last week. */
export const lastWeek = (endpoint: string): Files => ({
  'estate.yaml': estate(endpoint),
  'network.yaml': `${network}${ftp}`,
  'machines.yaml': machines(1),
});

/**
 * The repository today: a web server more on each cloud, a way to the database, and no FTP. From the next commit on the
 * fleet may act by itself: none lifts its own guard.
 */
export const today = (endpoint: string): Files => ({
  'estate.yaml': estate(endpoint, 'enforce'),
  'network.yaml': `${network}${toDatabase}`,
  'machines.yaml': machines(2),
});

/** The commits that arrive while workers follow the repository: the site grows. */
export const tomorrow = (endpoint: string): Files => ({
  'estate.yaml': estate(endpoint, 'enforce'),
  'network.yaml': `${network}${toDatabase}${metrics}`,
  'machines.yaml': machines(6),
});
