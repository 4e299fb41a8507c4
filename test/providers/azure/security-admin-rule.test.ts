import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { requestFor } from '../../../providers/azure/rate-limits.ts';
import { isDeciding } from '../../../providers/azure/security-admin-rule.ts';
import type { Effect } from '../../../sandbox/faults.ts';
import type { SubnetFilters } from '../../../src/core/observed.ts';
import type { Session } from '../../../src/ports/provider.ts';
import {
  type AzureStage,
  account,
  location,
  openAzureStage,
  resourceGroup,
  scope,
} from '../../support/azure-session.ts';
import { everyPage } from '../../support/every-page.ts';
import { recordedCall } from '../../support/fixtures.ts';
import { inGroup } from './estate.ts';

const action = 'listNetworkManagerEffectiveSecurityAdminRules';

let stage: AzureStage;
let session: Session;
const vnet = (name: string, block: string, ...subnets: readonly string[]) => ({
  ...{ type: 'Microsoft.Network/virtualNetworks', group: resourceGroup, name },
  properties: {
    addressSpace: { addressPrefixes: [`${block}.0.0/16`] },
    subnets: subnets.map((one, at) => ({ name: one, properties: { addressPrefix: `${block}.${at}.0/24` } })),
  },
});
beforeEach(async () => {
  stage = await openAzureStage();
  const resources = [vnet('core', '10.20', 'app', 'db'), vnet('other', '10.30', 'far')];
  const groups = [{ name: resourceGroup, location }];
  stage.sandbox.control.arm.load({ subscriptions: [{ id: account, groups, resources }] });
  session = await stage.open();
});
afterEach(() => stage.close());

const put = (...names: readonly (readonly [name: string, access: string])[]): void => {
  const network = inGroup('virtualNetworks/core');
  const adminRules = names.map(([name, access]) => ({ network, name, access, direction: 'Inbound', ports: ['22'] }));
  stage.sandbox.control.arm.load({ subscriptions: [{ id: account, adminRules }] });
};
const calls = (): number => stage.sandbox.control.log.counts()[action] ?? 0;
const fail = (effect: Effect, times?: number): void => {
  stage.sandbox.control.faults.add({ match: { action, ...(times === undefined ? {} : { times }) }, effect });
};

async function ask(): Promise<Readonly<Record<string, Omit<SubnetFilters, 'subnet'>>>> {
  const subnets = await everyPage(session.actuators.subnet, recordedCall());
  const found = (await session.outerFilters?.(subnets, recordedCall())) ?? [];
  return Object.fromEntries(
    found.map(({ subnet, ...its }) => [subnets.find(({ id }) => id === subnet)?.name ?? '', its]),
  );
}
const filters = async () => Object.fromEntries(Object.entries(await ask()).map(([name, one]) => [name, one.filters]));
const none = { app: [], db: [], far: [] };
const ofCore = (text: string) => ({ app: [text], db: [text], far: [] });

describe('the security admin rules of subnets', () => {
  test('where there is none, by one listing for each network, which changes nothing', async () => {
    assert.deepEqual(await filters(), none);
    assert.equal(calls(), 2);
    assert.deepEqual(stage.sandbox.control.log.entries({ mutating: true }), []);
  });

  test('one that denies, or always allows, is named for all subnets of its network', async () => {
    put(['no-ssh', 'Deny']);
    assert.deepEqual(await filters(), ofCore('security admin rule no-ssh'));
    put(['monitoring', 'AlwaysAllow'], ['no-ssh', 'Deny']);
    assert.deepEqual(await filters(), ofCore('security admin rules no-ssh, monitoring'));
  });

  test('those that leave the decision to the security groups decide nothing', async () => {
    put(['https', 'Allow']);
    assert.deepEqual(await filters(), none);
  });

  test('of every page, and the first three by name', async () => {
    put(
      ...Array.from({ length: 25 }, (_, at) => [`allow-${at}`, 'Allow'] as const),
      ...Array.from({ length: 5 }, (_, at) => [`deny-${at}`, 'Deny'] as const),
    );
    assert.deepEqual(await filters(), ofCore('security admin rules deny-0, deny-1, deny-2 and 2 more'));
    assert.equal(calls(), 3, 'two pages and one');
  });

  test('of an answer that is long, without losing one', async () => {
    const network = inGroup('virtualNetworks/core');
    const sources = Array.from({ length: 150 }, (_, at) => `10.1.${at}.0/24`);
    const adminRules = Array.from({ length: 18 }, (_, at) => ({
      ...{ network, name: `rule-${at}`, access: at === 17 ? 'Deny' : 'Allow', direction: 'Inbound', sources },
    }));
    stage.sandbox.control.arm.load({ subscriptions: [{ id: account, adminRules }] });
    assert.deepEqual(await filters(), ofCore('security admin rule rule-17'));
    assert.equal(calls(), 2);
  });

  test('a denied listing leaves the filters unknown, and a throttled one is asked again', async () => {
    fail({ kind: 'throttle' }, 1);
    assert.deepEqual(await filters(), none);
    assert.equal(calls(), 3);
    fail({ kind: 'access-denied' });
    const denied = await ask();
    assert.deepEqual(Object.keys(denied), ['app', 'db', 'far']);
    for (const { unlisted } of Object.values(denied))
      assert.match(
        unlisted.join(),
        /^security admin rules were not listed: AuthorizationFailed: .*EffectiveSecurityAdmin/,
      );
    assert.equal(calls(), 5, 'a denial is not asked again');
  });
});

test('only Allow leaves the decision to the security groups', () => {
  const custom = { kind: 'Custom' } as const;
  assert.equal(isDeciding({ ...custom, access: 'Allow' }), false);
  for (const access of ['Deny', 'AlwaysAllow', 'Something']) assert.equal(isDeciding({ ...custom, access }), true);
  assert.equal(isDeciding({ kind: 'Another' }), true, 'a kind that nobody knows');
  assert.equal(isDeciding({ kind: 'Default', access: 'Deny' }), true);
});

test('a POST that lists is no write, and takes of the smaller budget', () => {
  const url = `https://management.azure.com${inGroup('virtualNetworks/core')}/${action}?api-version=2026-01-01`;
  const { mutating, costs, action: name } = requestFor(scope, 'POST', url);
  assert.deepEqual(
    [mutating, name, costs.map(({ rateLimit }) => rateLimit.key)],
    [false, 'ListNetworkManagerEffectiveSecurityAdminRules', [`${scope}/arm-writes`, `${scope}/network-writes`]],
  );
  const start = url
    .replace(/virtualNetworks.*\?/, 'x?')
    .replace('Microsoft.Network/x', 'Microsoft.Compute/virtualMachines/web/start');
  assert.equal(requestFor(scope, 'POST', start).mutating, true);
});
