/** The desired estate of the test against moto, at one step. */
export interface Wants {
  /** The target's endpoint. */
  readonly endpoint: string;
  readonly blocks: Blocks;
  /** The limit of deletes of a generation. */
  readonly deletes?: number;
  readonly replicas?: number;
  readonly dbSize?: string;
  readonly webPorts?: string;
  /** The id of a VPC made by hand, with its subnet and group, that is to be ours. */
  readonly adopt?: { readonly vpc: string; readonly subnet: string };
  /** Only the estate and its target are left. */
  readonly empty?: boolean;
}

/** Whom the site is open to, and from where the office comes. */
export interface Blocks {
  readonly site: readonly string[];
  readonly office: readonly string[];
}

export const bothFamilies: Blocks = {
  site: ['0.0.0.0/0', '::/0'],
  office: ['2001:db8::/32', '203.0.113.0/24'],
};

export const oneFamily: Blocks = { site: ['0.0.0.0/0'], office: ['203.0.113.0/24'] };

export type Files = Readonly<Record<string, string>>;

const head = (kind: string, metadata: string): string =>
  `---\napiVersion: setpoint.dev/v1\nkind: ${kind}\nmetadata: ${metadata}\nspec:`;

/** moto's account for any credentials; and an image that it knows. */
const account = '123456789012';
const image = 'ami-12c6146b';
export const region = 'eu-west-1';

export const userData = '#!/bin/sh\nexec /usr/bin/web --port 443\n';

/** Every peer and protocol that a security group takes: blocks of both families, a group, itself, ICMP of both. */
export function lifeSpecs(wants: Wants): Files {
  const { replicas = 3, dbSize = 't3.medium', webPorts = '443, 8000-8100', adopt } = wants;
  const machines = [
    machine('web', { subnet: 'app', size: 't3.small', more: webMore(replicas) }),
    machine('db', { subnet: 'db', size: dbSize, more: 'disk: { size: 50, type: gp3 }' }),
    machine('spare', { subnet: 'app', size: 't3.small', more: 'power: stopped' }),
  ];
  if (wants.empty) return { 'estate.yaml': estate(wants) };
  return {
    'estate.yaml': estate(wants),
    'network.yaml': `${network}${rules(webPorts, wants.blocks)}`,
    'machines.yaml': machines.join(''),
    'web.sh': userData,
    ...(adopt === undefined ? {} : { 'legacy.yaml': legacy(adopt) }),
  };
}

const estate = ({ endpoint, deletes = 4 }: Wants): string => `${head('Estate', '{ name: acme }')}
  limits: { deletes: ${deletes}, replaces: 4, share: 100% }
${head('Target', '{ name: aws }')}
  provider: aws
  account: "${account}"
  region: ${region}
  endpoint: ${endpoint}
  minReady: 0
`;

const legacy = ({ vpc, subnet }: { readonly vpc: string; readonly subnet: string }): string =>
  `${head('Network', `{ name: legacy, adopt: { aws: ${vpc} } }`)}
  targets: [aws]
  cidr: 10.40.0.0/16
  rules: additive
  subnets:
    - { name: old, cidr: 10.40.1.0/24, adopt: { aws: ${subnet} } }
`;

const network = `${head('Network', '{ name: core, owner: team-net, labels: { env: prod } }')}
  targets: [aws]
  cidr: 10.30.0.0/16
  internet: true
  subnets:
    - { name: app, cidr: 10.30.1.0/24 }
    - { name: db, cidr: 10.30.2.0/24 }
`;

/** A description only where no step removes the one rule: see `wantsDescriptions`. */
const rules = (webPorts: string, { site, office }: Blocks): string =>
  [
    rule('web-https', `protocol: tcp, ports: [${webPorts}], group: web, peers: { cidrs: ${JSON.stringify(site)} }`),
    rule(
      'office-ssh',
      `protocol: tcp, ports: [22], peers: { cidrs: ${JSON.stringify(office)} }, description: the office`,
    ),
    rule('web-to-db', 'protocol: tcp, ports: [5432], group: db, peers: { groups: [web] }'),
    rule('web-gossip', 'protocol: udp, ports: [7946], group: web, peers: { groups: [web] }'),
    rule('ping', 'protocol: icmp, icmp: { type: 8 }, peers: { cidrs: [10.0.0.0/8] }'),
    rule('ping6', 'protocol: icmpv6, group: web, peers: { cidrs: ["2001:db8::/32"] }'),
    rule('dns-out', 'direction: egress, protocol: udp, ports: [53], group: web, peers: { cidrs: [10.30.0.2/32] }'),
  ].join('');

const rule = (name: string, fields: string): string =>
  `${head('FirewallRule', `{ name: ${name}, owner: team-web }`)}\n  { network: core, ${fields} }\n`;

const webMore = (replicas: number): string =>
  `replicas: ${replicas}\n  disk: { size: 20, type: gp3 }\n  userData: { file: web.sh }\n  publicIp: true`;

interface Machine {
  readonly subnet: string;
  readonly size: string;
  readonly more: string;
}

const machine = (name: string, { subnet, size, more }: Machine): string =>
  `${head('Instance', `{ name: ${name}, owner: team-${name}, labels: { tier: ${name} } }`)}
  targets: [aws]
  network: core
  subnet: ${subnet}
  groups: [${name}]
  image: ${image}
  size: ${size}
  ${more}
`;
