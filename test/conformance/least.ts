import type { Dialect } from '../../src/core/compile/dialect.ts';
import type { Attributes, Kind, RuleAttributes } from '../../src/core/resource.ts';
import type { Harness, Home } from './harness.ts';

export interface Given {
  readonly home: Home;
  readonly words: Harness['words'];
  readonly dialect: Dialect;
  /** Makes blocks of addresses and priorities differ. */
  readonly ordinal: number;
}

/** The least that each kind needs, as this cloud holds it. */
export function leastOf<K extends Kind>(kind: K, given: Given): Attributes[K] {
  const { home, words, ordinal } = given;
  const all: { readonly [Each in Kind]: () => Attributes[Each] } = {
    network: () => ({
      ...held(given.dialect.holds.network, { cidr: `10.${ordinal}.0.0/16`, internet: false, filter: true }),
      labels: {},
    }),
    subnet: () => ({
      network: home.network,
      cidr: `10.1.${ordinal}.0/24`,
      ...held(given.dialect.holds.subnet, { filter: true }),
      labels: {},
    }),
    group: () => ({ network: home.network, labels: {} }),
    'firewall-rule': () => leastRule(given),
    instance: () => ({
      placement: { subnet: home.subnet, publicIp: false },
      groups: [home.groups[0]],
      machine: { image: words.machine.image, size: words.machine.sizes[0], power: 'running' },
      ...words.machine.least,
      labels: {},
    }),
  };
  return all[kind]();
}

/** As the cloud's own dialect puts it: in a group, or in the network with its targets and priority. */
function leastRule({ home, dialect, ordinal }: Given): RuleAttributes {
  const [atom] = dialect.rules.atoms({
    name: `rule-${ordinal}`,
    network: home.network,
    group: home.groups[0],
    base: { direction: 'ingress', action: 'allow', protocol: 'tcp' },
    traffic: { ports: [`${ordinal}`], peers: ['10.9.0.0/16'] },
    extra: { description: '', priority: 200 + ordinal, disabled: false, log: false },
  });
  if (atom === undefined) throw new Error('a rule has at least one atom');
  return atom.attributes;
}

const held = <A extends object>(fields: readonly string[], attributes: A): Partial<A> =>
  // why: only whole fields were left out
  Object.fromEntries(Object.entries(attributes).filter(([field]) => fields.includes(field))) as Partial<A>;
