import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { signLedgers } from '../../src/fleet/signer.ts';
import type { WorkerContext } from '../../src/fleet/worker-context.ts';
import type { Undelivered } from '../../src/ports/store.ts';
import { apply, draftOf, workerOf } from '../store/fixtures.ts';
import { network } from '../support/engine-world/documents.ts';
import { type FleetWorld, fleetWorld, where } from '../support/fleet-world.ts';

const { estate } = where;

interface Signing {
  readonly world: FleetWorld;
  readonly logged: (readonly [string, unknown])[];
  readonly warned: string[];
  /** The signer of a worker of its own. */
  start(holder: string, audit?: Partial<WorkerContext['store']['audit']>): { end(): Promise<void> };
  /** The moments of the checkpoints, in s since the start. */
  signedAt(): Promise<readonly number[]>;
}

function signing(): Signing {
  const world = fleetWorld();
  const logged: (readonly [string, unknown])[] = [];
  const warned: string[] = [];
  const from = world.clock.now();
  const log = {
    ...world.context.telemetry.log,
    error: (message: string, fields?: unknown) => void logged.push([message, fields]),
    warn: (message: string) => void warned.push(message),
  };
  return {
    world,
    logged,
    warned,
    start: (holder, audit = {}) => {
      const { context } = world;
      const store = { ...context.store, audit: { ...context.store.audit, ...audit } };
      const stop = new AbortController();
      const outside = { ...context.outside, holder };
      const ended = signLedgers(
        { store, clock: world.clock, telemetry: { ...context.telemetry, log }, outside },
        stop.signal,
      );
      return {
        end: () => {
          stop.abort();
          return ended;
        },
      };
    },
    signedAt: async () => (await world.store.audit.checkpoints(estate)).map(({ at }) => Math.round((at - from) / 1000)),
  };
}

async function change({ store }: FleetWorld, name: string): Promise<void> {
  const worker = await workerOf(store, estate);
  await apply(worker, draftOf('create', name));
  await worker.lease.release();
}

describe('the signer', () => {
  it('signs what it finds at its first look, and then within a minute of an entry', async () => {
    const { world, start, signedAt } = signing();
    await change(world, 'a');
    const duty = start('worker-1');
    await world.clock.advance(1_000);
    assert.deepEqual(await signedAt(), [0]);
    await world.clock.advance(9_000);
    await change(world, 'b');
    await world.clock.advance(49_000);
    await change(world, 'c');
    assert.deepEqual(await signedAt(), [0]);
    await world.clock.advance(11_000);
    const [, second, ...more] = await signedAt();
    assert.ok(second !== undefined && second <= 70 && more.length === 0, `${second}`);
    await world.clock.advance(300_000);
    assert.equal((await signedAt()).length, 2, 'nothing is signed twice');
    await duty.end();
  });

  it('signs a word of a person within five seconds', async () => {
    const { world, start, signedAt } = signing();
    const from = world.clock.now();
    const duty = start('worker-1');
    for (const second of [100, 107, 114]) {
      await world.clock.advance(from + second * 1_000 + 500 - world.clock.now());
      await world.store.ledger.note(estate, { pause: { person: 'ann', reason: 'deploy' } });
      await world.clock.advance(5_000);
      assert.equal((await world.store.audit.unsigned()).length, 0, `the word of ${second} s`);
    }
    assert.equal((await signedAt()).length, 3);
    await duty.end();
  });

  it('signs a thousand entries at the next look', async () => {
    const { world, start, signedAt } = signing();
    const { audit } = world.store;
    let entries = 999;
    const many = async () => (await audit.unsigned()).map((one) => ({ ...one, entries }));
    const duty = start('worker-1', { unsigned: many });
    await world.clock.advance(1_000);
    await change(world, 'a');
    await world.clock.advance(10_000);
    assert.equal((await signedAt()).length, 0);
    entries = 1_000;
    await world.clock.advance(2_000);
    assert.equal((await signedAt()).length, 1);
    await duty.end();
  });

  it('leaves nothing unsigned when it stops, and another one goes on', async () => {
    const { world, start, signedAt } = signing();
    const first = start('worker-1');
    const second = start('worker-2');
    await world.clock.advance(1_000);
    await change(world, 'a');
    await first.end();
    assert.equal((await signedAt()).length, 1);
    await change(world, 'b');
    await world.clock.advance(60_000);
    assert.equal((await signedAt()).length, 2);
    await second.end();
  });

  it('keeps a ledger that cannot be signed from no other, and says so once a minute', async () => {
    const { world, logged, start, signedAt } = signing();
    await change(world, 'a');
    const { audit } = world.store;
    const unsigned = async () => [{ estate: 'cut', entries: 1, words: 1, checkpoint: 0 }, ...(await audit.unsigned())];
    const checkpoint = async (name: string) => {
      if (name === 'cut') throw new Error('the ledger of cut was cut');
      return audit.checkpoint(name);
    };
    const duty = start('worker-1', { unsigned, checkpoint });
    await world.clock.advance(61_000);
    assert.equal((await signedAt()).length, 1);
    const message = 'the ledger of an estate is not signed';
    assert.deepEqual(logged, Array(2).fill([message, { estate: 'cut', reason: 'the ledger of cut was cut' }]));
    await duty.end();
  });
});

const lost = [{ estate: 'acme', held: 1, signed: 3, signedAt: 0 }];

const otherKey = { claimKey: async () => 'aaaa', ownKey: async () => 'bbbb' };

describe('the signer and a database that went back', () => {
  it('tells of a database that lost commits, once a minute, from its first look', async () => {
    const { logged, start, world } = signing();
    const duty = start('worker-1', { lost: async () => lost });
    await world.clock.advance(1_000);
    assert.equal(logged.length, 1);
    assert.match(
      JSON.stringify(logged[0]),
      /lost commits.*checkpoint 3 was signed, and the ledger ends at 1;.*accept-loss/,
    );
    await world.clock.advance(60_000);
    assert.equal(logged.length, 2);
    await duty.end();
  });
});

describe('the signer and what hinders it', () => {
  it('tells of a witness that takes nothing', async () => {
    const { world, logged, start } = signing();
    const failed: readonly Undelivered[] = [{ witness: '/mnt/w', waiting: 1, reason: 'ENOSPC' }];
    const duty = start('worker-1', { deliver: async () => failed });
    await world.clock.advance(10_000);
    assert.deepEqual(logged, [['a witness rejects checkpoints', { witness: '/mnt/w', reason: 'ENOSPC' }]]);
    await duty.end();
  });

  it('signs on while a witness is slow, and waits for it no longer than ten seconds when it stops', async () => {
    const { world, start, signedAt } = signing();
    let sent = 0;
    const deliver = async () => {
      sent += 1;
      return new Promise<never>(() => {});
    };
    const duty = start('worker-1', { deliver });
    await world.clock.advance(10_000);
    await world.store.ledger.note(estate, { pause: { person: 'ann', reason: 'deploy' } });
    await world.clock.advance(5_000);
    assert.deepEqual([(await signedAt()).length, sent], [1, 1]);
    const ended = duty.end();
    await world.clock.advance(10_000);
    await ended;
  });

  it('sends its last checkpoint to the witnesses', async () => {
    const { world, start, signedAt } = signing();
    const sent: number[] = [];
    const deliver = async () => {
      sent.push((await signedAt()).length);
      return [];
    };
    const duty = start('worker-1', { deliver });
    await world.clock.advance(1_000);
    await change(world, 'a');
    await duty.end();
    assert.equal(sent.at(-1), 1);
  });

  it('does not lead with another key than the one that signs', async () => {
    const { world, logged, warned, start, signedAt } = signing();
    await world.accept([network()]);
    await change(world, 'a');
    const wrong = start('worker-1', otherKey);
    await world.clock.advance(50_000);
    assert.deepEqual([await signedAt(), warned.length, logged], [[], 1, []]);
    const right = start('worker-2');
    await world.clock.advance(1_000);
    assert.equal((await signedAt()).length, 1);
    await Promise.all([wrong.end(), right.end()]);
  });

  it('warns once that another key signs, and says that nobody signs when entries stay unsigned', async () => {
    const { world, logged, warned, start } = signing();
    await change(world, 'a');
    const worker = start('worker-1', otherKey);
    await world.clock.advance(50_000);
    assert.deepEqual([warned.length, logged], [1, []]);
    await world.clock.advance(20_000);
    const reason = 'start a worker that has the key aaaa, or let another key sign: setpoint ledger rekey --reason TEXT';
    assert.deepEqual(logged, [['no worker signs the ledger of an estate', { estate, count: 2, reason }]]);
    await world.clock.advance(240_000);
    assert.deepEqual([warned.length, logged.length], [1, 5]);
    await worker.end();
  });

  it('is content with a signer elsewhere, however busy the estate is', async () => {
    const { world, logged, start } = signing();
    const worker = start('worker-1', otherKey);
    for (const name of ['a', 'b', 'c', 'd']) {
      await change(world, name);
      await world.clock.advance(60_000);
      await world.store.audit.checkpoint(estate);
      await change(world, `${name}2`);
    }
    assert.deepEqual(logged, []);
    await worker.end();
  });
});
