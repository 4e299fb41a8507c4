import { dayOf } from '../core/day.ts';
import { shortRevision } from '../core/render/revision.ts';
import { acceptSpecs } from '../estate/accept-specs.ts';
import { keptSpecs } from '../estate/kept-specs.ts';
import { openEstate } from '../estate/opened-estate.ts';
import type { Generation } from '../ports/inventory.ts';
import { Overtaken } from '../ports/overtaken.ts';
import { Pinned } from '../ports/pinned.ts';
import type { SourceDraft } from '../ports/sources.ts';
import type { SpecTree } from '../ports/spec-tree.ts';
import { bygone } from './bygone.ts';
import { judgeOf } from './judge.ts';
import { settled } from './settled.ts';
import type { Source } from './source.ts';
import type { Yard } from './yard.ts';

/** Lets a sound tree into force or holds it back, and says which; undefined: it is too early to say. */
export type Gate = (tree: SpecTree) => Promise<Omit<SourceDraft, 'source'> | undefined>;

/** The gate to one estate, of whoever leads there: it remembers what it has let in. */
export async function gateOf(estate: string, source: Source, yard: Yard): Promise<Gate> {
  const { store } = yard;
  const ripe = source.history === undefined ? await folderIsRipe(estate, yard) : async () => true;
  const judge = judgeOf(estate, source, yard);
  let taken = '';
  return async (tree) => {
    const head = tree.revision;
    const pin = await store.sources.pins.current(estate);
    if (pin !== undefined) {
      // why: once the pin is gone, the head comes into force again
      taken = '';
      const why = `held at ${shortRevision(pin.revision)} by ${pin.by.person}: ${pin.by.reason}. To follow again: setpoint unpin`;
      return { state: 'pinned', head, why };
    }
    const current = await store.generations.current(estate);
    // why: a pin may have come and gone since, and what was rolled back to is still in force
    const stands = source.history === undefined || current?.revision === head;
    if (taken === head && stands) return { state: 'followed', head, why: '' };
    if (!(await ripe(tree))) return undefined;
    const judgement = await judge(tree, current);
    if (judgement.state === 'followed') {
      await tellAuthors(estate, { tree, current, source }, yard);
      if (!(await accept(tree, current, yard))) return undefined;
      taken = head;
    }
    return { ...judgement, head };
  };
}

interface Coming {
  readonly tree: SpecTree;
  readonly current: Generation | undefined;
  readonly source: Source;
}

/** Before it is accepted: no generation may be approved by who made it because it was not known yet who that was. */
async function tellAuthors(estate: string, { tree, current, source }: Coming, { store }: Yard): Promise<void> {
  const { revision } = tree;
  if (source.history?.authors === undefined || current?.revision === revision) return;
  const told = await source.history.authors(revision, current?.revision);
  await store.authors.tell({ estate, revision, after: current?.number ?? 0 }, told);
}

/** Whether a folder is no half-written one, nor one that lags. */
async function folderIsRipe(estate: string, yard: Yard): Promise<(tree: SpecTree) => Promise<boolean>> {
  const isSettled = settled(yard.clock);
  const isBygone = bygone(estate, yard);
  const current = await yard.store.generations.current(estate);
  let before = current && (await keptSpecs(estate, current, yard.store, yard.outside.specs));
  let followsAlready = false;
  return async (seen) => {
    if (!isSettled(seen, before)) return false;
    // why: what this worker has seen the folder go back to is meant
    if (!followsAlready && (await isBygone(seen))) return false;
    followsAlready = true;
    before = seen;
    return true;
  };
}

/**
 * The next generation, and a pass now wherever it speaks of; nothing where the newest one says the same. False: something else
 * than what it was judged after is in force by now, or held by a person. Who lost the lease while judging is stopped here.
 */
async function accept(tree: SpecTree, after: Generation | undefined, yard: Yard): Promise<boolean> {
  const { store, queue, clock, outside, telemetry } = yard;
  const today = dayOf(clock.now());
  const opened = await openEstate(tree, outside.cloud, today);
  const { name, compiled } = opened;
  const generation = await acceptSpecs(opened, store, after?.number ?? 0).catch((error: unknown) => {
    if (error instanceof Overtaken || error instanceof Pinned) return undefined;
    throw error;
  });
  if (generation === undefined) return false;
  const { number } = generation;
  if (after?.number === number) return true;
  telemetry.log.info('a new generation', { estate: name, generation: number, revision: tree.revision });
  for (const { scope } of compiled.scopes) {
    await store.fleet.requests.ask({ estate: name, scope }, `generation ${number}`);
    await queue.request({ estate: name, scope }, 'now');
  }
  return true;
}
