import { sshKey } from '../fixtures.ts';

/** Documents of one network with one subnet, for the target `here`; `spec` and `metadata` add or replace fields. */
type Fields = Readonly<Record<string, unknown>>;

export const network = (spec: Fields = {}, metadata: Fields = {}) => ({
  kind: 'Network',
  metadata: { name: 'core', ...metadata },
  spec: {
    targets: ['here'],
    cidr: '10.20.0.0/16',
    internet: true,
    subnets: [{ name: 'app', cidr: '10.20.1.0/24' }],
    ...spec,
  },
});

/** TCP 443 to the group `web`, from anywhere. */
export const rule = (name: string, spec: Fields = {}, metadata: Fields = {}) => ({
  kind: 'FirewallRule',
  metadata: { name, ...metadata },
  spec: {
    network: 'core',
    protocol: 'tcp',
    ports: [443],
    group: 'web',
    peers: { cidrs: ['0.0.0.0/0'] },
    ...spec,
  },
});

/** The document of a group of the network. */
export const group = (name: string, spec: Fields = {}, metadata: Fields = {}) => ({
  kind: 'Group',
  metadata: { name, ...metadata },
  spec: { network: 'core', ...spec },
});

/** `words`: one cloud's image, size and other required fields of a machine. */
export const machineIn =
  (words: Fields) =>
  (name: string, spec: Fields = {}, metadata: Fields = {}) => ({
    kind: 'Instance',
    metadata: { name, ...metadata },
    spec: { targets: ['here'], network: 'core', subnet: 'app', groups: ['web'], ...words, ...spec },
  });

/** The login of a machine, for clouds that require one. */
export const access = { user: 'ops', sshKeys: [sshKey] };
