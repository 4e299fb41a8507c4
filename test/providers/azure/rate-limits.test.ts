import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { actionsThat, requestFor } from '../../../providers/azure/rate-limits.ts';
import type { Budget } from '../../../src/ports/limiter.ts';

const scope = 'azure/s1/westeurope';
const base = 'https://management.azure.com/subscriptions/S1';
const inGroup = `${base}/resourceGroups/RG-a/providers`;
const sent = (method: string, url: string) => requestFor(scope, method, `${url}?api-version=2026-01-01`);
const rateLimits = (method: string, url: string): readonly string[] =>
  sent(method, url).costs.map(({ rateLimit }) => rateLimit.key.slice(scope.length + 1));

const rows: readonly (readonly [string, string, string, readonly string[]])[] = [
  ['GET', `${base}/providers/Microsoft.Network`, 'Providers_Get', ['arm-reads']],
  ['PUT', `${base}/resourcegroups/rg`, 'ResourceGroups_CreateOrUpdate', ['arm-writes']],
  ['GET', `${base}/resourceGroups/rg`, 'ResourceGroups_Get', ['arm-reads']],
  [
    'GET',
    `${base}/providers/Microsoft.Network/virtualNetworks`,
    'VirtualNetworks_ListAll',
    ['arm-reads', 'network-reads'],
  ],
  ['GET', `${base}/providers/Microsoft.Network/routeTables`, 'RouteTables_ListAll', ['arm-reads', 'network-reads']],
  [
    'PUT',
    `${inGroup}/Microsoft.Network/virtualNetworks/core`,
    'VirtualNetworks_CreateOrUpdate',
    ['arm-writes', 'network-writes'],
  ],
  [
    'PATCH',
    `${inGroup}/MICROSOFT.NETWORK/VIRTUALNETWORKS/core`,
    'VirtualNetworks_UpdateTags',
    ['arm-writes', 'network-writes'],
  ],
  [
    'DELETE',
    `${inGroup}/Microsoft.Network/virtualNetworks/core/subnets/app`,
    'Subnets_Delete',
    ['arm-deletes', 'network-writes'],
  ],
  [
    'PUT',
    `${inGroup}/Microsoft.Network/networkSecurityGroups/core-nsg/securityRules/r`,
    'SecurityRules_CreateOrUpdate',
    ['arm-writes', 'network-writes'],
  ],
  ['GET', `${base}/providers/Microsoft.Compute/virtualMachines`, 'VirtualMachines_ListAll', ['arm-reads', 'vm-list']],
  [
    'POST',
    `${inGroup}/Microsoft.Compute/virtualMachines/web-0/deallocate`,
    'VirtualMachines_Deallocate',
    ['arm-writes', 'vm-update'],
  ],
  [
    'GET',
    `${base}/providers/Microsoft.Network/locations/westeurope/operations/1a`,
    'NetworkOperations_Get',
    ['arm-reads', 'network-reads'],
  ],
  [
    'GET',
    `${base}/providers/Microsoft.Compute/locations/westeurope/operations/1a`,
    'ComputeOperations_Get',
    ['arm-reads', 'compute-poll'],
  ],
  ['GET', `${base}/providers/Microsoft.Else/where/it/polls`, 'Other_Get', ['arm-reads']],
];

describe('what a request is, by its method and URL', () => {
  for (const [method, url, action, want] of rows)
    test(`${action}: ${want.join(', ')}`, () => {
      assert.deepEqual([sent(method, url).action, rateLimits(method, url)], [action, want]);
      assert.equal(sent(method, url).mutating, method !== 'GET');
    });

  test('an endpoint with a path before it changes nothing', () =>
    assert.equal(
      requestFor(scope, 'GET', 'http://127.0.0.1:1/arm/subscriptions/S1/providers/Microsoft.Network/virtualNetworks')
        .action,
      'VirtualNetworks_ListAll',
    ));
  test('a write without a row is refused, not sent uncounted', () =>
    assert.throws(() => sent('PUT', `${inGroup}/Microsoft.Network/natGateways/n`), /no row for PUT microsoft.network/));
  test('reads and writes are told apart by name', () => {
    assert.ok(actionsThat(true).includes('Subnets_Delete') && actionsThat(false).includes('VirtualNetworks_ListAll'));
    assert.deepEqual(
      actionsThat(true).filter((action) => actionsThat(false).includes(action)),
      [],
    );
  });
});

/** https://learn.microsoft.com/azure/azure-resource-manager/management/request-limits-and-throttling and azure-compute-docs. */
describe('what Azure allows', () => {
  const published: Readonly<Record<string, string>> = {
    'arm-reads': 'bucket 250 25',
    'arm-writes': 'bucket 200 10',
    'arm-deletes': 'bucket 200 10',
    'network-reads': 'window 10000 300000',
    'network-writes': 'window 1000 300000',
    'vm-list': 'bucket 900 5',
  };
  const budgets = new Map<string, Budget>(
    [
      sent('GET', `${base}/providers/Microsoft.Network/virtualNetworks`),
      sent('PUT', `${inGroup}/Microsoft.Network/virtualNetworks/core`),
      sent('DELETE', `${inGroup}/Microsoft.Network/virtualNetworks/core`),
      sent('GET', `${base}/providers/Microsoft.Compute/virtualMachines`),
    ].flatMap(({ costs }) =>
      costs.map(({ rateLimit }) => [rateLimit.key.slice(scope.length + 1), rateLimit.budget] as const),
    ),
  );
  for (const [name, want] of Object.entries(published))
    test(`${name}: ${want}`, () => {
      const budget = budgets.get(name);
      assert.ok(budget);
      const figures = budget.shape === 'bucket' ? [budget.capacity, budget.perSecond] : [budget.calls, budget.windowMs];
      assert.equal([budget.shape, ...figures].join(' '), want);
      assert.match(budget.source, /^https:\/\/learn\.microsoft\.com\//);
    });
});
