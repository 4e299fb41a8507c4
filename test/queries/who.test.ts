import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { callerOf } from '../http/api/support/api-world.ts';
import { network, rule } from '../support/engine-world/documents.ts';
import { where } from '../support/fleet-world.ts';
import { answersWorld, machine } from './support/answers-world.ts';

const callers = {
  web: callerOf('viewer', { grants: [{ role: 'viewer', estates: ['acme'], owners: ['team-web'] }] }),
  elsewhere: callerOf('viewer', { grants: [{ role: 'viewer', estates: ['other'] }] }),
};

const documents = [
  network({ internet: false }),
  rule('https'),
  rule('core'),
  machine('web', {}, { owner: 'team-web', labels: { tier: 'a' } }),
  machine('db', {}, { owner: 'team-db', labels: { tier: 'a' } }),
];

interface Answer {
  readonly subject: string;
  readonly resources: readonly {
    readonly address?: string;
    readonly id?: string;
    readonly healing?: string;
    readonly changes: readonly Readonly<Record<string, unknown>>[];
  }[];
  readonly incompleteScopes: readonly string[];
  readonly observed: { readonly complete: boolean };
}

async function world() {
  const made = answersWorld(callers);
  await made.accept(documents);
  await made.reconcile();
  const ask = async (who: string, of: string) => made.api.ask(who, `GET /v1/actors/${of}`);
  const answer = async (who: string, of: string): Promise<Answer> => JSON.parse((await ask(who, of)).text);
  return { ...made, ask, answer };
}

const web = 'memory/acme/north/instance/web-0';

describe('who changed something, out of the store', () => {
  it('names the writes of a resource, and the colleague whom an event named', async () => {
    const { store, meddle, reconcile, answer, clock } = await world();
    const first = await answer('viewer', 'web-0');
    assert.equal(first.subject, web);
    assert.deepEqual(
      first.resources.map(({ address, changes }) => [address, changes.map(({ source, verb }) => [source, verb])]),
      [[web, [['ledger', 'create']]]],
    );
    const id = first.resources[0]?.id ?? '';
    await clock.advance(60_000);
    meddle('mine');
    const actor = { who: 'bob', action: 'TagObjects' };
    const touch = { ...where, event: 'e-1', at: clock.now(), actor, objects: [id], requestId: 'r-1' };
    await store.touches.keep('acme', [touch]);
    await reconcile();
    const { resources } = await answer('viewer', id);
    const [newest, heard] = resources[0]?.changes ?? [];
    assert.deepEqual([newest?.['verb'], heard?.['actor'], heard?.['requestId']], ['update', 'bob', 'r-1']);
    assert.match(JSON.stringify(newest?.['undid']), /"actor":"bob"/);
  });

  it('of a port names the rules that open it', async () => {
    const { answer } = await world();
    const { resources, incompleteScopes, observed } = await answer('viewer', '443/tcp');
    const [only, ...others] = resources.flatMap(({ address }) => address ?? []);
    assert.match(only ?? '', /\/firewall-rule\/.*443/);
    assert.deepEqual(others, []);
    assert.deepEqual([incompleteScopes, observed.complete], [[], true]);
    const ssh = await answer('viewer', '22/tcp');
    assert.deepEqual(
      ssh.resources.flatMap(({ address }) => address ?? []),
      [],
    );
  });

  it('of another machine at the same address has none of the changes', async () => {
    const { cloud, clock, answer, reconcile } = await world();
    const before = (await answer('viewer', 'web-0')).resources[0]?.id ?? '';
    const pass = async (minutes: number): Promise<void> => {
      for (let n = 0; n < minutes; n += 1) {
        await clock.advance(60_000);
        await reconcile();
      }
    };
    await pass(20);
    cloud.outside.do('TerminateInstances', { ids: [before] });
    await pass(5);
    const [now] = (await answer('viewer', 'web-0')).resources;
    assert.ok(now?.id);
    assert.notEqual(now?.id, before);
    assert.deepEqual(
      now?.changes.map(({ verb }) => verb),
      ['create'],
    );
  });

  it('names the authors of a generation to a caller who sees the whole estate, and to nobody else', async () => {
    const { store, answer } = await world();
    const current = await store.generations.current('acme');
    const move = { estate: 'acme', revision: current?.revision ?? '', after: 0 };
    await store.authors.record(move, { names: ['eve@acme.example'], more: false });
    const authorsFor = async (who: string) => (await answer(who, 'web-0')).resources[0]?.changes[0]?.['authors'];
    assert.deepEqual(await authorsFor('viewer'), { names: ['eve@acme.example'], more: false });
    assert.equal(await authorsFor('web'), undefined);
  });

  it('is answered within the bounds of the caller', async () => {
    const { ask, answer } = await world();
    const own = await answer('web', 'web-0');
    assert.deepEqual(
      own.resources.map(({ changes }) => changes.length),
      [1],
    );
    assert.deepEqual((await answer('web', '443')).resources, [], 'the rule is of nobody');
    const [foreign, missing] = [await ask('web', 'db-0'), await ask('web', 'xx-0')];
    assert.deepEqual([foreign.status, missing.status], [404, 404]);
    assert.equal(foreign.text.replaceAll('db-0', ''), missing.text.replaceAll('xx-0', ''));
    assert.equal((await ask('elsewhere', 'web-0')).status, 404);
    assert.equal((await ask('viewer', 'core')).status, 409, 'a network and a rule are called so');
    assert.equal((await ask('web', 'core')).status, 404, 'and of neither is told');
    const db = (await answer('viewer', 'db-0')).resources[0]?.id ?? '';
    assert.equal((await ask('web', db)).status, 404);
  });
});
