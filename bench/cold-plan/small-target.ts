import type { SpecFile } from '../../src/source/spec-file.ts';
import { mess } from '../estate/mess.ts';
import { armEstate } from '../observe-calls/arm-estate.ts';
import { computeEstate } from '../observe-calls/compute-estate.ts';

/** A cloud that a cold plan is measured on. */
export type ColdCloud = keyof typeof targets;

/** The accounts that a sandbox has by itself, and a machine that each knows. */
const targets = {
  aws: {
    place: 'account: "111122223333", region: eu-west-1',
    machine: 'image: ami-0abcdef1234567890, size: t3.small',
  },
  gcp: {
    place: 'account: acme-prod, region: europe-west1, zone: europe-west1-b',
    machine: 'image: projects/debian-cloud/global/images/family/debian-12, size: e2-small',
  },
  azure: {
    place: 'account: 11112222-3333-4444-8555-666677778888, region: westeurope, resourceGroup: acme-prod',
    machine: 'image: Debian:debian-12:12-gen2:latest, size: Standard_B1ms',
  },
} as const;

const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f';

/** One target, one network with a subnet, a rule, and two machines. */
export const smallTarget = (cloud: ColdCloud, endpoint: string): readonly SpecFile[] => [
  {
    path: 'estate.yaml',
    text: [
      'kind: Estate\nmetadata: { name: acme }\nspec: {}',
      `kind: Target\nmetadata: { name: prod }\nspec: { provider: ${cloud}, ${targets[cloud].place}, endpoint: "${endpoint}", minReady: 0 }`,
      'kind: Network\nmetadata: { name: core }\nspec: { targets: [prod], cidr: 10.20.0.0/16, subnets: [{ name: app, cidr: 10.20.1.0/24 }] }',
      'kind: FirewallRule\nmetadata: { name: https }\nspec: { network: core, protocol: tcp, ports: [443], group: web, peers: { cidrs: [0.0.0.0/0] } }',
      `kind: Instance\nmetadata: { name: web }\nspec: { targets: [prod], replicas: 2, network: core, subnet: app, groups: [web], access: { user: ops, sshKeys: ["${key}"] }, ${targets[cloud].machine} }`,
    ]
      .map((text) => `apiVersion: setpoint.dev/v1\n${text}\n`)
      .join('---\n'),
  },
];

const project = { networks: 1, subnetworks: 2, firewalls: 2, machines: 2 };
const subscription = { networks: 1, subnets: 2, rules: 2, groups: 1, machines: 2 };

/** What others have in the same accounts, a little of each kind. */
export const others: readonly object[] = [
  { ...mess('111122223333', 'eu-west-1') },
  { cloud: 'gcp', ...computeEstate('acme-prod', project) },
  {
    cloud: 'azure',
    ...armEstate({ subscription: '11112222-3333-4444-8555-666677778888', location: 'westeurope' }, subscription),
  },
];

export const coldClouds = Object.keys(targets) as readonly ColdCloud[]; // why: `targets` has exactly these keys
