import assert from 'node:assert/strict';
import type { Action, Finding, ScopePlan } from '../../../src/core/action.ts';
import type { Desired } from '../../../src/core/desired.ts';
import type { Applied, Knowledge, Settled } from '../../../src/core/knowledge.ts';
import type { Observed } from '../../../src/core/observed.ts';
import { plan } from '../../../src/core/plan/plan.ts';
import type { Allowed, Choices, PlanInput, Wanted } from '../../../src/core/plan/plan-input.ts';
import type { Address } from '../../../src/core/resource.ts';
import type { Rollout } from '../../../src/core/rollout.ts';
import { at, ground, input, know, looked, mark, ours, settle, want, wantedGround } from './fixture.ts';

/** Twenty machines: one, then two, then the rest. */
const inThree: Rollout = [1, { share: 0.1 }, 'rest'];

type Image = 'old' | 'new';
const machine = (image: Image, subnet: string, tier = 'web') => ({
  placement: { subnet, publicIp: false },
  machine: { image, size: 's', power: 'running' } as const,
  labels: { tier },
});

/** An existing machine: its image and its state. Its applied specs match it, unless somebody changed it. */
interface Standing {
  readonly ordinal: number;
  readonly has: Image;
  readonly state?: Observed['condition']['state'];
  readonly applied?: Image;
  /** Somebody changed its label. */
  readonly relabelled?: true;
}

export const standing = (from: number, to: number, has: Image, more: Partial<Standing> = {}): readonly Standing[] =>
  Array.from({ length: to - from + 1 }, (_, i) => ({ ordinal: from + i, has, ...more }));

interface Web {
  /** The number of desired machines of the new image. */
  readonly replicas: number;
  readonly there: readonly Standing[];
  readonly rollout?: Rollout;
  readonly choices?: Choices;
  /** Those that were there and are gone. */
  readonly lost?: readonly Standing[];
}

export const web = at('instance', 'web');

/** The machines of one document, and the network they are in. */
export function machines({ replicas, there, rollout = inThree, choices, lost = [] }: Web): PlanInput {
  const subnet = at('subnet', 'core.app');
  const desired = Array.from({ length: replicas }, (_, i) => want('instance', `web-${i}`, machine('new', subnet)));
  const seen = there.map(({ ordinal, has, state = 'ready', relabelled }) => ({
    ...ours('instance', `web-${ordinal}`, `i-${ordinal}`, machine(has, 'subnet-1', relabelled && 'by hand')),
    condition: { state },
  }));
  const applied = [...there, ...lost].map(({ ordinal, has, applied: then = has }): [string, Applied] => [
    at('instance', `web-${ordinal}`),
    { attributes: machine(then, subnet), generation: 1 },
  ]);
  const observation = looked([...ground, ...seen]);
  const known = know(observation.resources, { applied: new Map(applied) });
  const base = input([...wantedGround, ...desired], observation, { knowledge: known, ...(choices ? { choices } : {}) });
  const said: Allowed = { mode: 'plan', protect: false, targets: ['prod'], rollout };
  return { ...base, wanted: { ...base.wanted, documents: new Map([...base.wanted.documents, [web, said]]) } };
}

/** `replace web-0` for each action; `wave web-3 … web-19: …` for withheld ones, by their reason. */
export function told({
  actions,
  findings,
}: {
  readonly actions: readonly Action[];
  readonly findings: readonly Finding[];
}): readonly string[] {
  const held = Map.groupBy(
    findings.filter((finding) => finding.type === 'withheld'),
    ({ code, why }) => `${code}: ${why}`,
  );
  return [
    ...actions.map(({ verb, address }) => `${verb} ${lastOf(address)}`),
    ...[...held].map(([why, all]) => `${all.length} ${why}`).toSorted(),
  ];
}

export const lastOf = (address: string): string => address.split('/').slice(4).join('/');

export const planned = (given: Web): readonly string[] => told(plan(machines(given)));

/** A scope that executes every plan at once and completely. An object's id is its address. */
interface Scope {
  readonly there: ReadonlyMap<Address, Observed>;
  readonly applied: ReadonlyMap<Address, Applied>;
}

export const emptyScope: Scope = { there: new Map(), applied: new Map() };

/** A scope in which all of this stands, as applied. */
export const holding = (desired: readonly Desired[]): Scope => ({
  there: new Map(desired.map((one) => [one.address, seen(one)])),
  applied: new Map(desired.map((one) => [one.address, appliedAs(one)])),
});

const appliedAs = ({ attributes, documents }: Desired): Applied => ({
  attributes,
  generation: 1,
  documents: documents.map(({ address }) => address),
});

function seen({ kind, address, name, attributes }: Desired): Observed {
  const container = 'group' in attributes ? attributes.group : undefined;
  const signs = container === undefined ? { mark: mark(address) } : { container };
  return { kind, id: address, name, attributes, signs, condition: { state: 'ready' } };
}

export function planOf(wanted: Wanted, { there, applied }: Scope): ScopePlan {
  const observation = looked([...there.values()]);
  const settled = new Map<string, Settled>(
    [...there.values()].map(({ id, kind }) => [
      id,
      settle(kind, id, { deletionPolicy: kind === 'firewall-rule' ? 'delete' : 'retain' }),
    ]),
  );
  const knowledge: Knowledge = { estate: 'acme', store: 's1', settled, pending: [], applied, unstuck: new Map() };
  const given: PlanInput = { ...input([], observation, { knowledge }), wanted };
  return plan(given);
}

function carryOut(actions: readonly Action[], scope: Scope): Scope {
  const there = new Map(scope.there);
  const applied = new Map(scope.applied);
  for (const action of actions) {
    if (action.verb === 'delete') {
      there.delete(action.address);
      applied.delete(action.address);
    } else if (action.verb !== 'forget') {
      there.set(action.address, seen(action.desired));
      applied.set(action.address, appliedAs(action.desired));
    }
  }
  return { there, applied };
}

interface Reconcile {
  readonly before: Scope;
  readonly plan: ScopePlan;
}

/** Repeats reconciles until one has nothing to do; the last one has the remaining work. */
export function rollOn(wanted: Wanted, from: Scope, most = 200): readonly Reconcile[] {
  const reconciles: Reconcile[] = [];
  for (let before = from; reconciles.length < most; ) {
    const made = planOf(wanted, before);
    reconciles.push({ before, plan: made });
    if (made.actions.length === 0) return reconciles;
    before = carryOut(made.actions, before);
  }
  return assert.fail(`not done after ${most} passes`);
}
