import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { isDeciding } from '../../../providers/gcp/firewall-policy.ts';
import type { Effect } from '../../../sandbox/faults.ts';
import { maxAttempts } from '../../../src/core/failure.ts';
import type { SubnetFilters } from '../../../src/core/observed.ts';
import { compareText } from '../../../src/core/text.ts';
import type { Session } from '../../../src/ports/provider.ts';
import { everyPage } from '../../support/every-page.ts';
import { recordedCall } from '../../support/fixtures.ts';
import { byHand, type GcpStage, openGcpStage, project } from '../../support/gcp-session.ts';
import { actionsOf } from './estate.ts';

const listing = 'regionNetworkFirewallPolicies.getEffectiveFirewalls';

let stage: GcpStage;
let session: Session;
beforeEach(async () => {
  stage = await openGcpStage();
  const subnetworks = [
    { name: 'app', region: 'europe-west1', cidr: '10.1.0.0/24' },
    { name: 'db', region: 'europe-west1', cidr: '10.1.1.0/24' },
    { name: 'us', region: 'us-central1', cidr: '10.1.2.0/24' },
  ];
  const far = [{ name: 'far', region: 'europe-west1', cidr: '10.2.0.0/24' }];
  const networks = [
    { name: 'core', subnetworks },
    { name: 'other', subnetworks: far },
  ];
  stage.sandbox.control.compute.load({ projects: [{ project, networks }] });
  session = await stage.open();
});
afterEach(() => stage.close());

const rule = (more: object = {}) => ({
  ...{ priority: 100, action: 'deny', direction: 'INGRESS' },
  match: { layer4Configs: [{ ipProtocol: 'tcp', ports: ['22'] }], srcIpRanges: ['0.0.0.0/0'] },
  ...more,
});

async function policyAt(place: string, name: string, rules: readonly object[], network = 'core'): Promise<void> {
  await byHand(stage, 'POST', `${place}/firewallPolicies`, { name, rules });
  const attachmentTarget = `projects/${project}/global/networks/${network}`;
  await byHand(stage, 'POST', `${place}/firewallPolicies/${name}/addAssociation`, { name: 'here', attachmentTarget });
}

const calls = () => actionsOf(stage).filter((action) => action === listing).length;
async function ask(): Promise<Readonly<Record<string, Omit<SubnetFilters, 'subnet'>>>> {
  const subnets = await everyPage(session.actuators.subnet, recordedCall());
  const found = (await session.outerFilters?.(subnets, recordedCall())) ?? [];
  assert.deepEqual(
    found.map(({ subnet }) => subnet).sort(compareText),
    subnets.map(({ id }) => id).sort(compareText),
    'each subnet once',
  );
  return Object.fromEntries(
    found.map(({ subnet, filters, unlisted }) => [
      subnets.find(({ id }) => id === subnet)?.name ?? '',
      { filters, unlisted },
    ]),
  );
}
const filters = async () => Object.fromEntries(Object.entries(await ask()).map(([name, one]) => [name, one.filters]));
const none = { app: [], db: [], us: [], far: [] };
const fail = (effect: Effect, times?: number): void => {
  const match = { action: `compute.${listing}`, ...(times === undefined ? {} : { times }) };
  stage.sandbox.control.faults.add({ match, effect });
};

describe('the firewall policies of subnets', () => {
  test('where there is none, by one call for each network and region', async () => {
    assert.deepEqual(await filters(), none);
    assert.equal(calls(), 3);
  });

  test('one of the network holds everywhere in it, one of a region there', async () => {
    await policyAt('global', 'edge', [rule()]);
    await policyAt('regions/us-central1', 'states', [rule({ action: 'allow' })]);
    assert.deepEqual(await filters(), {
      ...none,
      ...{ app: ['firewall policy edge'], db: ['firewall policy edge'] },
      us: ['firewall policy edge', 'regional firewall policy states'],
    });
  });

  test('one of the organisation holds for all, by the name that people gave it', async () => {
    stage.sandbox.control.compute.load({
      projects: [{ project, policies: [{ parent: 'organizations/1', shortName: 'baseline', rules: [rule()] }] }],
    });
    const named = ['hierarchical firewall policy baseline'];
    assert.deepEqual(await filters(), { app: named, db: named, us: named, far: named });
  });

  for (const [name, rules] of [
    ['without a rule of its own', []],
    ['whose rules are disabled', [rule({ disabled: true })]],
    ['whose rules leave the decision to the next one', [rule({ action: 'goto_next' })]],
  ] as const)
    test(`a policy ${name} decides nothing`, async () => {
      await policyAt('global', 'idle', rules, 'other');
      assert.deepEqual(await filters(), none);
    });

  test('a denied call leaves its subnets unknown, and no other', async () => {
    fail({ kind: 'access-denied' }, 1);
    const found = await ask();
    assert.equal(calls(), 3, 'a denial is not asked again');
    const denied = Object.values(found).filter(({ unlisted }) => unlisted.length > 0);
    assert.deepEqual(
      Object.keys(found).filter((name) => found[name]?.unlisted.length),
      ['app', 'db'],
    );
    for (const { unlisted } of denied)
      assert.match(
        unlisted.join(),
        /^firewall policies were not listed: forbidden: Required .compute.regionNetworkFirewallPolicies.getEffectiveFirewalls. permission/,
      );
    for (const { filters } of Object.values(found)) assert.deepEqual(filters, []);
  });

  test('a throttled call alone is asked again', async () => {
    fail({ kind: 'throttle' }, 1);
    assert.deepEqual(await filters(), none);
    assert.equal(calls(), 4);
    fail({ kind: 'throttle' });
    assert.ok(Object.values(await ask()).every(({ unlisted }) => unlisted.length === 1));
    assert.equal(calls(), 4 + 3 * maxAttempts);
  });
});

test('rules for load balancers decide on no machine', () => {
  const own = { action: 'deny', priority: 1 };
  assert.equal(isDeciding({ rules: [{ ...own, targetType: 'INTERNAL_MANAGED_LB' }] }), false);
  assert.equal(isDeciding({ rules: [{ ...own, targetType: 'INSTANCES' }] }), true);
  assert.equal(isDeciding({ rules: null }), false);
});
