import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { missed } from '../../bench/bounds.ts';
import { hostileEvents, type Wired } from '../../bench/hostile-events.ts';
import type { Webhook } from '../../src/http/webhooks/webhook.ts';
import { until } from '../support/until.ts';

describe('requests from outside, on a real database and queue', { timeout: 600_000 }, () => {
  it('forged and replayed ones start nothing, genuine ones one reconcile', async () => {
    const [forged, valid] = await hostileEvents({ forged: 500, valid: 200 });
    assert.deepEqual([forged?.name, forged?.value], ['hostile-events', 0]);
    assert.match(forged?.unit ?? '', /^jobs by 500 forged or replayed in \d+\.\d s$/);
    assert.deepEqual([valid?.name, valid?.value], ['hostile-events-valid', 1]);
    assert.match(valid?.unit ?? '', /^passes by 200 valid in \d+\.\d s$/);
  });

  it('a forgery that is believed is seen, and so are events that are not collected', async () => {
    const wired: Wired = (hooks, reconciles) => ({
      ...hooks,
      activeWebhooks: async () =>
        (await hooks.activeWebhooks()).map((one) => ({ ...one, webhooks: [...one.webhooks, believed] })),
      handleEvents: async (estate, cloud, events) => {
        for (const event of events) {
          const before = reconciles();
          await hooks.handleEvents(estate, cloud, [event]);
          await until('its pass began', () => reconciles() > before);
        }
      },
    });
    const [forged, valid] = await hostileEvents({ forged: 300, valid: 3, wired });
    assert.ok((forged?.value ?? 0) > 0);
    assert.ok((valid?.value ?? 0) > 1);
  });
});

/** A hook where there should be none. */
const believed: Webhook = { name: 'nobody', from: 'github', secret: { env: 'SECRET' } };

it('what is started is too much, and so is a second reconcile', () => {
  assert.match(missed({ name: 'hostile-events', value: 1, unit: 'jobs' }) ?? '', /is over 0/);
  assert.match(missed({ name: 'hostile-events-valid', value: 2, unit: 'passes' }) ?? '', /is over 1/);
});
