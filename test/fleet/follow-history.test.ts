import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { watchSource } from '../../src/fleet/source-watcher.ts';
import type { CurrentRevision, HistoryValidation } from '../../src/fleet/worker-context.ts';
import type { SpecTree } from '../../src/ports/sources.ts';
import { parseKept } from '../../src/source/kept-tree.ts';
import { network } from '../support/engine-world/documents.ts';
import { type FleetWorld, fleetWorld, today, treeOf, where } from '../support/fleet-world.ts';

const everyMs = 30_000;
const by = { person: 'ada', reason: 'a bad night' };
const fine: HistoryValidation = { state: 'followed', why: '' };

interface Followed {
  readonly world: FleetWorld;
  /** What the history was asked: the head, and what is in force. */
  readonly asked: (readonly [head: string, after: CurrentRevision])[];
  readonly reads: () => number;
  /** The head of the branch from now on; an error: it is out of reach. */
  says(head: string | Error, documents?: readonly object[]): void;
  judges(as: HistoryValidation): void;
  state(): Promise<object | undefined>;
  revision(): Promise<string | undefined>;
  end(): Promise<void>;
}

function followed(): Followed {
  const world = fleetWorld();
  const { store, yard } = world;
  const asked: (readonly [string, CurrentRevision])[] = [];
  let judgement = fine;
  let reads = 0;
  let says = (): SpecTree => parseKept({ specs: [], userData: [] }, 'nothing', today);
  const source = {
    name: 'https://git.example/infra.git',
    everyMs,
    read: async () => {
      reads += 1;
      return says();
    },
    history: {
      judge: async (head: string, after: CurrentRevision) => {
        asked.push([head, after]);
        return judgement.state === 'rewritten' && after.mayRewrite ? fine : judgement;
      },
    },
  };
  const stop = new AbortController();
  const ended = watchSource(source, yard, stop.signal);
  return {
    world,
    asked,
    reads: () => reads,
    says: (head, documents = [network()]) => {
      says = () => {
        if (head instanceof Error) throw head;
        return parseKept(treeOf(documents), head, today);
      };
    },
    judges: (as) => {
      judgement = as;
    },
    state: async () => {
      const [state] = await store.sources.states.list('acme');
      return state && { state: state.state, head: state.head, why: state.why };
    },
    revision: async () => (await store.generations.current('acme'))?.revision,
    end: () => {
      stop.abort();
      return ended;
    },
  };
}

/** One that follows `git:1`. */
async function following(): Promise<Followed> {
  const it = followed();
  it.says('git:1');
  await it.world.clock.advance(3_000);
  assert.equal(await it.revision(), 'git:1');
  return it;
}

const unsigned: HistoryValidation = { state: 'unsigned', why: 'commit 2 is not signed' };
const rewritten: HistoryValidation = { state: 'rewritten', why: 'git:1 is no ancestor of git:2' };

describe('following a repository', () => {
  it('makes each head a generation at once, and says that it is followed', async () => {
    const { world, says, revision, state, end } = await following();
    says('git:2', [network({ internet: false })]);
    await world.clock.advance(everyMs);
    assert.equal(await revision(), 'git:2');
    assert.deepEqual(await state(), { state: 'followed', head: 'git:2', why: '' });
    assert.deepEqual(await world.store.fleet.requests.pulse(where), { wish: 2, reason: 'generation 2', generation: 2 });
    await end();
  });

  it('asks for news only when it is due, or when somebody rang', async () => {
    const { world, reads, end } = await following();
    const before = reads();
    await world.clock.advance(20_000);
    assert.equal(reads(), before);
    await world.store.sources.bells.ring('acme');
    await world.clock.advance(600);
    assert.equal(reads(), before + 1);
    await world.clock.advance(everyMs);
    assert.equal(reads(), before + 2);
    await end();
  });
});

describe('a head that may not come into force', () => {
  it('is held back where it is not signed as the generation in force asks, and says so; judged once, not at every beat', async () => {
    const { world, says, judges, asked, revision, state, end } = await following();
    judges(unsigned);
    says('git:2');
    await world.clock.advance(everyMs * 2);
    assert.equal(await revision(), 'git:1');
    assert.deepEqual(await state(), { ...unsigned, head: 'git:2' });
    assert.equal(asked.length, 2);
    assert.deepEqual(asked[1], ['git:2', { revision: 'git:1', mayRewrite: false }]);
    judges(fine);
    says('git:3');
    await world.clock.advance(everyMs);
    assert.equal(await revision(), 'git:3');
    await end();
  });

  it('is judged again after a while: keys end, and programs are installed', async () => {
    const { world, says, judges, revision, end } = await following();
    judges(unsigned);
    says('git:2');
    await world.clock.advance(everyMs);
    judges(fine);
    await world.clock.advance(200_000);
    assert.equal(await revision(), 'git:1');
    await world.clock.advance(200_000);
    assert.equal(await revision(), 'git:2');
    await end();
  });

  it('is held back where the history was rewritten, until a person takes it on', async () => {
    const { world, says, judges, revision, state, end } = await following();
    judges(rewritten);
    says('git:2');
    await world.clock.advance(everyMs);
    assert.equal(await revision(), 'git:1');
    assert.deepEqual(await state(), { ...rewritten, head: 'git:2' });
    await world.store.sources.histories.accept('acme', { head: 'git:2', after: 'git:1' }, by);
    await world.clock.advance(1_000);
    assert.equal(await revision(), 'git:2');
    assert.deepEqual(await state(), { ...fine, head: 'git:2' });
    await end();
  });
});

describe('a rewritten history that a person took on', () => {
  it('was taken on after what it replaced, and is not gone back to by force, or by a copy that lags', async () => {
    const { world, says, judges, revision, state, end } = await following();
    judges(rewritten);
    says('git:2');
    await world.store.sources.histories.accept('acme', { head: 'git:2', after: 'git:1' }, by);
    await world.clock.advance(everyMs);
    judges(fine);
    says('git:3');
    await world.clock.advance(everyMs);
    assert.equal(await revision(), 'git:3');
    judges(rewritten);
    says('git:2');
    await world.clock.advance(everyMs);
    assert.equal(await revision(), 'git:3');
    assert.deepEqual(await state(), { ...rewritten, head: 'git:2' });
    await end();
  });
});

describe('an estate that is pinned', () => {
  it('follows nothing while the estate is pinned, and the head again once it is not', async () => {
    const { world, says, revision, state, end } = await following();
    const { pins } = world.store.sources;
    await pins.pin('acme', 'git:1', by);
    says('git:2');
    await world.clock.advance(everyMs);
    assert.equal(await revision(), 'git:1');
    assert.deepEqual(await state(), {
      state: 'pinned',
      head: 'git:2',
      why: 'held at commit 1 by ada: a bad night. To follow again: setpoint unpin',
    });
    await pins.unpin('acme', by);
    await world.clock.advance(1_000);
    assert.equal(await revision(), 'git:2');
    await end();
  });

  it('goes back to its head when the pin on an older revision ends', async () => {
    const { world, revision, end } = await following();
    const { fleet, sources, generations } = world.store;
    await sources.pins.pin('acme', 'git:0', by);
    await fleet.trees.keep('acme', 'git:0', treeOf([network({ internet: false })]));
    const current = await generations.current('acme');
    assert.ok(current);
    await generations.accept('acme', 'git:0', current.guards);
    await world.clock.advance(1_000);
    assert.equal(await revision(), 'git:0');
    await sources.pins.unpin('acme', by);
    await world.clock.advance(1_000);
    assert.equal(await revision(), 'git:1');
    await end();
  });
});

describe('a repository that cannot be followed', () => {
  it('keeps what is in force while it is out of reach, or its head is not sound, and says which', async () => {
    const { world, says, revision, state, end } = await following();
    says(new Error('git.example did not answer'));
    await world.clock.advance(everyMs);
    assert.deepEqual(await state(), { state: 'away', head: undefined, why: 'git.example did not answer' });
    says('git:2', [network({ cidr: 'nonsense' })]);
    await world.clock.advance(everyMs);
    const broken = await state();
    assert.equal(Reflect.get(broken ?? {}, 'state'), 'broken');
    assert.equal(Reflect.get(broken ?? {}, 'head'), 'git:2');
    assert.match(String(Reflect.get(broken ?? {}, 'why')), /^all\.yaml:\d+:\d+: /);
    assert.equal(await revision(), 'git:1');
    await end();
  });
});
