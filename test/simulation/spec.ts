import type { Draw } from './draw.ts';

/** An estate as its documents say it, small enough to change at random. */
export interface Spec {
  readonly networks: readonly NetworkSpec[];
  readonly rules: readonly RuleSpec[];
  readonly machines: readonly MachineSpec[];
}

interface NetworkSpec {
  readonly name: string;
  readonly internet: boolean;
  readonly egress: 'allow' | 'deny';
  readonly subnets: readonly string[];
  readonly label: string;
}

interface RuleSpec {
  readonly name: string;
  readonly network: string;
  readonly group: string;
  /** Further groups that the rule is for. */
  readonly others: readonly string[];
  readonly ports: readonly string[];
  /** The same ports of UDP, too. */
  readonly udp: boolean;
  readonly peers: readonly string[];
}

interface MachineSpec {
  readonly name: string;
  readonly network: string;
  readonly subnet: string;
  readonly groups: readonly string[];
  readonly replicas: number;
  readonly looks: Looks;
}

interface Looks {
  readonly image: string;
  readonly size: string;
  readonly label: string;
  readonly power: 'running' | 'stopped';
}

const groups = ['web', 'lb', 'db'];
const ports = ['22', '80', '443', '8000-8100', '5432'];
const blocks = ['0.0.0.0/0', '10.0.0.0/8', '192.168.0.0/16', '203.0.113.0/24'];
const labels = ['a', 'b', 'c'];
const or = <T>(drawn: T | undefined, fallback: T): T => drawn ?? fallback;

export function randomSpec(draw: Draw): Spec {
  const networks = Array.from({ length: 1 + draw.int(2) }, (_, i) => randomNetwork(`net${i}`, draw));
  const names = networks.map(({ name }) => name);
  return {
    networks,
    rules: Array.from({ length: draw.int(5) }, (_, i) => randomRule(`rule${i}`, or(draw.pick(names), 'net0'), draw)),
    machines: Array.from({ length: 1 + draw.int(2) }, (_, i) => randomMachine(`m${i}`, networks, draw)),
  };
}

/** With more machines than may be launched at once. */
export const widened = (spec: Spec, draw: Draw): Spec => ({
  ...spec,
  machines: [
    ...spec.machines,
    ...Array.from({ length: 8 + draw.int(5) }, (_, i) => ({
      ...randomMachine(`w${i}`, spec.networks, draw),
      replicas: 1,
    })),
  ],
});

function randomNetwork(name: string, draw: Draw): NetworkSpec {
  return {
    name,
    internet: draw.chance(0.5),
    egress: draw.chance(0.7) ? 'allow' : 'deny',
    subnets: ['app', 'data'].slice(0, 1 + draw.int(2)),
    label: or(draw.pick(labels), 'a'),
  };
}

function randomRule(name: string, network: string, draw: Draw): RuleSpec {
  const some = <T>(from: readonly T[]): readonly T[] => from.filter(() => draw.chance(0.4));
  const peers = [...some(blocks), ...some(groups)];
  return {
    name,
    network,
    group: or(draw.pick(groups), 'web'),
    others: draw.chance(0.3) ? some(groups) : [],
    ports: draw.chance(0.2) ? [] : [or(draw.pick(ports), '22'), ...some(ports)],
    udp: draw.chance(0.3),
    peers: peers.length > 0 ? peers : ['10.0.0.0/8'],
  };
}

function randomMachine(name: string, networks: readonly NetworkSpec[], draw: Draw): MachineSpec {
  const network = draw.pick(networks);
  return {
    name,
    network: network?.name ?? 'net0',
    subnet: or(draw.pick(network?.subnets ?? []), 'app'),
    groups: groups.filter(() => draw.chance(0.4)),
    replicas: 1 + draw.int(3),
    looks: randomLooks(draw),
  };
}

const randomLooks = (draw: Draw): Looks => ({
  image: draw.chance(0.6) ? 'img-1' : 'img-2',
  size: draw.chance(0.6) ? 'small' : 'large',
  label: or(draw.pick(labels), 'a'),
  power: draw.chance(0.9) ? 'running' : 'stopped',
});

/** The next revision: one to three changes, any of which may make it a spec that is refused. */
export function changedSpec(spec: Spec, draw: Draw): Spec {
  let next = spec;
  for (let i = 0; i <= draw.int(3); i++) next = or(draw.pick(changes), (same) => same)(next, draw);
  return next;
}

const changes: readonly ((spec: Spec, draw: Draw) => Spec)[] = [
  (spec, draw) => ({
    ...spec,
    rules: [...spec.rules, randomRule(`rule${5 + draw.int(90)}`, networkOf(spec, draw), draw)],
  }),
  (spec, draw) => ({ ...spec, rules: without(spec.rules, draw) }),
  (spec, draw) => ({ ...spec, rules: altered(spec.rules, draw, (r) => randomRule(r.name, r.network, draw)) }),
  (spec, draw) => ({ ...spec, rules: altered(spec.rules, draw, (r) => randomRule(r.name, r.network, draw)) }),
  (spec, draw) => ({ ...spec, machines: altered(spec.machines, draw, (m) => ({ ...m, replicas: draw.int(5) })) }),
  (spec, draw) => ({ ...spec, machines: altered(spec.machines, draw, (m) => ({ ...m, looks: randomLooks(draw) })) }),
  (spec, draw) => ({
    ...spec,
    machines: altered(spec.machines, draw, (m) => ({ ...m, groups: groups.filter(() => draw.chance(0.4)) })),
  }),
  (spec, draw) => ({
    ...spec,
    machines: [...spec.machines, randomMachine(`m${3 + draw.int(90)}`, spec.networks, draw)],
  }),
  (spec, draw) => ({ ...spec, machines: without(spec.machines, draw) }),
  (spec, draw) => ({
    ...spec,
    rules: altered(spec.rules, draw, (r) => ({ ...r, group: or(draw.pick(groups), 'web') })),
  }),
  (spec, draw) => renamedGroup(spec, draw),
  (spec, draw) => ({
    ...spec,
    networks: altered(spec.networks, draw, (n) => ({ ...randomNetwork(n.name, draw), subnets: n.subnets })),
  }),
  (spec, draw) => ({ ...spec, networks: [...spec.networks, randomNetwork(`net${2 + draw.int(4)}`, draw)] }),
  (spec, draw) => withoutNetwork(spec, networkOf(spec, draw)),
];

/** All that a group holds, its rules and sometimes its machines, goes to another. */
function renamedGroup(spec: Spec, draw: Draw): Spec {
  const [from, to] = [or(draw.pick(groups), 'web'), or(draw.pick(groups), 'lb')];
  const withMachines = draw.chance(0.5);
  const moved = (group: string): string => (group === from ? to : group);
  return {
    ...spec,
    rules: spec.rules.map((rule) => ({
      ...rule,
      group: moved(rule.group),
      others: rule.others.map(moved),
      peers: [...new Set(rule.peers.map(moved))],
    })),
    machines: withMachines
      ? spec.machines.map((machine) => ({ ...machine, groups: [...new Set(machine.groups.map(moved))] }))
      : spec.machines,
  };
}

const networkOf = ({ networks }: Spec, draw: Draw): string => draw.pick(networks)?.name ?? 'net0';

function without<T>(from: readonly T[], draw: Draw): readonly T[] {
  const at = draw.int(from.length);
  return from.filter((_, i) => i !== at);
}

function altered<T>(from: readonly T[], draw: Draw, change: (one: T) => T): readonly T[] {
  const at = draw.int(from.length);
  return from.map((one, i) => (i === at ? change(one) : one));
}

const withoutNetwork = ({ networks, rules, machines }: Spec, name: string): Spec => ({
  networks: networks.filter((one) => one.name !== name),
  rules: rules.filter(({ network }) => network !== name),
  machines: machines.filter(({ network }) => network !== name),
});

/** The documents, as a person would write them. */
export function textOf({ networks, rules, machines }: Spec): string {
  const documents = [
    {
      kind: 'Estate',
      metadata: { name: 'acme' },
      spec: { mode: 'enforce', limits: { deletes: 999, replaces: 999, creates: 999, closures: 999, share: '100%' } },
    },
    {
      kind: 'Target',
      metadata: { name: 'here' },
      spec: { provider: 'memory', account: 'acme', region: 'north' },
    },
    ...networks.map(networkDocument),
    ...rules.map(ruleDocument),
    ...machines.map(machineDocument),
  ];
  return documents.map((document) => JSON.stringify({ apiVersion: 'setpoint.dev/v1', ...document })).join('\n---\n');
}

const blockOf = (name: string): string => `10.${10 + Number(name.slice(3))}`;

const networkDocument = ({ name, internet, egress, subnets, label }: NetworkSpec) => ({
  kind: 'Network',
  metadata: { name, labels: { tier: label } },
  spec: {
    targets: ['here'],
    cidr: `${blockOf(name)}.0.0/16`,
    internet,
    default: { egress },
    subnets: subnets.map((subnet, i) => ({ name: subnet, cidr: `${blockOf(name)}.${i}.0/24` })),
    deletionPolicy: 'delete',
  },
});

const ruleDocument = ({ name, network, group, others, ports: open, udp, peers }: RuleSpec) => {
  const tcp = { protocol: 'tcp', ...(open.length > 0 ? { ports: [...new Set(open)] } : {}) };
  return {
    kind: 'FirewallRule',
    metadata: { name },
    spec: {
      network,
      ...(others.length === 0 ? { group } : { appliesTo: { groups: [...new Set([group, ...others])] } }),
      ...(udp ? { protocols: [tcp, { ...tcp, protocol: 'udp' }] } : tcp),
      peers: { cidrs: peers.filter((peer) => peer.includes('/')), groups: peers.filter((peer) => !peer.includes('/')) },
    },
  };
};

const machineDocument = ({ name, network, subnet, groups: member, replicas, looks }: MachineSpec) => ({
  kind: 'Instance',
  metadata: { name, labels: { tier: looks.label } },
  spec: {
    targets: ['here'],
    network,
    subnet,
    groups: member,
    replicas,
    image: looks.image,
    size: looks.size,
    disk: { size: 20, type: 'ssd', encrypted: false },
    power: looks.power,
    access: { user: 'ops', password: { env: 'SETPOINT_SECRET_OPS' } },
    deletionPolicy: 'delete',
  },
});
