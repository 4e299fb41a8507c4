import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { watchSource } from '../../src/fleet/source-watcher.ts';
import type { CurrentRevision, HistoryValidation, Source } from '../../src/fleet/worker-context.ts';
import type { SpecTree } from '../../src/ports/sources.ts';
import { parseKept } from '../../src/source/kept-tree.ts';
import { network } from '../support/engine-world/documents.ts';
import { type FleetWorld, fleetWorld, today, treeOf } from '../support/fleet-world.ts';

const fine: HistoryValidation = { state: 'followed', why: '' };
const by = { person: 'ada', reason: 'a second estate' };
const name = 'https://git.example/infra.git';
const signatures = {
  required: true,
  signers: [{ name: 'ada', email: 'ada@acme.example', ssh: `ssh-ed25519 ${sshKey()} ada` }],
};

function sshKey(): string {
  const field = (bytes: Buffer): Buffer => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes]);
  return Buffer.concat([field(Buffer.from('ssh-ed25519')), field(Buffer.alloc(32, 7))]).toString('base64');
}

function specs(head: string, estate: string, spec: object = {}): SpecTree {
  const { specs: files } = treeOf([network()], spec);
  const renamed = files.map(({ path, text }) => ({ path, text: text.replace('"name":"acme"', `"name":"${estate}"`) }));
  return parseKept({ specs: renamed, userData: [] }, head, today);
}

interface Followed {
  readonly world: FleetWorld;
  readonly asked: (readonly [head: string, after: CurrentRevision])[];
  says(tree: SpecTree): void;
  judges(as: HistoryValidation): void;
  inForce(estate: string): Promise<string | undefined>;
  state(estate: string): Promise<{ readonly state: string; readonly why: string } | undefined>;
  /** Another process, that begins anew. */
  restart(): Promise<void>;
  end(): Promise<void>;
}

function followed(): Followed {
  const world = fleetWorld();
  const asked: (readonly [string, CurrentRevision])[] = [];
  let [tree, judgement] = [specs('git:1', 'acme', { signatures }), fine];
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
    return { stop, ended: watchSource(source, world.yard, stop.signal) };
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
    inForce: async (estate) => (await world.store.generations.current(estate))?.revision,
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
  assert.equal(await it.inForce('acme'), 'git:1');
  it.says(specs('git:2', 'globex'));
  await it.world.clock.advance(10_000);
  return it;
}

describe('a commit that gives the estate another name', () => {
  it('does not come into force as a new estate, whose guards and signers it would name itself', async () => {
    const { world, inForce, state, restart, end } = await renamed();
    assert.equal(await inForce('globex'), undefined);
    const held = await state('globex');
    assert.equal(held?.state, 'rewritten');
    assert.match(held?.why ?? '', /spoke of the estate acme.*setpoint approve --history 2 --reason/);
    const former = await state('acme');
    assert.equal(former?.state, 'broken');
    assert.match(former?.why ?? '', /speak of the estate globex/);
    await restart();
    await world.clock.advance(10_000);
    assert.equal(await inForce('globex'), undefined);
    await end();
  });

  it('is let in where a person takes it on, and the signers of the estate that was have signed it', async () => {
    const { world, asked, judges, inForce, state, end } = await renamed();
    judges({ state: 'unsigned', why: 'commit 2 is not signed' });
    asked.length = 0;
    await world.store.sources.histories.accept('globex', { head: 'git:2', after: '' }, by);
    await world.clock.advance(2_000);
    assert.equal((await state('globex'))?.state, 'unsigned');
    assert.deepEqual(asked, [['git:2', { revision: 'git:1', signatures, mayRewrite: true }]]);
    judges(fine);
    await world.clock.advance(400_000);
    assert.equal(await inForce('globex'), 'git:2');
    assert.equal(await inForce('acme'), 'git:1');
    await end();
  });

  it('does not keep a worker from its estate for ever where another worker leads the one that is named', async () => {
    const it = followed();
    await it.world.clock.advance(3_000);
    const theirs = await it.world.store.leases.acquire('globex', 'specs', 'worker-2');
    assert.ok(theirs.ok);
    it.says(specs('git:2', 'globex'));
    await it.world.clock.advance(10_000);
    it.says(specs('git:3', 'acme', { signatures }));
    await it.world.clock.advance(700_000);
    assert.equal(await it.inForce('acme'), 'git:3');
    await theirs.lease.release();
    await it.end();
  });

  it('is forgotten when the name comes back', async () => {
    const { world, says, inForce, state, end } = await renamed();
    says(specs('git:3', 'acme', { signatures }));
    await world.clock.advance(10_000);
    assert.equal(await inForce('acme'), 'git:3');
    assert.equal((await state('acme'))?.state, 'followed');
    await end();
  });
});
