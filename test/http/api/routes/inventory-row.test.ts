import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { at, now, rowOf, scope, sought, store, web, world } from './inventory-world.ts';

const minute = 60_000;
const core = rowOf('core');
const group = rowOf('core.web', {
  place: { kind: 'group' },
  sides: {
    desired: {
      attributes: { network: core.key, labels: {} },
      mode: 'enforce',
      protect: false,
      deletionPolicy: 'delete',
    },
    observed: { attributes: { network: core.key, labels: {} }, state: 'ready', parts: [] },
  },
});
const machine = (size: string) => ({
  ...web,
  attributes: { ...web.attributes, machine: { ...web.attributes.machine, size } },
});
const instance = (size: string, status: 'InSync' | 'Drifted' = 'InSync') =>
  rowOf('web-0', {
    status,
    place: { kind: 'instance' },
    sides: {
      desired: { attributes: web.attributes, mode: 'plan', protect: false, deletionPolicy: 'retain' },
      observed: machine(size),
      ...(status === 'Drifted'
        ? { diff: [{ field: 'machine.size', from: size, to: 's' }], next: { verb: 'update', cause: 'drift' } as const }
        : {}),
    },
  });
const { desired: _, ...foreign } = rowOf('odd').sides;
const azure = '/subscriptions/1/resourceGroups/r/providers/x';
const stranger = rowOf('odd', { called: { id: azure }, whose: { claim: 'unmanaged', documents: [] } });
const where = { estate: 'acme', scope };
await store.rows.keep(where, { at: now - 9 * minute, rows: [core, group, instance('s')], gaps: [] });
await store.rows.keep(where, {
  at: now - minute,
  rows: [core, group, instance('xl', 'Drifted'), { ...stranger, sides: foreign }],
  gaps: [],
});
await store.rows.keep({ estate: 'beta', scope }, { at: now, rows: [rowOf('only-beta'), core], gaps: [] });
after(world.close);

async function read(name: string, who = 'viewer', query = ''): Promise<Readonly<Record<string, unknown>>> {
  const { status, body } = await world.ask(who, `GET /v1/inventory/${name}${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body as Readonly<Record<string, unknown>>; // why: what a test reads of it is what it then compares
}

const name = at('instance', 'web-0');

describe('GET /v1/inventory/{address}', () => {
  it('tells what is asked for and by which line, what is there, what differs and what comes next', async () => {
    const told = await read(name);
    assert.deepEqual(told['desired'], {
      kind: 'instance',
      attributes: web.attributes,
      mode: 'plan',
      protect: false,
      deletionPolicy: 'retain',
    });
    assert.deepEqual(told['observed'], {
      at: new Date(now - minute).toISOString(),
      ageSeconds: 60,
      complete: true,
      object: { kind: 'instance', ...machine('xl') },
    });
    assert.deepEqual(told['diff'], [{ field: 'machine.size', from: 'xl', to: 's' }]);
    assert.deepEqual(told['next'], {
      verb: 'update',
      cause: 'drift',
      mode: 'plan',
      at: new Date(now + minute).toISOString(),
    });
    assert.deepEqual(told['origins'], [
      { document: name, field: 'cidr', value: '10.0.0.0/16', layer: 'base', file: 'a.yaml', line: 4, column: 3 },
    ]);
    assert.deepEqual(told['documents'], [{ address: name, file: 'a.yaml', line: 3 }]);
  });

  it('tells who takes it on, and the comments; neither of the past', async () => {
    const word = { estate: 'acme', scope, address: name, person: 'ann' };
    await store.fleet.resourceNotes.assign({ ...word, reason: 'mine' });
    await store.fleet.resourceNotes.comment({ ...word, text: 'from the load test' });
    const said = { address: name, actor: 'ann', at: new Date(now).toISOString() };
    const told = await read(name);
    assert.deepEqual(told['assignee'], { ...said, reason: 'mine' });
    assert.deepEqual(told['comments'], [{ ...said, text: 'from the load test' }]);
    assert.deepEqual((await read(core.key, 'viewer', '?estate=acme'))['comments'], []);
    const past = await read(name, 'viewer', '?asOf=3m');
    assert.deepEqual([past['assignee'], past['comments']], [undefined, undefined]);
  });

  it('tells how it was, and what became another', async () => {
    // why: the test compares every field that it reads
    const history = (await read(name))['history'] as readonly Readonly<Record<string, unknown>>[];
    assert.deepEqual(
      history.map(({ status, changes }) => [status, changes]),
      [
        [
          'Drifted',
          [
            { field: 'status', from: 'InSync', to: 'Drifted' },
            { field: 'observed.machine.size', from: 's', to: 'xl' },
          ],
        ],
        ['InSync', []],
      ],
    );
    assert.equal(((await read(name, 'viewer', '?history=1'))['history'] as readonly unknown[]).length, 1); // why: the same
    assert.deepEqual((await read(name, 'viewer', '?history=0'))['history'], []);
  });

  it('as it was, with nothing that came later', async () => {
    const then = await read(name, 'viewer', '?asOf=5m');
    assert.deepEqual(
      [then['status'], then['diff'], then['nextAttempt'], then['origins']],
      ['InSync', [], undefined, []],
    );
    assert.equal((await world.ask('viewer', `GET /v1/inventory/${name}?asOf=30m`)).status, 404);
  });
});

describe('the line that GET /v1/inventory/{address} means', () => {
  it('tells what it refers to, and what refers to it', async () => {
    const related = async (of: string) => (await read(of))['relations'];
    const relation = (one: typeof core) => ({
      address: one.key,
      id: one.called.id,
      name: one.called.name,
      kind: one.place.kind,
      status: one.state.status,
    });
    assert.deepEqual(await related(name), { refersTo: [relation(group)], referredToBy: [], sameAddress: [] });
    assert.deepEqual(await related(group.key), {
      refersTo: [relation(core)],
      referredToBy: [relation(instance('xl', 'Drifted'))],
      sameAddress: [],
    });
  });

  it('asks for all that it refers to at once', async () => {
    sought.length = 0;
    await read(name);
    assert.deepEqual(sought, [name, [at('subnet', 'core.app'), at('group', 'core.web')]]);
  });

  it('is found by its address, raw or encoded, and by what the cloud calls it', async () => {
    for (const one of [name, encodeURIComponent(name), 'id-web-0']) assert.equal((await read(one))['address'], name);
    for (const one of [azure, encodeURIComponent(azure)]) assert.equal((await read(one))['claim'], 'unmanaged');
  });

  it('what may not be seen and what is not there are the same', async () => {
    const answers = await Promise.all(
      [
        [at('network', 'only-beta'), 'viewer'],
        ['no-such', 'viewer'],
        [name, 'owner'],
        [`${name}?estate=beta`, 'viewer'],
        [`${name}?estate=none`, 'viewer'],
      ].map(([of, who = '']) => world.ask(who, `GET /v1/inventory/${of}`)),
    );
    assert.deepEqual(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1);
    assert.equal(answers[0]?.status, 404);
  });

  it('asks which estate is meant where several have it', async () => {
    assert.equal((await world.ask('both', `GET /v1/inventory/${core.key}`)).status, 400);
    assert.equal((await read(core.key, 'both', '?estate=beta'))['estate'], 'beta');
  });
});
