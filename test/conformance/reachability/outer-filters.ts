import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadProvider } from '../../../providers/index.ts';
import type { Recorder } from '../../../scripts/demo/recorder.ts';
import type { ReachAnswer } from '../../../src/core/effect/reach.ts';
import { endIn } from '../../../src/core/effect/reach-ends.ts';
import { oneService } from '../../../src/core/effect/service-set.ts';
import { observedState } from '../../../src/core/effect/state.ts';
import { reachIn } from '../../core/effect/estate.ts';
import { input } from '../../core/plan/fixture.ts';
import type { Applied } from '../../support/engine-world/engine-world.ts';
import { type Asked, words } from './cloud-words.ts';
import { type SandboxWorld, sandboxWorld } from './sandbox-world.ts';

/** A filter of a colleague, and what it changes: packets such as `internet > web tcp 443`. Puts it there, and answers its name. */
export interface OuterFilter {
  readonly name: string;
  put(world: SandboxWorld, applied: Applied): Promise<string>;
  readonly denies: readonly string[];
  readonly allows: readonly string[];
}

/** A filter besides the rules: where the packet check disagrees with the rules because of it, `reach` says unknown, and names it. */
export function outerFilters(cloud: Asked, filters: readonly OuterFilter[], record?: Recorder): void {
  for (const filter of filters) test(`${cloud}: ${filter.name}`, () => holds(cloud, filter, record));
}

async function holds(cloud: Asked, { put, denies, allows }: OuterFilter, record?: Recorder): Promise<void> {
  await using world = await sandboxWorld(cloud, record);
  const before = await observed(world, cloud);
  for (const { way, allowed, said } of before.answers)
    assert.equal(said, allowed ? 'yes' : 'no', `${way}: the packet check says ${allowed}`);
  const name = await put(world, before.applied);
  // why: an observation serves for ten minutes
  world.sandbox.control.clock.advance(660_000);
  const after = await observed(world, cloud);
  assert.deepEqual(after.applied.left, before.applied.left, 'it is nobody’s drift');
  const was = new Map(before.answers.map(({ way, allowed }) => [way, allowed]));
  const turned = after.answers.filter(({ way, allowed }) => was.get(way) !== allowed);
  assert.deepEqual(
    [turned.filter(({ allowed }) => !allowed), turned.filter(({ allowed }) => allowed)].map((some) =>
      some.map(({ way }) => way).toSorted(),
    ),
    [denies.toSorted(), allows.toSorted()],
  );
  for (const { way, allowed, said, reasons } of after.answers) {
    assert.ok(said === 'unknown' || (said === 'yes') === allowed, `${way}: reach says ${said}, which is wrong`);
    if (was.get(way) !== allowed) assert.ok(reasons.includes(name), `${way}: ${reasons} does not name ${name}`);
  }
}

interface Answer {
  readonly way: string;
  readonly allowed: boolean;
  readonly said: ReachAnswer;
  readonly reasons: string;
}

const machines = ['web', 'db', 'far'];
const pairs = [
  ...machines.flatMap((from) => machines.filter((to) => to !== from).map((to) => [from, to] as const)),
  ...machines.map((to) => ['internet', to] as const),
];

async function observed(world: SandboxWorld, cloud: Asked) {
  const applied = await world.apply(documentsOf(cloud));
  assert.equal(applied.outcome, 'done', JSON.stringify([applied.rounds.at(-1)?.failed, applied.left]));
  const { last } = applied;
  assert.ok(last);
  const { dialect } = await loadProvider(cloud);
  const state = observedState(input([], last.observation, { dialect, knowledge: last.knowledge }));
  const endOf = (name: string) => endIn(state, name === 'internet' ? '203.0.113.10' : `${name}-0`);
  const answers: Answer[] = [];
  for (const [from, to] of pairs)
    for (const port of [22, 443, 5432]) {
      const [sender, receiver] = [endOf(from), endOf(to)];
      assert.ok(sender && receiver, `${from} and ${to} stand`);
      const services = oneService('tcp', [{ from: port, to: port }]);
      const { answer: said, ways } = reachIn(state, { from: sender, to: receiver, services });
      const { allowed } = await world.reaches({ from, to, protocol: 'tcp', port });
      const reasons = ways.flatMap(({ steps }) => steps.map(({ reason }) => reason)).join('; ');
      answers.push({ way: `${from} > ${to} tcp ${port}`, allowed, said, reasons });
    }
  return { applied, answers };
}

/** HTTPS from everywhere to `web`, and PostgreSQL from `web` and `far` to `db`. The rest of the network is closed. */
function documentsOf(cloud: Asked): readonly object[] {
  const machine = (name: string, more: object): object => ({
    kind: 'Instance',
    metadata: { name },
    spec: { targets: ['here'], network: 'core', subnet: 'near', ...words[cloud].machine, ...more },
  });
  const rule = (name: string, spec: object): object => ({
    kind: 'FirewallRule',
    metadata: { name },
    spec: { network: 'core', protocol: 'tcp', ...spec },
  });
  return [
    {
      kind: 'Network',
      metadata: { name: 'core' },
      spec: {
        ...{ targets: ['here'], cidr: '10.20.0.0/16', internet: true, default: { ingress: 'deny', egress: 'allow' } },
        subnets: [
          { name: 'near', cidr: '10.20.1.0/24' },
          { name: 'far', cidr: '10.20.2.0/24' },
        ],
      },
    },
    rule('https', { group: 'web', ports: [443], peers: { cidrs: ['0.0.0.0/0'] } }),
    rule('sql', { group: 'db', ports: [5432], peers: { groups: ['web'] } }),
    machine('web', { groups: ['web'], publicIp: true }),
    machine('db', { groups: ['db'] }),
    machine('far', { groups: ['web'], subnet: 'far' }),
  ];
}
