import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Grant, roles } from '../../../src/core/access/grant.ts';
import type { Caller } from '../../../src/http/api/route.ts';
import { type ApiWorld, apiWorld, callerOf } from './support/api-world.ts';
import { type PlantedEstate, planted, plantedEstate } from './support/planted-estate.ts';
import { toldTo } from './support/told-to.ts';

/** A caller's bounds, with the beginnings of words that the caller may never read, and one that they must. */
interface Bounded {
  readonly to: Partial<Grant>;
  readonly unseen: readonly string[];
  readonly sees: string;
}

const bounded: Readonly<Record<string, Bounded>> = {
  'a target': { to: { targets: ['here'] }, unseen: ['zzlab', 'zztarget', 'zzall'], sees: 'zzdata-db' },
  'an owner': { to: { owners: ['team-web'] }, unseen: ['zzlab', 'zznet', 'zzdata', 'zzall'], sees: 'web-0' },
  'an owner in a target': {
    to: { targets: ['here'], owners: ['team-web'] },
    unseen: ['zzlab', 'zznet', 'zztarget', 'zzdata', 'zzall'],
    sees: 'web-0',
  },
  'a target that there is not': {
    to: { targets: ['nope'] },
    unseen: ['zzlab', 'zznet', 'zztarget', 'zzdata', 'zzall', 'team-web', 'img-1'],
    sees: 'acme',
  },
};

const cases = Object.entries(bounded).flatMap(([what, { to, ...told }]) =>
  roles.map((role) => {
    const who = `${role} bounded to ${what}`;
    return { who, caller: callerOf(role, { id: who, grants: [{ role, estates: ['acme'], ...to }] }), ...told };
  }),
);

const all = callerOf('admin', { id: 'all' });
const callers: Readonly<Record<string, Caller>> = {
  all,
  ...Object.fromEntries(cases.map(({ who, caller }) => [who, caller])),
};

describe('who is bounded reads no word of others: every answer to GET, and every event', () => {
  let estate: PlantedEstate;
  let api: ApiWorld;
  const figures = { words: planted.length, answers: 0, found: 0 };

  before(async () => {
    estate = await plantedEstate();
    api = apiWorld({ routes: estate.routes, clock: estate.world.clock, callers });
  });
  after(async () => {
    await api.close();
    process.stdout.write(`unseen: ${JSON.stringify(figures)}\n`);
  });

  it('while who sees all finds each of the words in some answer, and what was said in an event', async () => {
    const texts = await toldTo(['all', all], { api, estate });
    const missing = planted.filter((word) => ![...texts.values()].some((text) => text.includes(word)));
    assert.deepEqual(missing, []);
    assert.match(texts.get('GET /v1/events') ?? '', /"type":"reconcile".*zzall-pause/);
  });

  for (const { who, caller, unseen, sees } of cases)
    it(who, async () => {
      const texts = await toldTo([who, caller], { api, estate });
      const found = [...texts].flatMap(([asked, text]) =>
        unseen.flatMap((word) => (text.includes(word) ? [`${asked}: ${around(text, word)}`] : [])),
      );
      figures.answers += texts.size;
      figures.found += found.length;
      assert.deepEqual(found, []);
      assert.ok([...texts.values()].some((text) => text.includes(sees)));
    });
});

const around = (text: string, word: string): string =>
  text.slice(Math.max(0, text.indexOf(word) - 60), text.indexOf(word) + 60);
