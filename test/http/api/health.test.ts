import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { healthRoutes } from '../../../src/http/api/routes/health.ts';
import { apiWorld } from './support/api-world.ts';

const api = apiWorld({ routes: healthRoutes({ checks: () => [{ name: 'database', ok: true, needed: true }] }) });
after(() => api.close());

for (const path of ['/livez', '/readyz'])
  it(`${path} does not look at a credential: a probe may send one that is no use any more`, async () => {
    for (const who of ['', 'nobody we know']) assert.equal((await api.ask(who, `GET ${path}`)).status, 200);
  });
