import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { watchSource } from '../../src/fleet/source-watcher.ts';
import type { CurrentRevision, HistoryValidation } from '../../src/fleet/worker-context.ts';
import type { SpecTree } from '../../src/ports/sources.ts';
import { parseStored } from '../../src/source/stored-tree.ts';
import { network, rule } from '../support/engine-world/documents.ts';
import { type FleetWorld, fleetWorld, silent, today, treeOf, where } from '../support/fleet-world.ts';

interface FolderFollowed {
  readonly world: FleetWorld;
  readonly refused: string[];
  /** Sets the folder's documents from now on. */
  says(revision: string, documents: readonly object[]): void;
  end(): Promise<void>;
}

function folderFollowed({ allowEndpoint = true } = {}): FolderFollowed {
  const world = fleetWorld();
  const refused: string[] = [];
  let tree: SpecTree = parseStored({ specs: [], userData: [] }, 'nothing', today);
  const telemetry = silent(() => {});
  const log = {
    ...telemetry.log,
    error: (_: string, fields = {}) => void refused.push(String(Reflect.get(fields, 'reason'))),
  };
  const context = {
    ...world.context,
    outside: { ...world.context.outside, allowEndpoint },
    telemetry: { ...telemetry, log: { ...log, with: () => log } },
  };
  const stop = new AbortController();
  const ended = watchSource({ name: 'specs', everyMs: 1_000, read: async () => tree }, context, stop.signal);
  return {
    world,
    refused,
    says: (revision, documents) => {
      tree = parseStored(treeOf(documents), revision, today);
    },
    end: () => {
      stop.abort();
      return ended;
    },
  };
}

describe('following a folder', () => {
  it('makes each sound state of it the next generation, with a wish for a reconcile, and nothing of what stays', async () => {
    const { world, says, end } = folderFollowed();
    says('r1', [network()]);
    await world.clock.advance(10_000);
    assert.equal((await world.store.generations.current('acme'))?.number, 1);
    assert.equal((await world.store.fleet.requests.pendingState(where)).request, 1);
    says('r2', [network({ internet: false })]);
    await world.clock.advance(2_000);
    assert.deepEqual(await world.store.fleet.requests.pendingState(where), {
      request: 2,
      reason: 'generation 2',
      generation: 2,
    });
    assert.ok(await world.store.fleet.specSnapshots.read('acme', 'r2'));
    await end();
  });

  it('keeps what was in force while the folder is empty or not sound, says why once, and goes on when it is mended', async () => {
    const { world, says, refused, end } = folderFollowed();
    await world.clock.advance(5_000);
    assert.deepEqual(refused, ['these specs have no Estate']);
    says('r1', [network()]);
    await world.clock.advance(3_000);
    says('r2', [{ kind: 'Network', metadata: { name: 'core' }, spec: { targets: ['nowhere'] } }]);
    await world.clock.advance(5_000);
    assert.equal((await world.store.generations.current('acme'))?.revision, 'r1');
    assert.equal(refused.length, 2);
    assert.match(refused[1] ?? '', /^all\.yaml:\d+:\d+: /);
    says('r3', [network({ internet: false })]);
    await world.clock.advance(3_000);
    assert.equal((await world.store.generations.current('acme'))?.revision, 'r3');
    await end();
  });
});

const everyMs = 30_000;
const by = { person: 'ada', reason: 'a bad night' };
const fine: HistoryValidation = { state: 'followed', why: '' };

interface RepositoryFollowed {
  readonly world: FleetWorld;
  /** The questions to the history: the head, and the active revision. */
  readonly asked: (readonly [head: string, after: CurrentRevision])[];
  readonly reads: () => number;
  /** The reasons of the errors in the log. */
  readonly refused: readonly string[];
  /** The head of the branch from now on; an error: it is out of reach. */
  says(head: string | Error, documents?: readonly object[]): void;
  judges(as: HistoryValidation): void;
  state(): Promise<object | undefined>;
  revision(): Promise<string | undefined>;
  end(): Promise<void>;
}

function repositoryFollowed(): RepositoryFollowed {
  const world = fleetWorld();
  const { store, context } = world;
  const asked: (readonly [string, CurrentRevision])[] = [];
  const refused: string[] = [];
  const log: typeof context.telemetry.log = {
    ...context.telemetry.log,
    error: (_, fields = {}) => void refused.push(String(Reflect.get(fields, 'reason'))),
    with: () => log,
  };
  let judgement = fine;
  let reads = 0;
  let says = (): SpecTree => parseStored({ specs: [], userData: [] }, 'nothing', today);
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
  const ended = watchSource(source, { ...context, telemetry: { ...context.telemetry, log } }, stop.signal);
  return {
    world,
    asked,
    refused,
    reads: () => reads,
    says: (head, documents = [network()]) => {
      says = () => {
        if (head instanceof Error) throw head;
        return parseStored(treeOf(documents), head, today);
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
async function following(): Promise<RepositoryFollowed> {
  const it = repositoryFollowed();
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
    assert.deepEqual(await world.store.fleet.requests.pendingState(where), {
      request: 2,
      reason: 'generation 2',
      generation: 2,
    });
    await end();
  });

  it('asks for news only when it is due, or when somebody rang', async () => {
    const { world, reads, end } = await following();
    const before = reads();
    await world.clock.advance(20_000);
    assert.equal(reads(), before);
    await world.store.sources.wakeUps.add('acme');
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
    const { world, says, judges, revision, state, refused, end } = await following();
    judges(rewritten);
    says('git:2');
    await world.clock.advance(everyMs);
    assert.equal(await revision(), 'git:1');
    assert.equal(refused.at(-1), rewritten.why);
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
    await fleet.specSnapshots.keep('acme', 'git:0', treeOf([network({ internet: false })]));
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

it('a worker that lost the lease while it judged neither accepts nor says anything', async () => {
  const { clock, store, context } = fleetWorld();
  const judging = Promise.withResolvers<HistoryValidation>();
  const source = {
    name: 'https://git.example/infra.git',
    everyMs: 30_000,
    read: async () => parseStored(treeOf([network()]), 'git:1', today),
    history: { judge: () => judging.promise },
  };
  const stop = new AbortController();
  const ended = watchSource(source, context, stop.signal);
  await clock.advance(3_000);
  store.stall();
  await clock.advance(60_000);
  judging.resolve({ state: 'unsigned', why: 'nobody signed it' });
  stop.abort();
  await ended;
  assert.deepEqual(await store.sources.states.list('acme'), []);
  assert.equal(await store.generations.current('acme'), undefined);
});

const bygoneTree = (revision: string, port: number): SpecTree =>
  parseStored(treeOf([network(), rule('web', { ports: [port] })]), revision, today);

function worker(world: FleetWorld, first: SpecTree) {
  let seen = first;
  const stop = new AbortController();
  const ended = watchSource({ name: 'specs', everyMs: 1_000, read: async () => seen }, world.context, stop.signal);
  return {
    says: (next: SpecTree) => {
      seen = next;
    },
    end: () => {
      stop.abort();
      return ended;
    },
  };
}

const active = async ({ store }: FleetWorld) => {
  const current = await store.generations.current('acme');
  return [current?.number, current?.revision];
};

/** One worker brought the second generation in, and is gone. */
async function second(): Promise<FleetWorld> {
  const world = fleetWorld();
  const one = worker(world, bygoneTree('r1', 80));
  await world.clock.advance(3_000);
  one.says(bygoneTree('r2', 443));
  await world.clock.advance(3_000);
  assert.deepEqual(await active(world), [2, 'r2']);
  await one.end();
  return world;
}

describe('a worker that begins to follow a folder', () => {
  it('does not take a commit back where its copy lags behind', async () => {
    const world = await second();
    const two = worker(world, bygoneTree('r1', 80));
    await world.clock.advance(60_000);
    assert.deepEqual(await active(world), [2, 'r2']);
    two.says(bygoneTree('r3', 8443));
    await world.clock.advance(3_000);
    assert.deepEqual(await active(world), [3, 'r3']);
    await two.end();
  });

  it('goes back with it once it has had the time to catch up, and at once when it was seen to go back', async () => {
    const world = await second();
    const two = worker(world, bygoneTree('r1', 80));
    await world.clock.advance(602_000);
    assert.deepEqual(await active(world), [3, 'r1']);
    two.says(bygoneTree('r2', 443));
    await world.clock.advance(3_000);
    assert.deepEqual(await active(world), [4, 'r2']);
    await two.end();
  });
});

const settledTree = (revision: string, documents: readonly object[]): SpecTree =>
  parseStored(treeOf(documents), revision, today);
const whole = [network(), rule('https'), rule('ssh', { ports: [22] })];
const half = whole.slice(0, 2);

interface SettledFollowed {
  readonly world: FleetWorld;
  says(seen: SpecTree | Promise<SpecTree>): void;
  revision(): Promise<string | undefined>;
  end(): Promise<void>;
}

function settledFollowed(): SettledFollowed {
  const world = fleetWorld();
  let seen: SpecTree | Promise<SpecTree> = settledTree('r1', whole);
  const stop = new AbortController();
  const ended = watchSource({ name: 'specs', everyMs: 1_000, read: async () => seen }, world.context, stop.signal);
  return {
    world,
    says: (next) => {
      seen = next;
    },
    revision: async () => (await world.store.generations.current('acme'))?.revision,
    end: () => {
      stop.abort();
      return ended;
    },
  };
}

describe('a folder in the middle of being written', () => {
  it('is believed once it stands still', async () => {
    const { world, says, revision, end } = settledFollowed();
    await world.clock.advance(5_000);
    assert.equal(await revision(), 'r1');
    for (const half of ['r2', 'r3', 'r4']) {
      says(settledTree(half, [...whole, rule(half, { ports: [80] })]));
      await world.clock.advance(1_000);
    }
    assert.equal(await revision(), 'r1');
    await world.clock.advance(1_000);
    assert.equal(await revision(), 'r4');
    await end();
  });

  it('removes nothing while a checkout has not written everything again', async () => {
    const { world, says, revision, end } = settledFollowed();
    await world.clock.advance(5_000);
    says(settledTree('half', half));
    await world.clock.advance(9_000);
    assert.equal(await revision(), 'r1');
    says(settledTree('r2', [...whole, rule('http', { ports: [80] })]));
    await world.clock.advance(2_000);
    assert.equal(await revision(), 'r2');
    says(settledTree('half', half));
    await world.clock.advance(12_000);
    assert.equal(await revision(), 'half', 'what stays away is meant');
    await end();
  });

  it('is held against what is in force also by a worker that has only begun to follow it', async () => {
    const { world, says, revision, end } = settledFollowed();
    await world.clock.advance(5_000);
    await end();
    says(settledTree('half', half));
    const stop = new AbortController();
    const again = watchSource(
      { name: 'specs', everyMs: 1_000, read: async () => settledTree('half', half) },
      world.context,
      stop.signal,
    );
    await world.clock.advance(9_000);
    assert.equal(await revision(), 'r1');
    stop.abort();
    await again;
  });
});

describe('a folder that is slow to answer', () => {
  it('makes no generation of what it held when another worker led already', async () => {
    const { world, says, revision, end } = settledFollowed();
    await world.clock.advance(5_000);
    const late = settledTree('r2', [...whole, rule('http', { ports: [80] })]);
    const slow = Promise.withResolvers<SpecTree>();
    says(late);
    await world.clock.advance(1_000);
    says(slow.promise);
    world.store.stall();
    await world.clock.advance(20_000);
    assert.ok((await world.store.leases.acquire('acme', 'specs', 'worker-2')).ok);
    await world.accept([...whole, rule('newer', { ports: [81] })]);
    const newer = await revision();
    slow.resolve(late);
    await world.clock.advance(5_000);
    assert.equal(await revision(), newer);
    await end();
  });
});
