import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { frontOf, secret, secrets } from '../../support/front.ts';
import { sameForAll } from '../../support/same-for-all.ts';
import { github, gitlab, gitlabSigned, hmac, type Sent } from '../../support/sent.ts';

const signing = secrets['SETPOINT_SECRET_SIGNING'] ?? '';
const start = Date.UTC(2026, 0, 1);
const minutes = (count: number): number => count * 60_000;

/** The same request with other headers, or without one that is undefined. */
function but({ headers, ...sent }: Sent, changed: Readonly<Record<string, string | undefined>>): Sent {
  const kept = Object.entries({ ...headers, ...changed }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return { ...sent, headers: Object.fromEntries(kept) };
}

interface Case {
  readonly name: string;
  readonly hook: string;
  readonly sent: Sent;
}

const genuine: readonly Case[] = [
  { name: 'GitHub: a signed push', hook: 'github', sent: github(secret) },
  {
    name: 'GitHub: of no documented event',
    hook: 'github',
    sent: but(github(secret), { 'x-github-event': undefined }),
  },
  { name: 'GitLab: a secret token', hook: 'gitlab', sent: gitlab(secret) },
  { name: 'GitLab before 17.4', hook: 'gitlab', sent: but(gitlab(secret), { 'idempotency-key': undefined }) },
  { name: 'GitLab: a signing token', hook: 'gitlab-signed', sent: gitlabSigned(signing, start) },
  {
    name: 'GitLab: a signing token while it is replaced',
    hook: 'gitlab-signed',
    sent: but(gitlabSigned(signing, start), {
      'webhook-signature': `v1,${'A'.repeat(43)}= ${gitlabSigned(signing, start).headers['webhook-signature']}`,
    }),
  },
  { name: 'GitLab: 5 minutes late', hook: 'gitlab-signed', sent: gitlabSigned(signing, start - minutes(5)) },
  { name: 'HMAC', hook: 'hmac', sent: hmac(secret, start) },
  { name: 'HMAC: 5 minutes late', hook: 'hmac', sent: hmac(secret, start - minutes(5)) },
  { name: 'HMAC: from a clock that is 5 minutes ahead', hook: 'hmac', sent: hmac(secret, start + minutes(5)) },
];

describe('what a forge has sent rings the bell, once', () => {
  for (const { name, hook, sent } of genuine)
    it(name, async () => {
      const front = frontOf();
      const first = await front.send(hook, sent);
      assert.deepEqual([first.status, JSON.parse(first.text)], [202, { accepted: 1, repeated: 0 }]);
      const again = await front.send(hook, sent);
      assert.deepEqual([again.status, JSON.parse(again.text)], [202, { accepted: 0, repeated: 1 }]);
      assert.deepEqual(front.counts.wakeUps, []);
      await front.settle();
      assert.deepEqual(front.counts.wakeUps, ['acme']);
      assert.deepEqual(front.counts.touched, []);
      await front.close();
    });

  it('GitHub: a ping is heard and rings nothing', async () => {
    const front = frontOf();
    const answer = await front.send('github', but(github(secret), { 'x-github-event': 'ping' }));
    assert.deepEqual([answer.status, JSON.parse(answer.text)], [202, { accepted: 0, repeated: 0 }]);
    await front.settle();
    assert.deepEqual(front.counts.wakeUps, []);
  });

  it('GitHub: a recorded body under a new delivery id is a replay, as the signature does not cover the id', async () => {
    const front = frontOf();
    await front.send('github', github(secret));
    const answer = await front.send('github', github(secret, undefined, 'another'));
    assert.deepEqual(JSON.parse(answer.text), { accepted: 0, repeated: 1 });
  });

  it('two pushes are two', async () => {
    const front = frontOf();
    for (const [hook, sent] of [
      ['github', github(secret, '{"after":"a"}')],
      ['github', github(secret, '{"after":"b"}')],
      ['gitlab', gitlab(secret, '{}', 'k-1')],
      ['gitlab', gitlab(secret, '{}', 'k-2')],
      ['hmac', hmac(secret, start, { id: 'd-1' })],
      ['hmac', hmac(secret, start, { id: 'd-2' })],
    ] as const)
      assert.deepEqual(JSON.parse((await front.send(hook, sent)).text), { accepted: 1, repeated: 0 }, hook);
  });
});

const signed = hmac(secret, start);
const standard = gitlabSigned(signing, start);

const forged: readonly Case[] = [
  { name: 'GitHub: signed with another secret', hook: 'github', sent: github('another') },
  { name: 'GitHub: signed with an empty secret', hook: 'github', sent: github('') },
  { name: 'GitHub: another body', hook: 'github', sent: { ...github(secret), body: '{}' } },
  { name: 'GitHub: no body', hook: 'github', sent: { headers: github(secret).headers } },
  { name: 'GitHub: not signed', hook: 'github', sent: but(github(secret), { 'x-hub-signature-256': undefined }) },
  {
    name: 'GitHub: an empty signature',
    hook: 'github',
    sent: but(github(secret), { 'x-hub-signature-256': 'sha256=' }),
  },
  {
    name: 'GitHub: a signature cut short',
    hook: 'github',
    sent: but(github(secret), { 'x-hub-signature-256': github(secret).headers['x-hub-signature-256']?.slice(0, 40) }),
  },
  {
    name: 'GitHub: only the old SHA-1 signature',
    hook: 'github',
    sent: but(github(secret), { 'x-hub-signature-256': undefined, 'x-hub-signature': 'sha1=00' }),
  },
  { name: 'GitLab: another token', hook: 'gitlab', sent: gitlab('another') },
  { name: 'GitLab: the beginning of the token', hook: 'gitlab', sent: gitlab(secret.slice(0, -1)) },
  { name: 'GitLab: no token', hook: 'gitlab', sent: but(gitlab(secret), { 'x-gitlab-token': undefined }) },
  { name: 'GitLab: an empty token', hook: 'gitlab', sent: gitlab('') },
  { name: 'GitLab: signed where a token is asked', hook: 'gitlab', sent: gitlabSigned(signing, start) },
  { name: 'GitLab: the signing token itself as a token', hook: 'gitlab-signed', sent: gitlab(signing) },
  {
    name: 'GitLab: another time',
    hook: 'gitlab-signed',
    sent: but(standard, { 'webhook-timestamp': String(start / 1000 + 1) }),
  },
  { name: 'GitLab: another id', hook: 'gitlab-signed', sent: but(standard, { 'webhook-id': 'msg-2' }) },
  { name: 'GitLab: another body', hook: 'gitlab-signed', sent: { ...standard, body: '{"a":1}' } },
  { name: 'GitLab: an old signature', hook: 'gitlab-signed', sent: gitlabSigned(signing, start - minutes(5) - 1000) },
  {
    name: 'GitLab: an id that ends in a time of its own',
    hook: 'gitlab-signed',
    sent: gitlabSigned(signing, start, { id: 'a.1' }),
  },
  { name: 'HMAC: another secret', hook: 'hmac', sent: hmac('another', start) },
  { name: 'HMAC: another delivery', hook: 'hmac', sent: but(signed, { 'x-setpoint-delivery': 'delivery-2' }) },
  { name: 'HMAC: no delivery', hook: 'hmac', sent: but(signed, { 'x-setpoint-delivery': undefined }) },
  { name: 'HMAC: a delivery with a dot', hook: 'hmac', sent: hmac(secret, start, { id: 'a.b' }) },
  { name: 'HMAC: an old signature', hook: 'hmac', sent: hmac(secret, start - minutes(5) - 1000) },
  { name: 'HMAC: from far ahead', hook: 'hmac', sent: hmac(secret, start + minutes(5) + 1000) },
  {
    name: 'HMAC: an old signature under a new time',
    hook: 'hmac',
    sent: but(hmac(secret, start - minutes(60)), {
      'x-setpoint-signature': `t=${start / 1000},${hmac(secret, start - minutes(60)).headers['x-setpoint-signature']?.split(',')[1]}`,
    }),
  },
  { name: 'a hook that is not there', hook: 'nobody', sent: github(secret) },
  { name: 'an estate that is not there', hook: '', sent: { ...github(secret), address: '/v1/hooks/other/github' } },
  { name: 'a hook whose secret is not set', hook: 'unset', sent: github('') },
];

describe('what nobody has proven is refused, and nobody learns why', () => {
  for (const { name, hook, sent } of forged)
    it(name, async () => {
      const front = frontOf();
      const answer = await front.send(hook, sent);
      const unknown = await front.send('nobody', { headers: {} });
      assert.equal(answer.status, 401);
      assert.deepEqual(sameForAll(answer), sameForAll(unknown));
      await front.settle();
      assert.deepEqual(front.counts.wakeUps, []);
      assert.equal(front.counts.firsts, 0);
    });
});
