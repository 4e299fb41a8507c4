import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bind } from '../../../src/core/compile/bind.ts';
import type { Compiled } from '../../../src/core/compile/compile.ts';
import { governing } from '../../../src/core/compile/governing.ts';
import type { Terms } from '../../../src/core/desired.ts';
import type { Guards } from '../../../src/core/guards.ts';
import { at, scope, vpc, want } from '../plan/fixture.ts';

const guards = (more: Partial<Guards> = {}): Guards => ({
  limits: { deletes: 5, replaces: 5 },
  modes: {},
  policies: {},
  protected: [],
  ...more,
});

function bound(
  terms: Partial<Terms>,
  inForce: Guards | undefined,
): { readonly terms: Terms | undefined; readonly limits: Guards['limits'] } {
  const wanted = {
    desired: [want('network', 'core', vpc(), terms)],
    documents: new Map(),
    additive: new Set<string>(),
    mode: 'plan' as const,
  };
  const compiled: Compiled = { scopes: [{ scope, targets: [], wanted, launches: new Map() }], guards: guards() };
  const result = bind(compiled, inForce);
  return { terms: result.scopes[0]?.wanted.desired[0]?.terms, limits: result.guards.limits };
}

const core = at('network', 'core');

const cases: ReadonlyArray<{ name: string; terms: Partial<Terms>; inForce: Guards | undefined; want: Partial<Terms> }> =
  [
    {
      name: 'the first generation binds nothing',
      terms: { mode: 'enforce' },
      inForce: undefined,
      want: { mode: 'enforce' },
    },
    {
      name: 'a mode is loosened one generation later',
      terms: { mode: 'enforce' },
      inForce: guards({ modes: { [core]: 'plan' } }),
      want: { mode: 'plan' },
    },
    {
      name: 'a mode is tightened at once',
      terms: { mode: 'observe' },
      inForce: guards({ modes: { [core]: 'enforce' } }),
      want: { mode: 'observe' },
    },
    {
      name: 'protect is lifted one generation later',
      terms: { protect: false },
      inForce: guards({ protected: [core] }),
      want: { protect: true },
    },
    { name: 'protect holds at once', terms: { protect: true }, inForce: guards(), want: { protect: true } },
    {
      name: 'a policy is loosened one generation later',
      terms: { deletionPolicy: 'delete' },
      inForce: guards({ policies: { [core]: 'retain' } }),
      want: { deletionPolicy: 'retain' },
    },
    {
      name: 'what was deletable is retained at once',
      terms: { deletionPolicy: 'retain' },
      inForce: guards({ policies: { [core]: 'delete' } }),
      want: { deletionPolicy: 'retain' },
    },
    {
      name: 'what both let go goes',
      terms: { deletionPolicy: 'delete' },
      inForce: guards({ policies: { [core]: 'delete' } }),
      want: { deletionPolicy: 'delete' },
    },
  ];

for (const { name, terms, inForce, want: expected } of cases) {
  test(name, () => assert.partialDeepStrictEqual(bound(terms, inForce).terms, expected));
}

test('limits are loosened one generation later, and tightened at once', () => {
  const inForce = guards({ limits: { deletes: 1, replaces: 9 } });
  assert.deepEqual(bound({}, inForce).limits, { deletes: 1, replaces: 5 });
});

test("a network's protection and policy do not bind the atoms that say its default", () => {
  const atom = {
    ...want(
      'firewall-rule',
      'x',
      {
        network: core,
        match: { direction: 'egress', action: 'allow', protocol: 'all', ports: 'all', peers: [] },
        description: '',
      },
      { deletionPolicy: 'delete' },
    ),
    documents: [{ address: core, file: '', line: 1 }],
  };
  assert.deepEqual(governing(atom), []);
  assert.deepEqual(governing(want('subnet', 'core.app', { network: core, cidr: '10.0.0.0/24', labels: {} })), [
    at('subnet', 'core.app'),
  ]);
});
