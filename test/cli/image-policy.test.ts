import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { commandLine } from './support/in-process.ts';
import { sandboxed } from './support/sandboxed.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const { sandbox } = await sandboxed();
const run = commandLine();
const account = '111122223333';
const stranger = '999988887777';
const region = sandbox.control.ec2.region(account, 'eu-west-1');
const day = 86_400_000;
const dir = join(temporaryFolder({ 'specs/.keep': '' }), 'specs');
const store = ['--allow-endpoint', '--dir', temporaryFolder()];

/** An image that somebody published, so many days ago. */
function publish(id: string, days: number, ownerId: string, deprecated = false): void {
  const [known] = region.images.values();
  assert.ok(known);
  const now = Date.now();
  region.images.put({
    ...{ ...known, id, name: id, ownerId, ownerAlias: undefined, createdAt: now - days * day - 1000 },
    deprecatedAt: deprecated ? now - day : undefined,
  });
}

const document = (kind: string, metadata: string, spec: string): string =>
  `apiVersion: setpoint.dev/v1\nkind: ${kind}\nmetadata: ${metadata}\nspec: ${spec}\n`;

const rules = `
    - name: publisher
      deny: has(resource.image) && !image.verified && image.owner != resource.account
      message: Choose an image of a verified publisher.
    - name: age
      deny: has(image.age) && image.age > 180
      message: Choose an image of the last 180 days.
    - name: deprecated
      warn: image.deprecated
      message: Choose its successor.
`;

/** Machines by name and image, under the policy in this mode. */
function write(machines: Readonly<Record<string, string>>, mode?: 'audit' | 'enforce', more = ''): void {
  const documents = [
    document('Estate', '{ name: acme }', '{ mode: enforce }'),
    document(
      'Target',
      '{ name: prod }',
      `{ provider: aws, account: "${account}", region: eu-west-1, endpoint: "${sandbox.url}" }`,
    ),
    document(
      'Network',
      '{ name: core }',
      '{ targets: [prod], cidr: 10.0.0.0/16, subnets: [{ name: app, cidr: 10.0.1.0/24 }] }',
    ),
    ...Object.entries(machines).map(([name, image]) =>
      document(
        'Instance',
        `{ name: ${name} }`,
        `{ targets: [prod], network: core, subnet: app, image: ${image}, size: t3.small, deletionPolicy: delete }`,
      ),
    ),
    ...(mode === undefined
      ? []
      : [document('Policy', '{ name: images }', `\n  kinds: [instance]\n  mode: ${mode}\n  rules:${rules}${more}`)]),
  ];
  writeFileSync(join(dir, 'estate.yaml'), documents.join('---\n'));
}

const names = (): readonly (string | undefined)[] =>
  [...region.instances.values()]
    .filter(({ power }) => power.state !== 'terminated' && power.state !== 'shutting-down')
    .map(({ tags }) => tags.get('Name'));
const reads = (): number => sandbox.control.log.counts()['DescribeImages'] ?? 0;

before(async () => {
  publish('ami-0aaaaaaaaaaaaaaaa', 200, account);
  publish('ami-0bbbbbbbbbbbbbbbb', 10, account);
  publish('ami-0cccccccccccccccc', 10, stranger, true);
  write({ old: 'ami-0aaaaaaaaaaaaaaaa', foreign: 'ami-0cccccccccccccccc' });
  const { code, stderr } = await run(['apply', dir, ...store, '--yes']);
  assert.equal(code, 0, stderr);
});

test('a rule about an image is not judged without a cloud', async () => {
  write({ old: 'ami-0aaaaaaaaaaaaaaaa' }, 'enforce');
  const { code, stdout } = await run(['validate', dir, '--strict']);
  assert.equal(code, 0, stdout);
});

test('in audit the machines that stand are judged, and the facts serve the next commands', async () => {
  write({ old: 'ami-0aaaaaaaaaaaaaaaa', foreign: 'ami-0cccccccccccccccc' }, 'audit');
  sandbox.control.log.clear();
  const { stdout } = await run(['inventory', dir, '--violations', '--refresh', ...store, '--json']);
  const [{ objects }] = JSON.parse(stdout).scopes;
  const found = objects.map(
    ({ name, violations }: { name: string; violations: readonly { rule: string }[] }) =>
      `${name}: ${violations.map(({ rule }) => rule)}`,
  );
  assert.match(
    objects.find(({ name }: { name: string }) => name === 'old-0').violations[0].facts,
    /^the image is of 2/,
  );

  assert.deepEqual(found.toSorted(), ['foreign-0: publisher,deprecated', 'old-0: age']);
  assert.equal(reads(), 1);
  await run(['plan', dir, ...store]);
  await run(['inventory', dir, '--refresh', ...store]);
  assert.equal(reads(), 1);
});

test('without a policy about images none is read', async () => {
  write({ old: 'ami-0aaaaaaaaaaaaaaaa', foreign: 'ami-0cccccccccccccccc' });
  sandbox.control.log.clear();
  // why: another store, which has no facts yet
  const { code } = await run(['plan', dir, '--allow-endpoint', '--dir', temporaryFolder()]);
  assert.equal(code, 0);
  assert.equal(reads(), 0);
  write({ old: 'ami-0aaaaaaaaaaaaaaaa', foreign: 'ami-0cccccccccccccccc' }, 'audit');
  await run(['plan', dir, '--allow-endpoint', '--dir', temporaryFolder()]);
  assert.equal(reads(), 1);
});

test('enforced, a launch from an old image or from that of a stranger is withheld, and others go on', async () => {
  write(
    {
      old: 'ami-0aaaaaaaaaaaaaaaa',
      foreign: 'ami-0cccccccccccccccc',
      fresh: 'ami-0bbbbbbbbbbbbbbbb',
      second: 'ami-0aaaaaaaaaaaaaaaa',
      third: 'ami-0cccccccccccccccc',
      debian: 'ami-0abcdef1234567890',
    },
    'enforce',
  );
  const { code, stdout } = await run(['apply', dir, ...store, '--yes']);
  assert.equal(code, 3);
  const made = /the image is of \d{4}-\d\d-\d\d, owner \d{12}, not verified/.source;
  assert.match(
    stdout,
    new RegExp(`the rule age of the policy images denies it, as ${made}: Choose an image of the last`),
  );
  assert.match(
    stdout,
    new RegExp(`the rule publisher of the policy images denies it, as ${made}, deprecated: Choose an`),
  );
  assert.deepEqual(names().toSorted(), ['debian-0', 'foreign-0', 'fresh-0', 'old-0']);
});

test('an image that the cloud does not know has no answer, with its reason', async () => {
  write({ old: 'ami-0aaaaaaaaaaaaaaaa', gone: 'ami-0dddddddddddddddd' }, 'enforce');
  const { stdout } = await run(['plan', dir, ...store]);
  assert.match(
    stdout,
    /has no answer for it \(the facts of the image ami-0dddddddddddddddd are unknown: .+\), which denies it/,
  );
});

test('facts that nobody may read deny, with the reason of the cloud', async () => {
  write({ new: 'ami-0eeeeeeeeeeeeeeee' }, 'enforce');
  publish('ami-0eeeeeeeeeeeeeeee', 1, account);
  const match = { action: 'DescribeImages' };
  const fault = sandbox.control.faults.add({ match, effect: { kind: 'access-denied' } });
  const { stdout } = await run(['plan', dir, ...store]);
  assert.match(
    stdout,
    /has no answer for it \(the facts of the image ami-0eeeeeeeeeeeeeeee are unknown: .*not authorized/,
  );
  sandbox.control.faults.remove(fault);
  const { stdout: after } = await run(['plan', dir, ...store]);
  assert.match(after, /\+ instance new-0/);
  assert.doesNotMatch(after, /has no answer/);
});

test('a machine that breaks a rule about its image may be deleted, unless a rule about changes says no', async () => {
  const about = `    - name: keep
      deny: action.verb == 'delete' && image.deprecated
      message: Keep it for the audit.
`;
  write({}, 'enforce', about);
  const { stdout } = await run(['apply', dir, ...store, '--yes', '--allow-deletes', '10']);
  assert.match(stdout, /the rule keep of the policy images denies it, as the image is of .*: Keep it for the audit\./);
  assert.deepEqual(names(), ['foreign-0']);
});
