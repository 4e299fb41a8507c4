import { type TrialCloud, trialClouds } from '../specs.ts';

/** How large, and which of two shapes: a rule's port and the number of machines change with the turn. */
export interface Size {
  /** In each cloud. */
  readonly groups: number;
  /** For each group. */
  readonly rules: number;
  readonly machines: number;
}

const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f';

const places: Readonly<Record<TrialCloud, readonly [place: string, machine: string]>> = {
  aws: ['account: "111122223333", region: eu-west-1', 'image: ami-0abcdef1234567890, size: t3.small'],
  gcp: [
    'account: acme-prod, region: europe-west1, zone: europe-west1-b',
    'image: projects/debian-cloud/global/images/family/debian-12, size: e2-small',
  ],
  azure: [
    'account: 11112222-3333-4444-8555-666677778888, region: westeurope, resourceGroup: acme-prod',
    'image: "Debian:debian-12:12-gen2:latest", size: Standard_B1ms',
  ],
};

/** Of three in turn: what killed workers left behind is not to fill a group, which EC2 lets hold 60 rules. */
export const portAt = (turn: number): number => 8000 + (turn % 3);
export const machinesAt = ({ machines }: Size, turn: number): number =>
  machines - (turn % 2 === 0 ? 0 : Math.ceil(machines / 10));
const each = <T>(count: number, make: (n: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, n) => make(n));

/** One estate on three clouds. */
export function bigEstate(endpoint: string, size: Size, turn: number): string {
  const targets = trialClouds.map(
    (cloud) =>
      `kind: Target\nmetadata: { name: ${cloud} }\nspec: { provider: ${cloud}, ${places[cloud][0]}, endpoint: "${endpoint}", minReady: 0 }`,
  );
  const rules = each(size.groups, (group) =>
    each(
      size.rules,
      (rule) =>
        `kind: FirewallRule\nmetadata: { name: r${group}-${rule} }\nspec: { network: big, protocol: tcp, ports: [${portAt(turn)}], group: g${group}, peers: { cidrs: [198.18.${rule}.0/24] } }`,
    ),
  ).flat();
  const on = trialClouds.map((cloud) => `${cloud}: { ${places[cloud][1]} }`).join(', ');
  return [
    'kind: Estate\nmetadata: { name: fleet }\nspec: { mode: enforce, limits: { deletes: 100000, replaces: 100000, creates: 100000, closures: 100000, share: 100% } }',
    ...targets,
    `kind: Network\nmetadata: { name: big, labels: { env: prod } }\nspec: { targets: [${trialClouds}], cidr: 10.20.0.0/16, subnets: [{ name: app, cidr: 10.20.0.0/20 }] }`,
    ...rules,
    `kind: Instance\nmetadata: { name: m, labels: { tier: app } }\nspec: { targets: [${trialClouds}], replicas: ${machinesAt(size, turn)}, deletionPolicy: delete, network: big, subnet: app, groups: [g0], access: { user: ops, sshKeys: ["${key}"] }, on: { ${on} } }`,
  ]
    .map((text) => `apiVersion: setpoint.dev/v1\n${text}\n`)
    .join('---\n');
}

/** How many resources the specs name on all clouds, without what their clouds make of them. */
export const countOf = ({ groups, rules, machines }: Size): number =>
  trialClouds.length * (2 + groups * (rules + 1) + machines);
