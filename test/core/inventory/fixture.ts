import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import type { Desired } from '../../../src/core/desired.ts';
import type { Attempt } from '../../../src/core/inventory/plan-outcome.ts';
import type { Row } from '../../../src/core/inventory/row.ts';
import type { Knowledge } from '../../../src/core/knowledge.ts';
import type { Gap, Observed } from '../../../src/core/observed.ts';
import type { Allowed, Choices, PlanInput } from '../../../src/core/plan/plan-input.ts';
import { assertGolden } from '../../support/golden.ts';
import { allow, at, input, know, looked, mark, net, ours, scope, see, vpc, want } from '../plan/fixture.ts';
import { rowed } from '../plan/run-cases.ts';

export const machine = { image: 'ami-1', size: 't3.small', power: 'running' } as const;
export const web = want('instance', 'web-0', {
  placement: { subnet: at('subnet', 'core.app'), publicIp: false },
  machine,
  labels: {},
});
export const standingWeb = ours('instance', 'web-0', 'i-1', {
  placement: { subnet: 'subnet-1', publicIp: false },
  machine,
  labels: {},
});
export const group = want('group', 'core.web', { network: at('network', 'core'), labels: {} });
export const standingGroup = ours('group', 'core.web', 'sg-1', { network: 'vpc-1', labels: {} });
export const gap = { kind: 'network', code: 'Throttled', reason: 'page 2 failed' } as const;

/** As if these had been applied. */
export const applied = (...desired: readonly Desired[]): Pick<Knowledge, 'applied'> => ({
  applied: new Map(desired.map(({ address, attributes }) => [address, { attributes, generation: 5 }])),
});
export const rogueRule = see('firewall-rule', 'sgr-9', allow('sg-1', '22', ['0.0.0.0/0']), {
  signs: { container: 'sg-1' },
});
export const labelled = want('network', 'core', vpc('10.0.0.0/16', { tier: 'web' }));
export const other = see('network', 'vpc-9', vpc(), { name: 'theirs' });
export const spoken = (more: Partial<Allowed>): PlanInput['wanted'] => ({
  ...input([net], looked([])).wanted,
  documents: new Map([[at('network', 'core'), { mode: 'plan', protect: false, targets: ['prod'], ...more }]]),
});
export const pause = {
  what: 'all',
  of: { by: 'estate' },
  until: 86_400_000,
  reason: 'freeze',
  person: 'ann@acme.example',
} as const;
export const refused: Attempt = {
  failed: [
    {
      verb: 'create',
      address: at('network', 'core'),
      failure: { kind: 'terminal', code: 'VpcLimitExceeded', message: 'The maximum number of VPCs has been reached.' },
    },
  ],
  held: [],
};

export interface Case {
  readonly name: string;
  readonly given: PlanInput;
  readonly attempt?: Attempt;
  /** `<key> <status> <claim> <code>`, of each row. */
  readonly want: readonly string[];
}

/** `golden`: the file in golden/inventory that holds the rows in full. */
export function runCases(cases: readonly Case[], golden: string): void {
  for (const { name, given, attempt, want } of cases)
    it(name, () => {
      const rows = rowed(given, attempt);
      assert.deepEqual(rows.map(short), want);
      assert.deepEqual(JSON.parse(JSON.stringify(rows)), rows, 'a row is plain data');
      assert.deepEqual(rowed(given, attempt), rows, 'the same input, the same rows');
      for (const { state } of rows) assert.match(state.reason, /^[A-Z].*[.!?"…]$/, 'a sentence');
    });
  const file = `inventory/${golden}.txt`;
  it(`each of these rows reads as in golden/${file}`, () => {
    const rows = (one: Case) => rowed(one.given, one.attempt).map((row) => JSON.stringify(row));
    assertGolden(cases.map((one) => `${[`# ${one.name}`, ...rows(one)].join('\n')}\n`).join('\n'), file);
  });
}

const short = ({ key, state, whose }: Row): string =>
  [key.replace(`${scope}/`, ''), state.status, whose.claim, ...(state.code === undefined ? [] : [state.code])].join(
    ' ',
  );

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

/** The observed state of a desired resource: as desired, changed, twice, of others, going, or absent. */
type Fate = 'absent' | 'same' | 'changed' | 'twice' | 'stranger' | 'other' | 'gone' | 'pending' | 'copied';
const fates: readonly Fate[] = ['absent', 'same', 'changed', 'twice', 'stranger', 'other', 'gone', 'pending', 'copied'];

function randomInputStanding(wish: Desired, fate: Fate, n: number): readonly Observed[] {
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

/** Scopes in every state, with a store's knowledge of them. */
export const anyInput: fc.Arbitrary<PlanInput> = fc
  .record({
    wanted: fc.subarray([...wishes]),
    fates: fc.array(fc.constantFrom(...fates), { minLength: wishes.length, maxLength: wishes.length }),
    gaps: fc.subarray([...gaps]),
    isApplied: fc.boolean(),
    choices,
  })
  .map(({ wanted, fates: drawn, gaps: missing, isApplied, choices: chosen }) => {
    const resources = wishes.flatMap((wish, n) => randomInputStanding(wish, drawn[n] ?? 'same', n));
    const settled = resources.filter((_, n) => drawn[n] !== 'copied');
    const applied: Knowledge['applied'] = new Map(
      isApplied ? wishes.map(({ address, attributes }) => [address, { attributes, generation: 3 }]) : [],
    );
    return input(wanted, looked(resources, { gaps: missing }), {
      knowledge: know(settled, { applied }),
      choices: chosen,
    });
  });
