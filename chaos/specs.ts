/** A cloud that a trial is made on. */
export type TrialCloud = keyof typeof clouds;

/** A state of the specs: `before` any change, or after one of them. */
export type Wanted = 'nothing' | 'before' | 'updated' | 'replaced' | 'surged' | 'reduced';

const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f';

/** The accounts that a sandbox has by itself, and what each sells. */
const clouds = {
  aws: {
    place: 'account: "111122223333", region: eu-west-1',
    image: ['ami-0abcdef1234567890', 'ami-0abc0abc0abc0abc0'],
    size: ['t3.small', 't3.medium'],
  },
  gcp: {
    place: 'account: acme-prod, region: europe-west1, zone: europe-west1-b',
    image: [
      'projects/debian-cloud/global/images/family/debian-12',
      'projects/ubuntu-os-cloud/global/images/family/ubuntu-2404-lts-amd64',
    ],
    size: ['e2-small', 'e2-medium'],
  },
  azure: {
    place: 'account: 11112222-3333-4444-8555-666677778888, region: westeurope, resourceGroup: acme-prod',
    image: ['Debian:debian-12:12-gen2:latest', 'Canonical:ubuntu-24_04-lts:server:latest'],
    size: ['Standard_B1ms', 'Standard_B2s'],
  },
} as const;

export const trialClouds = Object.keys(clouds) as readonly TrialCloud[]; // why: `clouds` has exactly these keys

/** The strategy by which machines get another image. */
const strategies: Partial<Record<Wanted, 'recreate' | 'surge'>> = { replaced: 'recreate', surged: 'surge' };

interface Trial {
  readonly cloud: TrialCloud;
  readonly estate: string;
  readonly endpoint: string;
}

/**
 * Two networks with their ways to the internet, rules of three kinds and four machines, and what is asked of them next:
 * `updated` changes each kind that can be changed, `replaced` and `surged` every web server, `reduced` takes away one of everything.
 * The rule ssh and the machine db are wanted in all of them.
 */
export function specsOf({ cloud, estate, endpoint }: Trial, wanted: Wanted): string {
  const { place, image, size } = clouds[cloud];
  const [updated, reduced] = [wanted === 'updated', wanted === 'reduced'];
  const strategy = strategies[wanted];
  const base = [
    `kind: Estate\nmetadata: { name: ${estate} }\nspec: { limits: { deletes: 50, replaces: 50, creates: 100000, closures: 100000, share: 100% } }`,
    `kind: Target\nmetadata: { name: prod }\nspec: { provider: ${cloud}, ${place}, endpoint: "${endpoint}", minReady: 0 }`,
  ];
  if (wanted === 'nothing') return documents(base);
  const password = cloud === 'azure' ? ', password: { env: SETPOINT_SECRET_OPS }' : '';
  const network = (name: string, cidr: string, subnets: string, labels: string): string =>
    `kind: Network\nmetadata: { name: ${name}, labels: { env: ${labels} } }\nspec: { targets: [prod], cidr: ${cidr}, internet: true, deletionPolicy: delete, subnets: [${subnets}] }`;
  const rule = (name: string, rest: string): string =>
    `kind: FirewallRule\nmetadata: { name: ${name} }\nspec: { protocol: tcp, ${rest} }`;
  const machine = (name: string, rest: string, labels: string): string =>
    `kind: Instance\nmetadata: { name: ${name}, labels: { tier: ${labels} } }\nspec: { targets: [prod], access: { user: ops, sshKeys: ["${key}"]${password} }, publicIp: true, deletionPolicy: delete, ${rest} }`;
  const standing = (network: string, group: string, subnet: string): string =>
    `network: ${network}, subnet: ${subnet}, groups: [${group}]`;
  const made = (from: string = image[0], as: string = size[0]): string => `image: "${from}", size: ${as}`;
  return documents([
    ...base,
    network(
      'core',
      '10.20.0.0/16',
      '{ name: app, cidr: 10.20.1.0/24 }, { name: db, cidr: 10.20.2.0/24 }',
      updated ? 'live' : 'prod',
    ),
    ...(reduced
      ? []
      : [
          network('lab', '10.30.0.0/16', '{ name: bench, cidr: 10.30.1.0/24 }', 'test'),
          rule('probe', 'network: lab, ports: [8080], group: bench, peers: { cidrs: [198.51.100.0/24] }'),
          machine('bench', `${standing('lab', 'bench', 'bench')}, ${made()}`, 'test'),
          rule('https', `network: core, ports: [443], group: web, peers: { cidrs: [0.0.0.0/0] }`),
        ]),
    rule(
      'ssh',
      `network: core, ports: [${updated ? '22, 2222' : '22'}], peers: { cidrs: [203.0.113.0/24] }, description: ${updated ? 'the new office' : 'the office'}`,
    ),
    rule('reads', 'network: core, ports: [5432], group: db, peers: { groups: [web] }'),
    machine(
      'web',
      `replicas: ${reduced ? 1 : 2}, ${standing('core', 'web', 'app')}, ${made(image[strategy === undefined ? 0 : 1], size[updated ? 1 : 0])}${strategy === undefined ? '' : `, replace: { strategy: ${strategy} }`}`,
      updated ? 'front' : 'web',
    ),
    machine('db', `protect: true, ${standing('core', 'db', 'db')}, ${made()}`, 'db'),
  ]);
}

const documents = (texts: readonly string[]): string =>
  texts.map((text) => `apiVersion: setpoint.dev/v1\n${text}\n`).join('---\n');
