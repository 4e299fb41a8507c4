import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { type Action, actions, batches, requestFor } from '../../../providers/gcp/rate-limits.ts';

const scope = 'gcp/acme';
const folder = new URL('../../../providers/gcp/', import.meta.url);
const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && file !== 'rate-limits.ts')
  .map((file) => readFileSync(new URL(file, folder), 'utf8'));

const costs = (action: Action, region?: string): readonly string[] =>
  requestFor(scope, action, region).costs.map(
    ({ rateLimit: { key, budget }, amount }) =>
      `${amount} of ${budget.shape === 'window' && budget.calls} a ${budget.shape === 'window' && budget.windowMs} ms: ${key}`,
  );

describe('what Compute Engine allows', () => {
  test('1500 reads a minute', () =>
    assert.deepEqual(costs('networks.list'), ['1 of 1500 a 60000 ms: gcp/acme/global_reads']));
  test('1500 writes a minute', () =>
    assert.deepEqual(costs('firewalls.insert'), ['1 of 1500 a 60000 ms: gcp/acme/global_writes']));
  test('listings over every place count as reads, and 750 of them', () =>
    assert.deepEqual(costs('instances.aggregatedList'), [
      '1 of 1500 a 60000 ms: gcp/acme/global_reads',
      '1 of 750 a 60000 ms: gcp/acme/global_heavy_reads',
    ]));
  test('what is regional or zonal counts in its region', () =>
    assert.deepEqual(costs('instances.insert', 'europe-west1'), [
      '1 of 1500 a 60000 ms: gcp/acme/europe-west1/regional_writes',
    ]));
  test('so do waits', () =>
    assert.deepEqual(costs('zoneOperations.wait', 'europe-west1'), [
      '1 of 1500 a 60000 ms: gcp/acme/europe-west1/regional_reads',
      '1 of 750 a 60000 ms: gcp/acme/europe-west1/regional_heavy_reads',
    ]));

  test('each rate limit names its source', () => {
    // why: the keys are the actions
    for (const action of Object.keys(actions) as readonly Action[])
      for (const { rateLimit } of requestFor(scope, action).costs) assert.match(rateLimit.budget.source, /^https:\/\//);
  });
  test('reads are told from writes', () => {
    assert.equal(requestFor(scope, 'networks.get').mutating, false);
    assert.equal(requestFor(scope, 'globalOperations.wait').mutating, false);
    assert.equal(requestFor(scope, 'instances.stop').mutating, true);
  });
  test('every row is called somewhere', () => {
    const text = sources.join('\n');
    const power = ['instances.start', 'instances.stop', 'instances.resume'];
    const uncalled = Object.keys(actions).filter((action) => !text.includes(`'${action}'`) && !power.includes(action));
    assert.deepEqual(uncalled, []);
  });
  test('nothing goes twenty at a time but what one call of the cloud takes one of', () =>
    assert.deepEqual([...new Set(Object.values(batches))], [20]));
});
