import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { apiClient } from '../../../src/cli/api-client/client.ts';
import { fetchTargets, refreshTargets } from '../../../src/cli/api-client/inventory.ts';
import { UserError } from '../../../src/cli/errors.ts';
import { virtualClock } from '../../support/virtual-clock.ts';
import { contextOn } from '../support/context.ts';
import { fakeTerminal } from '../support/fake-terminal.ts';

const scope = 'aws/1111/eu-west-1';
const minute = 60_000;

/** A server that has seen its scope, and looks again so long after it was asked to; Infinity: never. */
function world(looksAfterMs: number, more: object = {}) {
  const clock = virtualClock();
  const terminal = fakeTerminal();
  const wishes: string[] = [];
  const seenAt = clock.now() - minute;
  let wishedAt = Number.POSITIVE_INFINITY;
  const json = (body: object) =>
    new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json' } });
  const fetching: typeof fetch = async (input, init) => {
    if (init?.method === 'POST') {
      wishes.push(`${new URL(String(input)).pathname} ${init.body}`);
      wishedAt = Math.min(wishedAt, clock.now());
      return json({});
    }
    const at = clock.now() >= wishedAt + looksAfterMs ? wishedAt + looksAfterMs : seenAt;
    const observed = { at: new Date(at).toISOString(), ageSeconds: 1, complete: true, gaps: [] };
    const items = ['a', 'b'].map((name) => ({ name, estate: 'acme', scope, observed, ...more }));
    return json({ items, observed });
  };
  const context = contextOn({ terminal, clock });
  const client = apiClient({ url: 'https://setpoint.example', token: 't' }, context, fetching);
  const again = async () => refreshTargets(client, await fetchTargets(client, {}), context);
  return { clock, wishes, again, terminal, start: clock.now() };
}

describe('a server is asked to look again', () => {
  test('once for each scope, and waited for until it has', async () => {
    const { clock, wishes, again, start, terminal } = world(4500);
    const [target] = await clock.run(again);
    assert.deepEqual(wishes, ['/v1/targets/b/reconcile {"estate":"acme","reason":"inventory --refresh"}']);
    assert.equal(target?.observation?.at, start + 4500);
    assert.equal(clock.now(), start + 5000);
    assert.match(terminal.stderr(), /^aws\/1111\/eu-west-1: waiting for an observation \(\d/);
  });

  test('for ten minutes at most, and then it says what was waited for', async () => {
    const { clock, again, start } = world(Number.POSITIVE_INFINITY);
    await assert.rejects(
      clock.run(again),
      (error) => error instanceof UserError && /No worker has observed aws\/1111\/eu-west-1/.test(error.message),
    );
    assert.equal(clock.now(), start + 10 * minute);
  });

  test('not where no reconcile would: a scope in quarantine', async () => {
    const { clock, again, wishes } = world(0, { held: { quarantine: { reason: 'a defect' } } });
    await assert.rejects(
      clock.run(again),
      (error) =>
        error instanceof UserError &&
        error.details.why === 'a defect' &&
        /--quarantined/.test(error.details.next ?? ''),
    );
    assert.deepEqual(wishes, []);
  });
});
