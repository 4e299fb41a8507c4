import fc from 'fast-check';
import type { Desired } from '../../../src/core/desired.ts';
import type { Knowledge } from '../../../src/core/knowledge.ts';
import type { Gap, Observed } from '../../../src/core/observed.ts';
import type { Choices, PlanInput } from '../../../src/core/plan/plan-input.ts';
import { allow, at, input, know, looked, mark, ours, see, vpc, want } from '../plan/fixture.ts';

/** Two networks, each with a subnet, a group, two rules and two machines. */
const wishes: readonly Desired[] = ['a', 'b'].flatMap((name) => {
  const network = at('network', name);
  const labels = { tier: 'web' };
  return [
    want('network', name, vpc('10.0.0.0/16', labels)),
    want('subnet', `${name}.app`, { network, cidr: '10.0.1.0/24', labels }),
    want('group', `${name}.web`, { network, labels }, { deletionPolicy: 'delete' }),
    ...['22', '443'].map((ports) => {
      const rule = { ...allow(at('group', `${name}.web`), ports, ['0.0.0.0/0']), network };
      return want('firewall-rule', `${name}.web ingress tcp ${ports} 0.0.0.0/0`, rule);
    }),
    ...['0', '1'].map((ordinal) =>
      want('instance', `${name}-${ordinal}`, {
        placement: { subnet: at('subnet', `${name}.app`), publicIp: false },
        machine: { image: 'x', size: 's', power: 'running' },
        labels,
      }),
    ),
  ];
});

/** What stands for a wish: as it is asked for, changed, twice, of others, going, or not at all. */
type Fate = 'absent' | 'same' | 'changed' | 'twice' | 'stranger' | 'other' | 'gone' | 'pending' | 'copied';
const fates: readonly Fate[] = ['absent', 'same', 'changed', 'twice', 'stranger', 'other', 'gone', 'pending', 'copied'];

function standing(wish: Desired, fate: Fate, n: number): readonly Observed[] {
  const id = `id-${n}`;
  const container = 'group' in wish.attributes ? { container: `id-${n - 1}` } : {};
  const name = wish.address.slice(wish.address.lastIndexOf('/') + 1);
  const one: Observed = {
    ...ours(wish.kind, name, id, wish.attributes),
    signs: { mark: mark(wish.address), ...container },
  };
  switch (fate) {
    case 'absent':
      return [];
    case 'same':
    case 'copied':
      return [one];
    case 'changed':
      return [{ ...one, attributes: { ...one.attributes, labels: {} } }];
    case 'twice':
      return [one, { ...one, id: `${id}-b` }];
    case 'stranger':
      return [see(wish.kind, id, wish.attributes)];
    case 'other':
      return [{ ...one, signs: { mark: mark(wish.address, { estate: 'beta' }) } }];
    case 'gone':
    case 'pending':
      return [{ ...one, condition: { state: fate } }];
  }
}

const gaps: readonly Gap[] = (['network', 'group', 'instance'] as const).map((kind) => ({
  kind,
  code: 'Throttled',
  reason: 'page 2 failed',
}));

const choices: fc.Arbitrary<Choices> = fc.record({
  unattended: fc.boolean(),
  policies: fc.constantFrom(
    [],
    [() => ({ code: 'limit', why: 'too many' }) as const],
    [() => ({ code: 'paused', why: 'paused' }) as const],
  ),
});

/** Scopes in every state, with what a store would know of them. */
export const anyInput: fc.Arbitrary<PlanInput> = fc
  .record({
    wanted: fc.subarray([...wishes]),
    fates: fc.array(fc.constantFrom(...fates), { minLength: wishes.length, maxLength: wishes.length }),
    gaps: fc.subarray([...gaps]),
    isApplied: fc.boolean(),
    choices,
  })
  .map(({ wanted, fates: drawn, gaps: missing, isApplied, choices: chosen }) => {
    const resources = wishes.flatMap((wish, n) => standing(wish, drawn[n] ?? 'same', n));
    const settled = resources.filter((_, n) => drawn[n] !== 'copied');
    const applied: Knowledge['applied'] = new Map(
      isApplied ? wishes.map(({ address, attributes }) => [address, { attributes, generation: 3 }]) : [],
    );
    return input(wanted, looked(resources, { gaps: missing }), {
      knowledge: know(settled, { applied }),
      choices: chosen,
    });
  });
