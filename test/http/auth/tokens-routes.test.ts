import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Caller } from '../../../src/http/api/route.ts';
import { tokensRoutes } from '../../../src/http/api/routes/tokens.ts';
import { whoamiRoutes } from '../../../src/http/api/routes/whoami.ts';
import { authenticator } from '../../../src/http/auth/authenticator.ts';
import { memoryDatabase } from '../../support/memory-store.ts';
import { virtualClock } from '../../support/virtual-clock.ts';
import { type Answer, apiWorld, callerOf } from '../api/support/api-world.ts';

const day = 24 * 3_600_000;
const clock = virtualClock();
const store = memoryDatabase(clock).connect();
await store.ledger.note('acme', { began: true });

const callers: Readonly<Record<string, Caller>> = {
  kim: callerOf('admin', { id: 'kim', person: 'kim', identities: ['Kim@acme.example'] }),
  all: callerOf('admin', { id: 'all', person: 'all', identities: [], grants: [{ role: 'admin' }] }),
  web: callerOf('admin', { id: 'web', grants: [{ role: 'admin', estates: ['acme'], owners: ['team-web'] }] }),
  unbound: callerOf('viewer', { id: 'unbound', person: 'nora', grants: [], expiresAt: clock.now() + day }),
};
const estates = async () => ['globex', 'acme', 'initech'];
const routes = [...tokensRoutes(store.tokens), ...whoamiRoutes({ estates })];
const world = apiWorld({ routes, callers, clock });
after(world.close);

const viewer = { role: 'viewer', estates: ['acme'] };
const make = (who: string, body: object, headers = {}): Promise<Answer> =>
  world.ask(who, 'POST /v1/tokens', { body: { name: 'ci', grants: [viewer], ...body }, headers });

interface Made {
  readonly token: { readonly id: string; readonly name: string; readonly expiresAt: string };
  readonly text: string;
}
async function made(who: string, body: object = {}): Promise<Made> {
  const answer = await make(who, body);
  assert.equal(answer.status, 201, answer.text);
  return answer.body as Made; // why: its schema was just checked
}

describe('making a token', () => {
  it('tells it once, with what it may; it lets in, and counts as its maker', async () => {
    const { token, text } = await made('kim', { for: 'kim@acme.example' });
    assert.deepEqual(token, {
      id: token.id,
      name: 'ci',
      for: 'Kim@acme.example',
      grants: [viewer],
      state: 'live',
      createdAt: new Date(clock.now()).toISOString(),
      createdBy: 'kim',
      expiresAt: new Date(clock.now() + 90 * day).toISOString(),
    });
    const caller = await authenticator({ apiTokens: { tokens: store.tokens, clock } })(`Bearer ${text}`);
    assert.deepEqual([caller?.identities, caller?.grants], [['Kim@acme.example'], [viewer]]);
    const listed = (await world.ask('kim', 'GET /v1/tokens')).text;
    assert.ok(listed.includes(token.id) && !listed.includes(text.slice(-43)));
    assert.ok(!world.lines.join().includes(text.slice(-43)));
  });

  it('is a note in the ledger', async () => {
    const { token } = await made('kim');
    const notes: unknown[] = [];
    for await (const { body } of store.ledger.entries({ estate: 'acme' })) notes.push(body['note']);
    assert.deepEqual(notes.at(-1), {
      makeToken: { id: token.id, name: 'ci', grants: [viewer], expiresAt: Date.parse(token.expiresAt), person: 'kim' },
    });
  });
});

describe('making a token that reaches further than its maker', () => {
  for (const [who, grants] of [
    ['kim', [{ role: 'viewer' }]],
    ['kim', [{ role: 'viewer', estates: ['other'] }]],
    ['kim', [{ role: 'viewer', estates: ['acme', 'other'] }]],
    ['kim', [viewer, { role: 'admin' }]],
    ['web', [viewer]],
    ['web', [{ ...viewer, owners: ['team-net'] }]],
    ['operator', [viewer]],
    ['approver', [viewer]],
  ] as const)
    it(`${who} may not give ${JSON.stringify(grants)}`, async () => {
      const before = (await store.tokens.list({ most: 1000 })).length;
      const { status, text } = await make(who, { grants });
      assert.deepEqual([status, JSON.parse(text).permission], [403, 'administer']);
      assert.equal((await store.tokens.list({ most: 1000 })).length, before);
    });

  it('may be by whoever administers just that', async () => {
    await made('web', { grants: [{ role: 'approver', estates: ['acme'], owners: ['team-web'] }] });
    await made('all', { grants: [{ role: 'admin' }] });
  });
});

describe('a token that is not as it should be', () => {
  for (const [at, body] of [
    ['for', { for: 'bob@acme.example' }],
    ['expiresAt', { expiresAt: '2025-01-01T00:00:00Z' }],
    ['expiresAt', { expiresAt: '2027-01-03T00:00:00Z' }],
    ['expiresAt', { expiresAt: 'tomorrow' }],
    ['grants', { grants: [] }],
    ['grants[0].estates', { grants: [{ role: 'viewer', estates: [] }] }],
    ['grants[0].role', { grants: [{ role: 'owner', estates: ['acme'] }] }],
    ['name', { name: 'a\nb' }],
    ...['\u001b]0;pwn\u0007', '\0', '\ud800', 'a\nb', '\u202eab'].map(
      (odd) => ['grants[0].owners[0]', { grants: [{ ...viewer, owners: [odd] }] }] as const,
    ),
  ] as const)
    it(`says what is wrong: ${at} in ${JSON.stringify(body)}`, async () => {
      const answer = await make('kim', body);
      assert.equal(answer.status, 400, answer.text);
      assert.ok(answer.text.includes(`"at":"${at}"`), answer.text);
    });

  it('by the same key twice is told once, and made once', async () => {
    const headers = { 'idempotency-key': 'a-key-of-mine-4711' };
    const first = await make('kim', { name: 'twice' }, headers);
    const second = await make('kim', { name: 'twice' }, headers);
    assert.deepEqual([first.status, second.status], [201, 409]);
    assert.ok(!second.text.includes('setpoint_'));
    assert.equal((await store.tokens.list({ most: 1000 })).filter(({ name }) => name === 'twice').length, 1);
  });
});

describe('tokens there are', () => {
  it('are seen by whoever administers all that they reach; revoking another is as of one that there is not', async () => {
    const { token } = await made('all', { name: 'wide', grants: [{ role: 'viewer' }] });
    assert.ok((await world.ask('all', 'GET /v1/tokens')).text.includes(token.id));
    assert.ok(!(await world.ask('kim', 'GET /v1/tokens?limit=1000')).text.includes(token.id));
    const foreign = await world.ask('kim', `DELETE /v1/tokens/${token.id}`);
    const missing = await world.ask('kim', 'DELETE /v1/tokens/0000000000000000');
    assert.deepEqual([foreign.status, foreign.text], [404, missing.text]);
    assert.equal((await store.tokens.find([token.id]))[0]?.revoked, undefined);
  });

  it('come page by page, each once, passing over those of others', async () => {
    for (let count = 0; count < 3; count += 1) {
      await made('kim');
      await made('all', { grants: [{ role: 'viewer' }] });
    }
    const all = itemsOf(await world.ask('kim', 'GET /v1/tokens?limit=1000')).items;
    const seen: string[] = [];
    let next: string | undefined = '';
    while (next !== undefined) {
      const page = itemsOf(await world.ask('kim', `GET /v1/tokens?limit=2${next === '' ? '' : `&after=${next}`}`));
      assert.ok(page.items.length <= 2);
      seen.push(...page.items.map(({ id }) => id));
      next = page.next;
    }
    assert.deepEqual(
      seen,
      all.map(({ id }) => id),
    );
  });

  it('are of no use once revoked, and stay in the list', async () => {
    const { token, text } = await made('kim');
    const revoked = await world.ask('kim', `DELETE /v1/tokens/${token.id}`);
    assert.deepEqual([revoked.status, JSON.parse(revoked.text).state], [200, 'revoked']);
    assert.equal(await authenticator({ apiTokens: { tokens: store.tokens, clock } })(`Bearer ${text}`), undefined);
    const [found] = itemsOf(await world.ask('kim', 'GET /v1/tokens')).items;
    assert.deepEqual([found?.id, found?.state], [token.id, 'revoked']);
  });
});

interface Items {
  readonly items: readonly { readonly id: string; readonly state: string }[];
  readonly next?: string;
}
const itemsOf = ({ body }: Answer): Items => body as Items; // why: its schema was just checked

describe('who one is', () => {
  it('is told to whoever can prove it, also where nothing is granted to them', async () => {
    assert.deepEqual((await world.ask('unbound', 'GET /v1/whoami')).body, {
      actor: 'nora',
      identities: ['viewer@acme.example'],
      grants: [],
      estates: [],
      expiresAt: new Date(clock.now() + day).toISOString(),
    });
  });

  it('with the estates that their grants reach, and no others', async () => {
    for (const [who, seen] of [
      ['all', ['acme', 'globex', 'initech']],
      ['web', ['acme']],
    ] as const)
      assert.deepEqual(((await world.ask(who, 'GET /v1/whoami')).body as { estates: unknown }).estates, seen); // why: its schema was just checked
  });

  for (const who of ['', 'nobody'])
    it(`is told to nobody else: "${who}"`, async () => {
      assert.equal((await world.ask(who, 'GET /v1/whoami')).status, 401);
    });
});
