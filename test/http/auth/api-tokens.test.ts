import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { authenticator, authorizationHeader } from '../../../src/http/auth/authenticator.ts';
import { ProblemError } from '../../../src/http/problem.ts';
import type { TokenDraft } from '../../../src/ports/tokens.ts';
import { memoryDatabase } from '../../support/memory-store.ts';
import { virtualClock } from '../../support/virtual-clock.ts';

const hour = 3_600_000;
const grants = [{ role: 'planner', estates: ['acme'] }] as const;
const maker = { person: 'kim', identities: ['kim@acme.example'] };

function front() {
  const clock = virtualClock();
  const database = memoryDatabase(clock);
  const { tokens } = database.connect();
  const { tokens: elsewhere } = database.connect();
  const make = (rest: Partial<TokenDraft> = {}) =>
    tokens.make({ name: 'ci', grants, expiresAt: clock.now() + hour, maker, ...rest });
  return { clock, tokens, elsewhere, make, authenticate: authenticator({ apiTokens: { tokens, clock } }) };
}

describe('a token of ours', () => {
  it('is whom it was made for, with what its maker is known by', async () => {
    const { make, authenticate } = front();
    const { token, text } = await make({ for: 'lee@acme.example' });
    assert.deepEqual(await authenticate(`Bearer ${text}`), {
      id: `token:${token.id}`,
      person: 'lee@acme.example (token ci)',
      identities: ['lee@acme.example', 'kim@acme.example'],
      grants,
      expiresAt: token.expiresAt,
    });
  });

  it('of a machine is known by its name, and still by who made it', async () => {
    const { make, authenticate } = front();
    const caller = await authenticate(`bearer ${(await make()).text}`);
    assert.deepEqual([caller?.person, caller?.identities], ['token ci', ['kim@acme.example']]);
  });

  it('that was revoked in another process is of no use from then on', async () => {
    const { make, authenticate, elsewhere } = front();
    const { token, text } = await make();
    assert.ok(await authenticate(`Bearer ${text}`));
    await elsewhere.revoke(token.id, 'kim');
    assert.equal(await authenticate(`Bearer ${text}`), undefined);
  });

  it('holds up to its last millisecond', async () => {
    const { make, authenticate, clock } = front();
    const { text } = await make();
    await clock.advance(hour - 1);
    assert.ok(await authenticate(`Bearer ${text}`));
    await clock.advance(1);
    assert.equal(await authenticate(`Bearer ${text}`), undefined);
  });

  it('says when it was used last, to within an hour', async () => {
    const { make, authenticate, tokens, clock } = front();
    const { token, text } = await make({ expiresAt: clock.now() + 10 * hour });
    const used = async () => (await tokens.find([token.id]))[0]?.usedAt;
    const begun = clock.now();
    await authenticate(`Bearer ${text}`);
    assert.equal(await used(), begun);
    await clock.advance(hour - 1);
    await authenticate(`Bearer ${text}`);
    assert.equal(await used(), begun);
    await clock.advance(1);
    await authenticate(`Bearer ${text}`);
    assert.equal(await used(), begun + hour);
  });
});

describe('the store that tokens are in', () => {
  it('is away: come again, and nobody is let in', async () => {
    const away = () => Promise.reject(new Error('gone'));
    const authenticate = authenticator({ apiTokens: { tokens: { find: away, used: away }, clock: virtualClock() } });
    const { text } = await front().make();
    await assert.rejects(
      authenticate(`Bearer ${text}`),
      (error) => error instanceof ProblemError && error.problem.status === 503,
    );
  });

  it('is asked two statements by many who ask at once', async () => {
    const { make, tokens, clock } = front();
    const { text } = await make();
    let asked = 0;
    const find: typeof tokens.find = (ids) => {
      asked += 1;
      return tokens.find(ids);
    };
    const authenticate = authenticator({ apiTokens: { tokens: { ...tokens, find }, clock } });
    const callers = await Promise.all(Array.from({ length: 500 }, () => authenticate(`Bearer ${text}`)));
    assert.ok(callers.every((caller) => caller !== undefined));
    assert.ok(asked <= 2, `${asked} statements`);
  });

  it('that never answers one question is asked the next', async () => {
    const { make, tokens, clock } = front();
    const { text } = await make();
    const never = Promise.withResolvers<never>().promise;
    const answers = [never];
    const find: typeof tokens.find = (ids) => answers.pop() ?? tokens.find(ids);
    const authenticate = authenticator({ apiTokens: { tokens: { ...tokens, find }, clock } });
    const first = assert.rejects(authenticate(`Bearer ${text}`), ProblemError);
    await new Promise((resolve) => setImmediate(resolve));
    const second = authenticate(`Bearer ${text}`);
    await clock.advance(5_000);
    await first;
    assert.ok((await second) !== undefined);
  });

  it('is asked again by who asks after a token was revoked', async () => {
    const { make, authenticate, elsewhere } = front();
    const { token, text } = await make();
    const before = authenticate(`Bearer ${text}`);
    await elsewhere.revoke(token.id, 'kim');
    await before;
    assert.equal(await authenticate(`Bearer ${text}`), undefined);
  });
});

describe('the header', () => {
  for (const [name, raw, want] of [
    ['one, in any letters', ['Host', 'x', 'AUTHORIZATION', 'Bearer a'], 'Bearer a'],
    ['none', ['Host', 'authorization'], undefined],
    ['two', ['Authorization', 'Bearer a', 'authorization', 'Bearer b'], undefined],
    ['the same twice', ['Authorization', 'Bearer a', 'Authorization', 'Bearer a'], undefined],
  ] as const)
    it(name, () => assert.equal(authorizationHeader(raw), want));
});
