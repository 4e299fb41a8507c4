import type { Action, Finding, ScopePlan } from '../../../src/core/action.ts';
import type { Dialect } from '../../../src/core/compile/dialect.ts';
import type { Desired, Terms } from '../../../src/core/desired.ts';
import type { Knowledge, PendingIntent, Settled } from '../../../src/core/knowledge.ts';
import type { AddressedMark, Observation, Observed } from '../../../src/core/observed.ts';
import type { PlanInput } from '../../../src/core/plan/plan-input.ts';
import type { Attributes, Kind, RuleAttributes } from '../../../src/core/resource.ts';

export const scope = 'aws/1/eu-1';
export const at = (kind: Kind, name: string): string => `${scope}/${kind}/${name}`;

/** A dialect just large enough for the planner: atoms are known by their content. */
export const dialect: Dialect = {
  cloud: 'aws',
  scope: () => scope,
  names: { prefix: () => scope, objectName: (_kind, name) => name.replaceAll('.', '-') },
  holds: {
    groups: 'objects',
    network: [],
    subnet: [],
    fixedMarks: [],
    replace: 'recreate',
    oneByName: ['subnet', 'group', 'firewall-rule'],
  },
  rules: {
    atoms: () => [],
    defaults: () => [],
    contentName: ({ group = '', match }, refName) =>
      [refName(group), match.direction, match.protocol, match.ports, ...match.peers].join(' '),
  },
};

const terms: Terms = { mode: 'plan', protect: false, deletionPolicy: 'retain' };

export function want<K extends Kind>(
  kind: K,
  name: string,
  attributes: Attributes[K],
  more: Partial<Terms> = {},
): Desired<K> {
  const address = at(kind, name);
  const documents = [
    { address: kind === 'instance' ? address.replace(/-\d+$/, '') : address, file: 'specs/a.yaml', line: 1 },
  ];
  return { kind, address, name: name.replaceAll('.', '-'), attributes, terms: { ...terms, ...more }, documents };
}

export const mark = (address: string, more: Partial<AddressedMark> = {}): AddressedMark => ({
  estate: 'acme',
  store: 's1',
  address,
  deletionPolicy: 'retain',
  ...more,
});

export function see<K extends Kind>(
  kind: K,
  id: string,
  attributes: Attributes[K],
  more: Partial<Observed<K>> = {},
): Observed<K> {
  return { kind, id, name: '', attributes, signs: {}, condition: { state: 'ready' }, ...more };
}

/** Ours: marked and, by `know`, settled. */
export const ours = <K extends Kind>(kind: K, name: string, id: string, attributes: Attributes[K]): Observed<K> =>
  see(kind, id, attributes, { name: name.replaceAll('.', '-'), signs: { mark: mark(at(kind, name)) } });

export const looked = (resources: readonly Observed[], more: Partial<Observation> = {}): Observation => ({
  scope,
  at: 0,
  resources,
  gaps: [],
  pending: [],
  calls: 0,
  ...more,
});

/** A creation of the network `core` that was sent and never answered. */
export const lost = (intent: string): PendingIntent => ({
  intent,
  attempt: 1,
  address: at('network', 'core'),
  verb: 'create',
  at: 0,
  draft: { kind: 'network', details: {} },
});

/** A store that settled every marked object it is shown. */
export function know(resources: readonly Observed[], more: Partial<Knowledge> = {}): Knowledge {
  const settled = new Map<string, Settled>();
  for (const { id, kind, signs } of resources) {
    const { estate, store, address } = signs.mark ?? {};
    if (estate === 'acme' && store === 's1' && address !== undefined) settled.set(id, settle(kind, address));
  }
  return { estate: 'acme', store: 's1', settled, pending: [], applied: new Map(), unstuck: new Map(), ...more };
}

/** Creations of this network that were closed because nothing ever showed. */
export const expiredIntentsOf = (...intents: readonly string[]): ReadonlyMap<string, PendingIntent> =>
  new Map(
    intents.map((intent) => [
      intent,
      {
        intent,
        attempt: 1,
        address: at('network', 'core'),
        verb: 'create',
        at: 0,
        draft: { kind: 'network', details: {} },
      },
    ]),
  );

/** The same, and each object stands as it was applied last, at `generation`. */
export const appliedAs = (resources: readonly Observed[], applied: readonly Desired[], generation = 1): Knowledge =>
  know(resources, {
    applied: new Map(applied.map(({ address, attributes }) => [address, { attributes, generation }])),
  });

export const settle = (kind: Kind, address: string, more: Partial<Settled['terms']> = {}): Settled => ({
  address,
  kind,
  lastWriteAt: 0,
  terms: { deletionPolicy: 'retain', protect: false, storeOnly: false, ...more },
});

export const input = (
  desired: readonly Desired[],
  observation: Observation,
  more: Partial<PlanInput> = {},
): PlanInput => ({
  wanted: {
    desired,
    documents: new Map(
      desired.flatMap(({ documents, terms: { mode, protect } }) =>
        documents.map(({ address }) => [address, { mode, protect, targets: ['prod'] }] as const),
      ),
    ),
    additive: new Set(),
    mode: 'plan',
    targets: ['prod'],
  },
  observation,
  knowledge: know(observation.resources),
  dialect,
  ...more,
});

export const vpc = (cidr = '10.0.0.0/16', labels: Record<string, string> = {}) => ({ cidr, internet: false, labels });

/** A network and its subnet `core.app`, as documents want them and as they stand. */
export const net = want('network', 'core', vpc());
export const subnet = want('subnet', 'core.app', { network: net.address, cidr: '10.0.1.0/24', labels: {} });
export const wantedGround = [net, subnet];
export const standing = ours('network', 'core', 'vpc-1', vpc());
export const standingSubnet = ours('subnet', 'core.app', 'subnet-1', {
  network: 'vpc-1',
  cidr: '10.0.1.0/24',
  labels: {},
});
export const ground = [standing, standingSubnet];

export const allow = (group: string, ports: string, peers: readonly string[], description = ''): RuleAttributes => ({
  network: at('network', 'core'),
  group,
  match: { direction: 'ingress', action: 'allow', protocol: 'tcp', ports, peers },
  description,
});

const short = (address: string): string => address.slice(scope.length + 1);

function line(entry: Action | Finding): string {
  if ('verb' in entry)
    return `${entry.verb} ${short(entry.address)}${'because' in entry && entry.because !== 'absent' ? ` (${entry.because})` : ''}`;
  const code = 'code' in entry ? `: ${entry.code}` : '';
  if ('address' in entry) return `${entry.type} ${short(entry.address)}${code}`;
  return `${entry.type} ${'id' in entry ? entry.id : ''}${entry.type === 'incomplete' ? entry.kind : ''}${code}`;
}

/** One line for each action and finding, in their order. */
export const summary = ({ actions, findings }: ScopePlan): string[] => [...actions, ...findings].map(line);
