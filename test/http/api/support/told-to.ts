import assert from 'node:assert/strict';
import { openEventStreams } from '../../../../src/http/api/events/streams.ts';
import type { Caller } from '../../../../src/http/api/route.ts';
import { eventLimits } from '../../../../src/http/limits.ts';
import type { ApiWorld } from './api-world.ts';
import { everyQuestion, type Question } from './every-question.ts';
import { everyRoute } from './every-route.ts';
import type { PlantedEstate } from './planted-estate.ts';
import { nowhere, type Place } from './two-estates.ts';

const questions = everyQuestion(everyRoute).filter(({ method }) => method === 'GET');

/** More ways to ask the same. */
const forms: Readonly<Record<string, readonly string[]>> = {
  listInventory: ['&attributes=true', '&format=csv', '&format=ndjson', '&target=zztarget-lab'],
  readMap: ['&limit=10', '&target=zztarget-lab', '&focus=internet', '&focus=web-0', '&network=zznet-lab'],
};

/**
 * All that somebody is told, by what was asked: every answer to GET about each thing that there is, a plan that they have made,
 * and every event from the first on. `who`: the caller's name in `api`.
 */
export async function toldTo(
  [who, caller]: readonly [string, Caller],
  { api, estate }: { readonly api: ApiWorld; readonly estate: PlantedEstate },
): Promise<ReadonlyMap<string, string>> {
  const ask = async (what: string, body?: object) => {
    // why: no caller may use up its requests of a second
    await api.clock.advance(100);
    const { status, headers, text } = await api.ask(who, what, body && { body });
    assert.ok(status < 500, `${what}: ${text}`);
    return { text: JSON.stringify(headers) + text, plan: String(headers['location']).split('/').at(-1) };
  };
  const made = await ask('POST /v1/plans', { estate: 'acme', active: true });
  const texts = new Map([['POST /v1/plans', made.text]]);
  for (const question of questions)
    for (const place of await placesOf(question, estate, made.plan))
      for (const form of ['', ...(forms[question.id] ?? [])]) {
        const what = `${question.ask(place).what}${form}`;
        texts.set(what, (await ask(what)).text);
      }
  return texts.set('GET /v1/events', await followed(caller, estate));
}

async function placesOf({ path }: Question, { names, world }: PlantedEstate, plan = ''): Promise<readonly Place[]> {
  const { addresses, targets } = names;
  const place = { ...nowhere, estate: 'acme' };
  if (path.includes('{address}') || path.includes('{of}') || path === '/v1/reach')
    return addresses.map((address) => ({ ...place, address }));
  if (path.includes('{name}')) return targets.map((target) => ({ ...place, target }));
  if (path.startsWith('/v1/plans/')) return [{ ...place, ids: { ...place.ids, plan } }];
  if (!path.startsWith('/v1/reconciles/')) return [place];
  const { reconciles } = await world.store.reconciles.page({ seen: [{}], filter: {}, limit: 100 });
  return reconciles.map(({ id }) => ({ ...place, ids: { ...place.ids, reconcile: id } }));
}

/** A stream of a few seconds: one over the API goes on for an hour. */
async function followed(caller: Caller, { world }: PlantedEstate): Promise<string> {
  const { clock, store, context } = world;
  const limits = { ...eventLimits, times: { ...eventLimits.times, longest: 5000 } };
  const { log } = context.telemetry;
  const events = openEventStreams({
    ...{ authenticate: async () => caller, events: store.events },
    ...{ clock, log, limits },
  });
  const by = {
    ...{ caller, authorization: caller.id, now: clock.now(), signal: new AbortController().signal },
    header: () => undefined,
  };
  const chunks = await events.follow(by, `memory-${'0'.repeat(16)}`, {});
  return clock.run(async () => {
    let text = '';
    for await (const chunk of chunks) text += chunk;
    return text;
  });
}
