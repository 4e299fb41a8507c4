import type { Action } from '../src/core/action.ts';
import type { Desired } from '../src/core/desired.ts';
import type { Observed } from '../src/core/observed.ts';
import { type Member, nobodyAround, type Surroundings } from '../src/core/order/neighbours.ts';
import { order } from '../src/core/order/order.ts';
import type { RuleAttributes } from '../src/core/resource.ts';
import type { Figure } from './figure.ts';
import { costsOf, exponentOf } from './growth.ts';

const network = 'aws/1/here/network/core';
const groupAt = (name: string): string => `aws/1/here/group/core.${name}`;
const terms = { mode: 'enforce', protect: false, deletionPolicy: 'delete' } as const;
type Match = Partial<RuleAttributes['match']>;

/** A rule in a group; with a priority, one that its network holds, for that group. */
const rule = (group: string, match: Match, priority?: number): RuleAttributes => ({
  network,
  ...(priority === undefined ? { group: groupAt(group) } : { order: { priority } }),
  match: {
    direction: 'ingress',
    action: 'allow',
    protocol: 'tcp',
    ports: '443',
    peers: ['0.0.0.0/0'],
    ...(priority === undefined ? {} : { targets: [groupAt(group)] }),
    ...match,
  },
  description: '',
});

const about = (name: string) =>
  ({
    kind: 'firewall-rule',
    address: `aws/1/here/firewall-rule/${name}`,
    documents: [],
    cause: 'rollout',
  }) as const;
const desiredAs = (name: string, attributes: RuleAttributes): Desired => ({ ...about(name), name, attributes, terms });
const observedAs = (name: string, attributes: RuleAttributes): Observed => ({
  kind: 'firewall-rule',
  id: `id of ${name}`,
  name,
  attributes,
  signs: {},
  condition: { state: 'ready' },
});
const create = (name: string, attributes: RuleAttributes): Action => ({
  ...about(name),
  verb: 'create',
  desired: desiredAs(name, attributes),
  because: 'absent',
});
const remove = (name: string, attributes: RuleAttributes): Action => ({
  ...about(name),
  verb: 'delete',
  observed: observedAs(name, attributes),
  because: 'changed',
});
const change = (name: string, from: RuleAttributes, to: RuleAttributes): Action => ({
  ...about(name),
  verb: 'update',
  effect: 'in-place',
  desired: desiredAs(name, to),
  observed: observedAs(name, from),
  changes: [{ field: 'match.ports' }],
});

const regroup = (name: string, from: readonly string[], to: readonly string[]): Action => {
  const attributes = (groups: readonly string[]) => ({
    placement: { subnet: 'aws/1/here/subnet/core.app', publicIp: false },
    groups: groups.map(groupAt),
    machine: { image: 'a', size: 's', power: 'running' as const },
    labels: {},
  });
  const address = `aws/1/here/instance/${name}`;
  const base = { ...about(name), kind: 'instance', address } as const;
  return {
    ...base,
    verb: 'update',
    effect: 'in-place',
    desired: { ...base, name, attributes: attributes(to), terms },
    observed: {
      kind: 'instance',
      id: name,
      name,
      attributes: attributes(from),
      signs: {},
      condition: { state: 'ready' },
    },
    changes: [{ field: 'groups' }],
  };
};

const member = (before: readonly string[], after = before): Member => ({
  before: before.map(groupAt),
  after: after.map(groupAt),
  blocks: ['10.0.0.0/16'],
});
const around = (members: readonly Member[], more: Partial<Surroundings> = {}): Surroundings => ({
  ...nobodyAround,
  members,
  blocks: ['10.0.0.0/16'],
  ...more,
});
const times = <T>(count: number, make: (i: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, i) => make(i));
/** So many different blocks, of which every 16 lie in one. */
const block = (i: number): string =>
  i % 16 === 0 ? `10.${(i >> 8) % 256}.${i % 256}.0/20` : `10.${(i >> 8) % 256}.${i % 256}.0/24`;

type Shape = (changes: number) => readonly [readonly Action[], Surroundings];

/** The changes of a plan and their surroundings, by the number of changes. */
export const shapes: Readonly<Record<string, Shape>> = {
  'changes in place': (n) => [
    times(n, (i) =>
      change(
        `r${i}`,
        rule('a', { ports: i % 2 ? '443' : '8080' }, 1000),
        rule('a', { ports: i % 2 ? '443,8080' : '443' }, 1000),
      ),
    ),
    around([]),
  ],
  'moves between groups': (n) => [
    times(n / 2, (i) => [
      create(`new${i}`, rule('app', { peers: [block(i)] })),
      remove(`old${i}`, rule('web', { peers: [block(i)] })),
    ]).flat(),
    around([member(['all', 'web', 'app'])]),
  ],
  'one big group, all of it overlapping': (n) => [
    times(n / 2, (i) => [
      create(`new${i}`, rule('web', { peers: [block(i)], ports: 'all' })),
      remove(`old${i}`, rule('web', { ports: `${1000 + i}` })),
    ]).flat(),
    around([member(['all', 'web'])]),
  ],
  'many groups of shared machines': (n) => [
    times(n / 2, (i) => [
      create(`new${i}`, rule(`g${i + 1}`, {})),
      remove(`old${i}`, rule(i % 2 ? `g${i}` : 'all', { ports: `${1 + i}-65535` })),
    ]).flat(),
    around(times(n / 2, (i) => member(['all', `g${i}`, `g${i + 1}`]))),
  ],
  'denials between permissions': (n) => [
    times(n, (i) =>
      i % 4 < 2
        ? create(`new${i}`, rule('a', { action: i % 2 ? 'deny' : 'allow', ports: '1-1000' }, 100 + i))
        : remove(`old${i}`, rule('a', { action: i % 2 ? 'deny' : 'allow', ports: '500' }, 100 + i)),
    ),
    around([]),
  ],
  'both ends of the same traffic': (n) => [
    times(n / 2, (i) => [
      create(`out${i}`, rule('web', { direction: 'egress', peers: ['10.0.0.0/8'], ports: `${1000 + i}-65535` })),
      remove(`in${i}`, rule('db', { peers: [`group:${groupAt('web')}`], ports: `${1000 + i}` })),
    ]).flat(),
    around([member(['all', 'web']), member(['all', 'db'])]),
  ],
  'machines that each join what others leave': (n) => [
    times(n, (i) => regroup(`m${i}`, ['all', `g${i}`], ['all', `g${i + 1}`])),
    around(
      times(n, (i) => member(['all', `g${i}`], ['all', `g${i + 1}`])),
      {
        standing: times(n, (i) => rule(`g${i}`, { peers: [`group:${groupAt(`g${i + 1}`)}`] })),
        wanted: times(n, (i) => rule(`g${i}`, { peers: [`group:${groupAt(`g${i + 1}`)}`] })),
      },
    ),
  ],
  'machines that change groups with their rules': (n) => [
    times(n / 4, (i) => [
      regroup(`m${i}`, ['all', 'web'], ['all', 'app']),
      create(`new${i}`, rule('app', { peers: [block(i)] })),
      remove(`old${i}`, rule('web', { peers: [block(i)] })),
      remove(`rogue${i}`, rule('web', { ports: `${1024 + i}` })),
    ]).flat(),
    around([member(['all', 'web'], ['all', 'app'])], {
      standing: times(n / 4, (i) => rule('web', { peers: [block(i)] })),
      wanted: times(n / 4, (i) => rule('app', { peers: [block(i)] })),
    }),
  ],
};

const sizes = [1000, 2000, 4000, 8000, 16_000];

/**
 * The growth of the cost of ordering a plan with its changes. The figures are those of the shape that grows fastest, and of the
 * largest plan.
 */
export async function growthOrder(measured = sizes, rounds = 3): Promise<readonly Figure[]> {
  const exponents: number[] = [];
  const edges: number[] = [];
  for (const [name, shape] of Object.entries(shapes)) {
    const given = new Map(measured.map((size) => [size, shape(size)]));
    const costs = await costsOf(measured, rounds, (size) => order(...(given.get(size) ?? [[], nobodyAround])));
    exponents.push(exponentOf(costs));
    edges.push(...measured.map((size) => waits(...(given.get(size) ?? [[], nobodyAround])) / size));
    const all = costs.map(({ size, cost: ms }) => `${size}: ${ms.toFixed(0)} ms`).join(', ');
    console.error(
      `growth-order: ${name}: exponent ${exponents.at(-1)?.toFixed(2)}; ${all}; ${edges.at(-1)?.toFixed(1)} waits a change`,
    );
  }
  return [
    { name: 'growth-order', value: Math.round(Math.max(...exponents) * 100) / 100, unit: 'exponent' },
    { name: 'growth-order-waits', value: Math.round(Math.max(...edges) * 10) / 10, unit: 'waits a change' },
  ];
}

export function waits(actions: readonly Action[], beside: Surroundings): number {
  const { steps, gates } = order(actions, beside);
  return [...steps, ...gates].reduce((sum, { needs, follows }) => sum + needs.length + follows.length, 0);
}
