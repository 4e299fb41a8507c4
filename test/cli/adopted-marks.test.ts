import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { AuthorizeSecurityGroupIngressCommand, EC2Client } from '@aws-sdk/client-ec2';
import { taggables } from '../../sandbox/ec2/actions/tag.ts';
import { startSandbox } from '../../sandbox/index.ts';
import { memoryDatabase } from '../support/memory-store.ts';
import { commandLine, type Run, realClock } from './support/in-process.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const allow = '--allow-endpoint';
const [account, region] = ['111122223333', 'eu-west-1'];
const machineOf = (name: string): string => `aws/${account}/${region}/instance/${name}`;

const account5 = {
  regions: [
    {
      account,
      region,
      vpcs: [
        {
          key: 'core',
          cidr: '10.0.0.0/16',
          tags: { Name: 'core' },
          subnets: [{ key: 'app', cidr: '10.0.0.0/20', tags: { Name: 'app' } }],
          groups: [{ key: 'web', name: 'web', ingress: [{ protocol: 'tcp', ports: '443', peers: ['0.0.0.0/0'] }] }],
        },
      ],
      instances: ['web', 'db'].map((Name) => ({ subnet: 'app', groups: ['web'], tags: { Name, tier: Name } })),
    },
  ],
};

const estate = (url: string): string => `apiVersion: setpoint.dev/v1
kind: Estate
metadata: { name: acme }
spec: {}
---
apiVersion: setpoint.dev/v1
kind: Target
metadata: { name: aws-prod }
spec: { provider: aws, account: "${account}", region: ${region}, endpoint: "${url}" }
`;

/** An account that was imported, and adopted by an apply. */
async function adopted() {
  process.env['AWS_ACCESS_KEY_ID'] = 'test';
  process.env['AWS_SECRET_ACCESS_KEY'] = 'test';
  const sandbox = await startSandbox({ budgets: false, clock: { rate: 100 }, estate: account5 });
  after(() => sandbox.close());
  const specs = temporaryFolder({ 'estate.yaml': estate(sandbox.url) });
  const run = commandLine();
  await must(run, ['import', specs, allow, '--all']);
  await must(run, ['apply', specs, allow, '--yes']);
  sandbox.control.log.clear();
  const place = sandbox.control.ec2.region(account, region);
  const db = [...place.instances.values()].find(({ tags }) => tags.get('tier') === 'db')?.id ?? '';
  return {
    ...{ specs, run, db, place },
    url: sandbox.url,
    writes: () => sandbox.control.log.entries({ mutating: true }).map(({ action }) => action),
    /** Our tags on everything that bears any, each once. */
    marks: () =>
      new Set(
        taggables(place)
          .flatMap(({ table }) => [...table.values()])
          .map(({ tags }) => [...tags.keys()].filter((key) => key.startsWith('setpoint:')).join(' ')),
      ),
  };
}

async function must(run: Run, args: readonly string[]) {
  const said = await run(args);
  assert.equal(said.code, 0, said.stdout + said.stderr);
  return said;
}

const planOf = async (run: Run, specs: string) => JSON.parse((await run(['plan', specs, allow, '--json'])).stdout);

/** Takes the document of the machine `db` out of the specs. */
function withoutDb(specs: string): void {
  const path = fileIn(specs);
  const documents = readFileSync(path, 'utf8').split('\n---\n');
  writeFileSync(
    path,
    documents.filter((text) => !text.includes('kind: Instance') || !/name: db\b/.test(text)).join('\n---\n'),
  );
}

const fileIn = (specs: string): string => join(specs, 'imported', readdirSync(join(specs, 'imported'))[0] ?? '');

const anotherStore = () => commandLine({ database: memoryDatabase(realClock, 'ffffffff-0000-4000-8000-000000000000') });

test('an account that was imported bears one set of tags, and a plan of it is empty', async () => {
  const { specs, run, marks } = await adopted();
  assert.deepEqual([...marks()].toSorted(), ['', 'setpoint:estate setpoint:store']);
  assert.deepEqual((await planOf(run, specs)).actions, []);
});

test('without a store the documents tell which of the marked objects are theirs', async () => {
  const { specs, db } = await adopted();
  const { actions } = await planOf(commandLine(), specs);
  assert.deepEqual(actions, []);
  withoutDb(specs);
  const { stdout } = await commandLine()(['plan', specs, allow]);
  assert.match(stdout, /^Plan: 0 to add, 0 to change, 0 to replace, 0 to delete · /);
  assert.match(stdout, new RegExp(`instance ${db} \\(db\\) {2}it bears this estate's mark, and no document adopts it`));
});

test('an adopted machine without its document is an orphan, and is deleted only when chosen', async () => {
  const { specs, run, writes, db } = await adopted();
  withoutDb(specs);
  assert.match((await must(run, ['apply', specs, allow, '--yes'])).stdout, /0 deleted/);
  assert.deepEqual(writes(), []);
  const pruned = await must(run, ['prune', machineOf('db-0'), '--specs', specs, allow, '--yes']);
  assert.match(pruned.stdout, /1 deleted/, db);
  assert.deepEqual(writes(), ['TerminateInstances']);
});

test('an adopted machine that was forgotten is nobody’s until a document adopts it again', async () => {
  const { specs, run, writes, db } = await adopted();
  const whole = readFileSync(fileIn(specs), 'utf8');
  withoutDb(specs);
  await must(run, ['forget', 'db-0', '--specs', specs, allow, '--yes']);
  const forgotten = await run(['plan', specs, allow]);
  assert.match(
    forgotten.stdout,
    new RegExp(`instance ${db} \\(db\\) {2}carries this estate's mark, but this store has no`),
  );
  await must(run, ['apply', specs, allow, '--yes']);
  assert.deepEqual(writes(), []);
  writeFileSync(fileIn(specs), whole);
  assert.match((await must(run, ['apply', specs, allow, '--yes'])).stdout, /1 adopted/);
  assert.deepEqual([...new Set(writes())], ['CreateTags']);
  assert.deepEqual((await planOf(run, specs)).actions, []);
});

test('a lost store: what documents adopt is taken over, and marked anew by one call a kind', async () => {
  const { specs, writes } = await adopted();
  const heir = anotherStore();
  assert.equal((await heir(['apply', specs, allow, '--yes'])).code, 3);
  assert.deepEqual(writes(), []);
  const taken = await must(heir, ['takeover', specs, allow, '--reason', 'the disk died', '--yes']);
  assert.match(taken.stdout, /^Taken over: 6 objects/);
  assert.match((await must(heir, ['apply', specs, allow, '--yes'])).stdout, /^Applied: 0 added, 6 changed, 0 rep/);
  assert.deepEqual(writes(), ['CreateTags', 'CreateTags', 'CreateTags', 'CreateTags']);
  assert.deepEqual((await planOf(heir, specs)).actions, []);
});

test('a lost store: what no document adopts is not taken over, and takeover says what to do', async () => {
  const { specs, writes, db } = await adopted();
  withoutDb(specs);
  const heir = anotherStore();
  const taken = await heir(['takeover', specs, allow, '--reason', 'the disk died', '--yes', '--json']);
  const { accepted, unadopted } = JSON.parse(taken.stdout);
  assert.deepEqual([taken.code, accepted.length, unadopted], [3, 5, [db]]);
  assert.match(taken.stderr, new RegExp(`no document does: ${db}\\nName their ids under \`adopt\``));
  assert.equal((await heir(['apply', specs, allow, '--yes'])).code, 3);
  assert.deepEqual(writes(), []);
});

/** A colleague opens a port to the internal network, in the group of the machines. */
async function openPort({ place, url }: Pick<Awaited<ReturnType<typeof adopted>>, 'place' | 'url'>, port: number) {
  const client = new EC2Client({ endpoint: url, region, maxAttempts: 1 });
  const GroupId = [...place.groups.values()].find(({ name }) => name === 'web')?.id ?? '';
  const IpRanges = [{ CidrIp: '10.0.0.0/8' }];
  const IpPermissions = [{ IpProtocol: 'tcp', FromPort: port, ToPort: port, IpRanges }];
  await client.send(new AuthorizeSecurityGroupIngressCommand({ GroupId, IpPermissions }));
  client.destroy();
}

test('an adopted network becomes authoritative once import has written its other rules', async () => {
  const { specs, run, place, url, writes } = await adopted();
  await openPort({ place, url }, 22);
  const text = readFileSync(fileIn(specs), 'utf8');
  assert.ok(text.includes('rules: additive'));
  writeFileSync(fileIn(specs), text.replace('rules: additive', 'rules: authoritative'));
  const refused = await run(['apply', specs, allow, '--yes']);
  assert.match(
    refused.stdout,
    /group\/core\.web: it was adopted, and no document states a rule in it: ingress tcp 22 from /,
  );
  assert.match(refused.stdout, /setpoint import --network core/);
  assert.equal(refused.code, 4);
  await must(run, ['import', specs, allow, '--network', 'core']);
  assert.match(
    (await must(run, ['plan', specs, allow])).stdout,
    /~ group core\.web .*\n +~ rules +additive → authoritative/,
  );
  await must(run, ['apply', specs, allow, '--yes']);
  assert.deepEqual(
    [writes().filter((action) => action !== 'AuthorizeSecurityGroupIngress'), (await planOf(run, specs)).actions],
    [[], []],
  );
  await openPort({ place, url }, 8080);
  assert.match((await must(run, ['apply', specs, allow, '--yes'])).stdout, /1 deleted/);
});
