import assert from 'node:assert/strict';
import { describe, it, mock, test } from 'node:test';
import { type AcceptRevision, revisionAcceptor } from '../../src/fleet/accept.ts';
import { watchSource } from '../../src/fleet/source-watcher.ts';
import type { CurrentRevision, HistoryValidation, Source } from '../../src/fleet/worker-context.ts';
import type { SpecSnapshot } from '../../src/ports/fleet-state.ts';
import type { SourceDraft, SpecTree } from '../../src/ports/sources.ts';
import { parseStored } from '../../src/source/stored-tree.ts';
import { network } from '../support/engine-world/documents.ts';
import { type FleetWorld, fleetWorld, today, treeOf } from '../support/fleet-world.ts';

const fine: HistoryValidation = { state: 'followed', why: '' };
const gateBy = { person: 'ada', reason: 'a bad night' };

/** Heads of `acme` after one another, by their number. */
const head = (number: number): SpecTree => parseStored(treeOf([network()]), `git:${number}`, today);

const sourceOf = (judge: (head: string, after: CurrentRevision) => Promise<HistoryValidation>): Source => ({
  name: 'https://git.example/infra.git',
  everyMs: 1,
  read: async () => head(1),
  history: { judge },
});

const revisionOf = async ({ store }: FleetWorld): Promise<string | undefined> =>
  (await store.generations.current('acme'))?.revision;

/** A gate that finds every history fine, through which this tree has come. */
async function letIn(world: FleetWorld, tree: SpecTree): Promise<AcceptRevision> {
  const fromFine = sourceOf(async () => fine);
  const gate = await revisionAcceptor('acme', fromFine, world.context);
  await gate(tree);
  return gate;
}

/** Past the gate, as a person does who goes back to a commit. */
async function bringIn({ store }: FleetWorld, revision: string, tree: SpecSnapshot): Promise<void> {
  const current = await store.generations.current('acme');
  assert.ok(current);
  await store.fleet.specSnapshots.keep('acme', revision, tree);
  await store.generations.accept('acme', revision, current.guards);
}

describe('the gate to an estate', () => {
  it('lets nothing in that was judged beside what is not in force any more', async () => {
    const world = fleetWorld();
    const asked = Promise.withResolvers<void>();
    const judged = Promise.withResolvers<void>();
    const slow = async ({ revision }: CurrentRevision): Promise<HistoryValidation> => {
      if (revision === 'git:1') {
        asked.resolve();
        await judged.promise;
      }
      return revision === 'git:3' ? { state: 'rewritten', why: 'git:3 is no ancestor of git:2' } : fine;
    };
    const first = await revisionAcceptor(
      'acme',
      sourceOf((_, after) => slow(after)),
      world.context,
    );
    await first(head(1));
    const late = first(head(2));
    await asked.promise;
    const second = await revisionAcceptor(
      'acme',
      sourceOf(async () => fine),
      world.context,
    );
    await second(head(3));
    judged.resolve();
    assert.equal(await late, undefined);
    assert.equal(await revisionOf(world), 'git:3');
    assert.equal((await first(head(2)))?.state, 'rewritten');
    assert.equal(await revisionOf(world), 'git:3');
  });

  it('says nothing where a person pins the estate while a head is judged', async () => {
    const world = fleetWorld();
    const { sources } = world.store;
    const pins = sourceOf(async (_, { revision }) => {
      if (revision === 'git:1') await sources.pins.pin('acme', 'git:1', gateBy);
      return fine;
    });
    const gate = await revisionAcceptor('acme', pins, world.context);
    await gate(head(1));
    assert.equal(await gate(head(2)), undefined);
    assert.equal((await gate(head(2)))?.state, 'pinned');
    assert.equal(await revisionOf(world), 'git:1');
  });

  it('does not call followed what is not in force: a pin may have come and gone between two looks', async () => {
    const world = fleetWorld();
    const gate = await letIn(world, head(1));
    await bringIn(world, 'git:0', treeOf([network({ internet: false })]));
    assert.equal((await gate(head(1)))?.state, 'followed');
    assert.equal(await revisionOf(world), 'git:1');
  });
});

describe('who must have signed a head', () => {
  it('is not left to the head where what is in force cannot be read', async () => {
    const world = fleetWorld();
    const gate = await letIn(world, head(1));
    await bringIn(world, 'git:2', treeOf([network()], { mode: 'of another version' }));
    const held = await gate(head(3));
    assert.equal(held?.state, 'unsigned');
    assert.match(held?.why ?? '', /cannot read .*git:2/);
    assert.equal(await revisionOf(world), 'git:2');
  });
});

const sources = ['web', 'db'].map((name) => ({ name, repo: `/srv/${name}.git`, owners: [name] }));

/** The estate of two teams, each with these networks: `{ name, cidr, was }`. */
function namesSpecs(revision: string, teams: Readonly<Record<string, readonly object[]>>) {
  const root = treeOf([], { sources }).specs;
  const trees = Object.entries(teams).map(([team, metadata]) => ({
    path: `@${team}/nets.yaml`,
    text: metadata
      .map((own, index) => network({ cidr: `10.${team.length}${index}.0.0/16`, subnets: [] }, { owner: team, ...own }))
      .map((document) => JSON.stringify({ apiVersion: 'setpoint.dev/v1', ...document }))
      .join('\n---\n'),
  }));
  const tree = parseStored({ specs: [...root, ...trees], userData: [] }, revision, today);
  assert.deepEqual(
    tree.problems.map(({ message }) => message),
    [],
  );
  return tree;
}

test("a team's name of old is let in where it is its own, and held back where it was another's", async () => {
  const { context, store } = fleetWorld();
  const history = { judge: async () => ({ state: 'followed', why: '' }) as const };
  const source = { name: 'git', everyMs: 1, read: async () => namesSpecs('git:0', {}), history };
  const gate = await revisionAcceptor('acme', source, context);
  const revision = async (): Promise<string | undefined> => (await store.generations.current('acme'))?.revision;

  await gate(namesSpecs('git:1', { web: [{ name: 'site' }], db: [{ name: 'data' }] }));
  assert.equal(await revision(), 'git:1');

  const held = await gate(namesSpecs('git:2', { web: [{ name: 'site' }, { name: 'mine', was: ['data'] }], db: [] }));
  assert.equal(held?.state, 'broken');
  assert.match(
    held?.why ?? '',
    /^@web\/nets\.yaml:3:\d+: `data` is active in no file of `@web\/`; expected: a former name/,
  );
  assert.equal(await revision(), 'git:1');

  const renamed = await gate(namesSpecs('git:3', { web: [{ name: 'shop', was: ['site'] }], db: [{ name: 'data' }] }));
  assert.deepEqual([renamed?.state, await revision()], ['followed', 'git:3']);
});

it('who made a head is told before it comes into force, of the move from what was in force', async () => {
  const world = fleetWorld();
  const { store } = world;
  const asked: (readonly [string, string | undefined, number | undefined])[] = [];
  const source: Source = {
    name: 'https://git.example/infra.git',
    everyMs: 1,
    read: async () => assert.fail(),
    history: {
      judge: async () => ({ state: 'followed', why: '' }),
      authors: async (revision, before) => {
        asked.push([revision, before, (await store.generations.current('acme'))?.number]);
        return { names: [`${revision}@acme.example`], more: false };
      },
    },
  };
  const gate = await revisionAcceptor('acme', source, world.context);
  for (const revision of ['git:1', 'git:2', 'git:2']) await gate(parseStored(treeOf([network()]), revision, today));
  assert.deepEqual(asked, [
    ['git:1', undefined, undefined],
    ['git:2', 'git:1', 1],
  ]);
  const authorsOf = (name: string) => ({ names: [name], more: false });
  assert.deepEqual(await store.authors.since('acme', 0, 10), [
    { generation: 1, authors: authorsOf('git:1@acme.example') },
    { generation: 2, authors: authorsOf('git:2@acme.example') },
  ]);
});

const renamedBy = { person: 'ada', reason: 'a second estate' };
const name = 'https://git.example/infra.git';
const signatures = {
  required: true,
  signers: [{ name: 'ada', email: 'ada@acme.example', ssh: `ssh-ed25519 ${sshKey()} ada` }],
};

function sshKey(): string {
  const field = (bytes: Buffer): Buffer => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes]);
  return Buffer.concat([field(Buffer.from('ssh-ed25519')), field(Buffer.alloc(32, 7))]).toString('base64');
}

function renamedSpecs(head: string, estate: string, spec: object = {}): SpecTree {
  const { specs: files } = treeOf([network()], spec);
  const renamed = files.map(({ path, text }) => ({ path, text: text.replace('"name":"acme"', `"name":"${estate}"`) }));
  return parseStored({ specs: renamed, userData: [] }, head, today);
}

interface Followed {
  readonly world: FleetWorld;
  readonly asked: (readonly [head: string, after: CurrentRevision])[];
  says(tree: SpecTree): void;
  judges(as: HistoryValidation): void;
  active(estate: string): Promise<string | undefined>;
  state(estate: string): Promise<Pick<SourceDraft, 'state' | 'code' | 'why'> | undefined>;
  /** Another process, that begins anew. */
  restart(): Promise<void>;
  end(): Promise<void>;
}

function followed(): Followed {
  const world = fleetWorld();
  const asked: (readonly [string, CurrentRevision])[] = [];
  let [tree, judgement] = [renamedSpecs('git:1', 'acme', { signatures }), fine];
  const source: Source = {
    name,
    everyMs: 1_000,
    read: async () => tree,
    history: {
      judge: async (head, after) => {
        asked.push([head, after]);
        return judgement;
      },
    },
  };
  const begin = (): { readonly stop: AbortController; readonly ended: Promise<void> } => {
    const stop = new AbortController();
    return { stop, ended: watchSource(source, world.context, stop.signal) };
  };
  let running = begin();
  const end = (): Promise<void> => {
    running.stop.abort();
    return running.ended;
  };
  return {
    world,
    asked,
    says: (now) => {
      tree = now;
    },
    judges: (as) => {
      judgement = as;
    },
    active: async (estate) => (await world.store.generations.current(estate))?.revision,
    state: async (estate) => (await world.store.sources.states.list(estate))[0],
    restart: async () => {
      await end();
      running = begin();
    },
    end,
  };
}

async function renamed(): Promise<Followed> {
  const it = followed();
  await it.world.clock.advance(3_000);
  assert.equal(await it.active('acme'), 'git:1');
  it.says(renamedSpecs('git:2', 'globex'));
  await it.world.clock.advance(10_000);
  return it;
}

describe('a commit that gives the estate another name', () => {
  it('does not come into force as a new estate, whose guards and signers it would name itself', async () => {
    const { world, active, state, restart, end } = await renamed();
    assert.equal(await active('globex'), undefined);
    const held = await state('globex');
    assert.equal(held?.state, 'rewritten');
    assert.match(held?.why ?? '', /had the estate acme.*setpoint approve --history 2 --reason/);
    const former = await state('acme');
    assert.deepEqual([former?.state, former?.code], ['broken', 'names-another-estate']);
    assert.match(former?.why ?? '', /name the estate globex/);
    await restart();
    await world.clock.advance(10_000);
    assert.equal(await active('globex'), undefined);
    await end();
  });

  it('is let in where a person takes it on, and the signers of the estate that was have signed it', async () => {
    const { world, asked, judges, active, state, end } = await renamed();
    judges({ state: 'unsigned', why: 'commit 2 is not signed' });
    asked.length = 0;
    await world.store.sources.histories.accept('globex', { head: 'git:2', after: '' }, renamedBy);
    await world.clock.advance(2_000);
    assert.equal((await state('globex'))?.state, 'unsigned');
    assert.deepEqual(asked, [['git:2', { revision: 'git:1', signatures, mayRewrite: true }]]);
    judges(fine);
    await world.clock.advance(400_000);
    assert.equal(await active('globex'), 'git:2');
    assert.equal(await active('acme'), 'git:1');
    await end();
  });

  it('does not keep a worker from its estate for ever where another worker leads the one that is named', async () => {
    const it = followed();
    await it.world.clock.advance(3_000);
    const theirs = await it.world.store.leases.acquire('globex', 'specs', 'worker-2');
    assert.ok(theirs.ok);
    it.says(renamedSpecs('git:2', 'globex'));
    await it.world.clock.advance(10_000);
    it.says(renamedSpecs('git:3', 'acme', { signatures }));
    await it.world.clock.advance(700_000);
    assert.equal(await it.active('acme'), 'git:3');
    await theirs.lease.release();
    await it.end();
  });

  it('is one of a new repository: it waits where another estate owns resources there', async () => {
    const it = followed();
    it.says(renamedSpecs('git:2', 'globex'));
    await it.world.accept([network()]);
    await it.world.reconcile();
    await it.world.clock.advance(10_000);
    const held = await it.state('globex');
    assert.equal(held?.state, 'rewritten');
    assert.match(
      held?.why ?? '',
      /^another estate owns resources in memory\/acme\/north, and globex owns none there.*: setpoint approve --history 2 --reason "…"$/,
    );
    assert.equal(await it.active('globex'), undefined);
    await it.world.store.sources.histories.accept('globex', { head: 'git:2', after: '' }, renamedBy);
    await it.world.clock.advance(400_000);
    assert.equal(await it.active('globex'), 'git:2');
    await it.end();
  });

  it('is forgotten when the name comes back', async () => {
    const { world, says, active, state, end } = await renamed();
    says(renamedSpecs('git:3', 'acme', { signatures }));
    await world.clock.advance(10_000);
    assert.equal(await active('acme'), 'git:3');
    assert.equal((await state('acme'))?.state, 'followed');
    await end();
  });
});

describe('a folder that names an estate that has not begun', () => {
  const folderOf = (tree: SpecTree): Source => ({ name: 'folder specs', everyMs: 1, read: async () => tree });
  const ripeMs = 11_000;

  async function acceptedFrom(world: FleetWorld, estate: string): Promise<Omit<SourceDraft, 'source'> | undefined> {
    const tree = renamedSpecs(`folder:${estate}`, estate);
    const acceptRevision = await revisionAcceptor(estate, folderOf(tree), world.context);
    await acceptRevision(tree);
    await world.clock.advance(ripeMs);
    await acceptRevision(tree);
    return acceptRevision(tree);
  }

  it('begins it where no other estate owns anything there', async () => {
    const world = fleetWorld();
    assert.equal((await acceptedFrom(world, 'acme'))?.state, 'followed');
    assert.equal((await acceptedFrom(world, 'globex'))?.state, 'followed', 'acme owns nothing yet');
  });

  it('leaves the other estate alone where that owns resources there: it may be the wrong branch', async () => {
    const world = fleetWorld();
    await world.accept([network()]);
    await world.reconcile();
    const warn = mock.method(world.context.telemetry.log, 'warn');
    const held = await acceptedFrom(world, 'globex');
    assert.equal(held?.state, 'broken');
    const logged = warn.mock.calls.map(({ arguments: [message, fields] }) => [message, fields?.reason]);
    assert.equal(logged.length, 1);
    assert.match(
      logged[0]?.join(': ') ?? '',
      /^another estate owns .*: acme owns \d resources? in memory\/acme\/north, and globex owns none there$/,
    );
    assert.match(
      held?.why ?? '',
      /^another estate owns resources in memory\/acme\/north, and globex owns none there\. If two estates share these scopes: setpoint apply --allow-shared-scopes$/,
    );
    assert.equal(await world.store.generations.current('globex'), undefined);
  });
});
