import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { apiOn } from '../../../src/bootstrap/http-server.ts';
import { openEstate } from '../../../src/estate/load.ts';
import { parseStored } from '../../../src/source/stored-tree.ts';
import { ownStore } from '../../store/own-store.ts';
import { network } from '../../support/engine-world/documents.ts';
import { fleetWorld, today, treeOf, where } from '../../support/fleet-world.ts';
import { type ApiWorld, apiWorld, callerOf } from './support/api-world.ts';
import { everyRoute } from './support/every-route.ts';
import { everyText } from './support/every-text.ts';
import type { Place } from './support/two-estates.ts';

const { context, clock } = fleetWorld();
const { store } = await ownStore(clock);
const place: Place = {
  ...{ estate: where.estate, target: 'here', address: `${where.scope}/network/core` },
  ids: { reconcile: 'none', token: 'none', plan: 'none' },
};

/** PostgreSQL holds neither: asked for as they are they would be its errors, and so defects of ours. */
const unstorable = { 'a NUL': '\0', 'half a surrogate pair': '\ud800' };

/** One caller sees all of the estate, the other a part of it. */
const callers = {
  all: callerOf('admin', { id: 'all', grants: [{ role: 'admin' }] }),
  part: callerOf('admin', { id: 'part', grants: [{ role: 'admin', estates: [where.estate], targets: ['here'] }] }),
};

describe('texts that the database cannot hold', () => {
  let api: ApiWorld;
  before(async () => {
    const kept = treeOf([network()]);
    const { compiled } = await openEstate(parseStored(kept, 'one', today), context.outside.cloud, today);
    await store.fleet.specSnapshots.keep(where.estate, 'one', kept);
    await store.generations.accept(where.estate, 'one', compiled.guards);
    const { routes } = apiOn({ ...context, store, log: context.telemetry.log }, { reaches: [], access: undefined });
    api = apiWorld({ routes, clock, callers });
  });
  after(() => api.close());

  const places = everyText(everyRoute);
  it('may be sent in many places', () => assert.ok(places.length > 80, `${places.length}`));

  for (const [name, text] of Object.entries(unstorable))
    for (const one of places)
      it(`${name}: ${one.name}`, async () => {
        for (const { what, ...sent } of one.ask(text, place))
          for (const who of Object.keys(callers)) {
            // why: no caller may use up its requests of a second
            await clock.advance(100);
            const { status, text: answer } = await api.ask(who, what, sent);
            assert.ok(status < 500, `${what} as ${who}: ${status} ${answer}`);
          }
      });
});
