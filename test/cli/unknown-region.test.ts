import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { commandLine } from './support/in-process.ts';
import { sandboxed } from './support/sandboxed.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const allow = '--allow-endpoint';
const subscription = '11112222-3333-4444-8555-666677778888';
const head = 'apiVersion: setpoint.dev/v1\n';
const estate = `${head}kind: Estate
metadata: { name: acme }
spec: { mode: plan }
`;

const targets = {
  gcp: (region: string, name = 'prod') => `---
${head}kind: Target
metadata: { name: ${name} }
spec:
  provider: gcp
  account: acme-prod
  region: ${region}
  zone: ${region}-b`,
  azure: (region: string, name = 'prod') => `---
${head}kind: Target
metadata: { name: ${name} }
spec:
  provider: azure
  account: ${subscription}
  region: ${region}
  resourceGroup: acme`,
};

const network = (names: string, of: string): string => `---
${head}kind: Network
metadata: { name: core }
spec:
  targets: [${names}]
  cidr: 10.20.0.0/16
  subnets: [${of}]
`;

async function world(cloud: keyof typeof targets, ...regions: readonly string[]) {
  const { sandbox } = await sandboxed();
  const names = regions.map((_, i) => (i === 0 ? 'prod' : `prod-${i}`));
  const subnets = names.map((name, i) => `{ name: app-${i}, cidr: 10.20.${i}.0/24, target: ${name} }`);
  const text = regions.map((region, i) => `${targets[cloud](region, names[i])}\n  endpoint: ${sandbox.url}\n`).join('');
  const specs = temporaryFolder({
    'estate.yaml': estate,
    'targets.yaml': text,
    'network.yaml': network(names.join(', '), subnets.join(', ')),
  });
  return { sandbox, specs, run: commandLine(), at: `${join(specs, 'targets.yaml')}:8:11` };
}

const unknown = [
  { cloud: 'gcp', region: 'europe-west99', says: 'Google Cloud has no region', list: 'gcloud compute regions list' },
  { cloud: 'azure', region: 'westeurop', says: 'Azure has no location', list: 'az account list-locations' },
] as const;

for (const { cloud, region, says, list } of unknown)
  describe(`a region that there is not, on ${cloud}`, () => {
    const told = (at: string): string => `at ${at}: ${says} "${region}"`;

    test('plan names file, line, column and region, says how to list the right ones, and ends with 1', async () => {
      const { sandbox, specs, run, at } = await world(cloud, region);
      const { code, stdout } = await run(['plan', specs, allow]);
      assert.equal(code, 1);
      assert.ok(stdout.includes(told(at)), stdout);
      assert.ok(stdout.includes(list), stdout);
      assert.equal(stdout.split(told(at)).length, 2, 'once, not for each kind');
      const listings = sandbox.control.log.entries().filter(({ action }) => /list/i.test(action));
      assert.deepEqual(listings, [], 'nothing is listed there');
    });

    test('apply changes nothing', async () => {
      const { sandbox, specs, run, at } = await world(cloud, region);
      const { code, stdout, stderr } = await run(['apply', specs, allow, '--yes']);
      assert.equal(code, 1);
      assert.ok(`${stdout}${stderr}`.includes(told(at)), `${stdout}${stderr}`);
      assert.deepEqual(sandbox.control.log.entries({ mutating: true }), []);
    });

    test('doctor says so too', async () => {
      const { specs, run, at } = await world(cloud, region);
      const { code, stdout } = await run(['doctor', specs, allow]);
      assert.equal(code, 1);
      assert.ok(stdout.includes(`BAD   Target prod: ${told(at)}`), stdout);
    });
  });

test('one of two regions of a Google Cloud project: the other, and the network of both, are planned', async () => {
  const { specs, run, at } = await world('gcp', 'europe-west99', 'europe-west1');
  const { code, stdout } = await run(['plan', specs, allow]);
  assert.equal(code, 0, stdout);
  assert.match(stdout, /^Plan: 2 to add, .* 1 blocked/);
  assert.match(stdout, /\+ network core .*[\s\S]*\+ subnet core\.app-1 /);
  assert.ok(stdout.includes(`subnet core.app-0 blocked  at ${at}: Google Cloud has no region "europe-west99"`), stdout);
});

test('a region that there is takes no request more in the next look of the process', async () => {
  const { sandbox, specs, run } = await world('gcp', 'europe-west1');
  const reads = (): readonly string[] => sandbox.control.log.entries().map(({ action }) => action);
  assert.equal((await run(['plan', specs, allow])).code, 0);
  assert.equal(reads().filter((action) => action === 'compute.regions.get').length, 1);
  sandbox.control.log.clear();
  assert.equal((await run(['plan', specs, allow])).code, 0);
  assert.equal(reads().filter((action) => action === 'compute.regions.get').length, 0);
});
