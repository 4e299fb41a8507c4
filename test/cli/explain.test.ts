import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { explanationText } from '../../src/cli/commands/explain.ts';
import type { Action, Finding } from '../../src/core/action.ts';
import type { Desired } from '../../src/core/desired.ts';
import type { Ownership } from '../../src/core/inventory/ownership.ts';
import type { Observed } from '../../src/core/observed.ts';
import { plain } from '../../src/core/render/wording.ts';
import type { NetworkSettings, SubnetSettings } from '../../src/core/resource.ts';
import { attributes, desired, observed, update } from '../support/actions.ts';

const scope = 'memory/acme/here';
const network = (settings?: NetworkSettings) => ({ ...attributes.network(), ...(settings && { settings }) });
const subnet = (settings?: SubnetSettings) => ({ ...attributes.subnet(), ...(settings && { settings }) });
const ours = (one: Observed, { address }: Desired): Ownership => ({
  scope,
  observed: one,
  claim: 'ours',
  address,
  why: 'wanted',
});

interface Case {
  readonly wanted: readonly Desired[];
  readonly there?: readonly Ownership[];
  readonly actions?: readonly Action[];
  readonly findings?: readonly Finding[];
}

/** The verdict, and the lines below each heading. */
function explained({ wanted, there = [], actions = [], findings = [] }: Case) {
  const address = wanted[0]?.address ?? '';
  const text = explanationText(
    { address, wanted, there, actions, findings, origins: [], mode: undefined, remediation: [] },
    { dir: 'specs', paint: plain, ago: () => 'now' },
  );
  const [verdict, ...sections] = text.trimEnd().split('\n\n');
  const linesOf = (title: string): readonly string[] => {
    const section = sections.find((one) => one.startsWith(`${title}\n`)) ?? '';
    return section
      .split('\n')
      .slice(1)
      .map((line) => line.slice(2));
  };
  return {
    verdict: verdict?.replace(`${address}: `, ''),
    Desired: linesOf('Desired'),
    Observed: linesOf('Observed'),
    Planned: linesOf('Planned'),
  };
}

const route = { destination: '10.9.0.0/16', nextHop: 'igw-1' };
const peering = { name: 'to-far', network: 'far' };

describe('the fields of both sides', () => {
  test('maps in lists are spelled as in the document, one a line', () => {
    const core = desired('network', 'core', network({ routes: [route], peerings: [peering] }));
    const seen = observed('network', 'vpc-1', network({ routes: [route, { ...route, nextHop: 'igw-2' }] }));
    const { Desired: wanted, Observed: there } = explained({ wanted: [core], there: [ours(seen, core)] });
    assert.deepEqual(wanted.slice(3), [
      'settings.peerings  { name: to-far, network: far }',
      'settings.routes    { destination: 10.9.0.0/16, nextHop: igw-1 }',
    ]);
    assert.deepEqual(there.slice(2), [
      '  settings.routes  { destination: 10.9.0.0/16, nextHop: igw-1 }',
      '                   { destination: 10.9.0.0/16, nextHop: igw-2 }',
    ]);
  });

  const rows: readonly {
    readonly name: string;
    readonly wanted: Desired;
    readonly seen: Observed;
    readonly want: RegExp;
  }[] = [
    {
      name: 'false, and stated as true',
      wanted: desired('subnet', 'core.app', subnet({ privateGoogleAccess: true })),
      seen: observed('subnet', 's-1', subnet({ privateGoogleAccess: false })),
      want: /^ {2}settings\.privateGoogleAccess {2}false$/m,
    },
    {
      name: 'empty, and stated',
      wanted: desired('network', 'core', network({ peerings: [peering] })),
      seen: observed('network', 'vpc-1', network({ peerings: [] })),
      want: /^ {2}settings\.peerings {2}\[\]$/m,
    },
    {
      name: 'empty, and stated as empty',
      wanted: desired('network', 'core', network({ peerings: [] })),
      seen: observed('network', 'vpc-1', network({ peerings: [] })),
      want: /^ {2}settings\.peerings {2}\[\]$/m,
    },
    {
      name: 'false, and stated as true, besides settings',
      wanted: desired('network', 'core', { ...network(), internet: true }),
      seen: observed('network', 'vpc-1', network()),
      want: /^ {2}internet {2}false$/m,
    },
  ];
  for (const { name, wanted, seen, want } of rows)
    test(`an observed value is shown: ${name}`, () =>
      assert.match(explained({ wanted: [wanted], there: [ours(seen, wanted)] }).Observed.join('\n'), want));

  test('an observed value is not shown: false, and not stated', () => {
    const wanted = desired('subnet', 'core.app', subnet());
    const there = [ours(observed('subnet', 's-1', subnet({ privateGoogleAccess: false })), wanted)];
    assert.doesNotMatch(explained({ wanted: [wanted], there }).Observed.join('\n'), /privateGoogleAccess/);
  });
});

test('a network and its subnets have their addresses as headings', () => {
  const wanted = [desired('network', 'core', network()), desired('subnet', 'core.app', subnet(), 'core')];
  const [core, app] = [observed('network', 'vpc-1', network()), observed('subnet', 's-1', subnet())];
  const there = [core, app].flatMap((one, i) => (wanted[i] === undefined ? [] : [ours(one, wanted[i])]));
  const actions = wanted.map((one, i) =>
    update(one, i === 0 ? core : app, [{ field: 'labels.tier', from: 'old', to: 'new' }]),
  );
  const { Desired: fields, Observed: objects, Planned: planned } = explained({ wanted, there, actions });
  assert.deepEqual(fields.slice(3), [
    'memory/acme/here/network/core',
    '  cidr  10.0.0.0/16',
    'memory/acme/here/subnet/core.app',
    '  network  core',
    '  cidr     10.0.1.0/24',
  ]);
  assert.deepEqual(objects, [
    'memory/acme/here/network/core  vpc-1 (vpc-1): ours',
    '  cidr  10.0.0.0/16',
    'memory/acme/here/subnet/core.app  s-1 (s-1): ours',
    '  network  core',
    '  cidr     10.0.1.0/24',
  ]);
  assert.deepEqual(planned, [
    'memory/acme/here/network/core  update (rollout)',
    '  ~ labels.tier  old → new',
    'memory/acme/here/subnet/core.app  update (rollout)',
    '  ~ labels.tier  old → new',
  ]);
});

const core = desired('network', 'core', network());
const found = (type: 'blocked' | 'withheld'): Finding => {
  const about = { address: core.address, kind: core.kind, why: 'it is so', scope } as const;
  return type === 'blocked'
    ? { ...about, type, code: 'immutable' }
    : { ...about, type, code: 'mode', action: 'update' };
};
for (const [types, want] of [
  [['blocked'], 'blocked'],
  [['withheld'], 'withheld'],
  [['withheld', 'blocked'], 'blocked'],
] as const)
  test(`the verdict of findings that are ${types.join(' and ')} is ${want}`, () =>
    assert.equal(explained({ wanted: [core], findings: types.map(found) }).verdict, want));

test('an update that stops the machine says so', () => {
  const web = desired('instance', 'web-0', attributes.instance());
  const seen = observed('instance', 'i-1', attributes.instance());
  const action = update(web, seen, [{ field: 'machine.size', from: 'small', to: 'large' }], 'stops');
  assert.deepEqual(explained({ wanted: [web], there: [ours(seen, web)], actions: [action] }).Planned, [
    'update (rollout): stops the machine',
    '  ~ machine.size  small → large',
  ]);
});

test('a difference of long lists has a line for each entry', () => {
  const seen = observed('network', 'vpc-1', network());
  const routes = { field: 'settings.routes', from: [route], to: [{ ...route, nextHop: 'igw-2' }] };
  const { Planned: planned } = explained({
    wanted: [core],
    there: [ours(seen, core)],
    actions: [update(core, seen, [routes])],
  });
  assert.deepEqual(planned, [
    'update (rollout)',
    '  ~ settings.routes',
    '      - { destination: 10.9.0.0/16, nextHop: igw-1 }',
    '      + { destination: 10.9.0.0/16, nextHop: igw-2 }',
  ]);
});
