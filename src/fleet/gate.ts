import { shortRevision } from '../core/render/revision.ts';
import { takenNames } from '../core/trust-names.ts';
import { acceptSpecs } from '../estate/accept-specs.ts';
import { openEstate } from '../estate/opened-estate.ts';
import type { Generation } from '../ports/inventory.ts';
import { Overtaken } from '../ports/overtaken.ts';
import { Pinned } from '../ports/pinned.ts';
import type { SourceDraft } from '../ports/sources.ts';
import type { SpecTree } from '../ports/spec-tree.ts';
import { bygone } from './bygone.ts';
import { settled } from './settled.ts';
import type { History, Judgement, Source } from './source.ts';
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
      if (!(await accept(tree, current, yard))) return undefined;
      taken = head;
    }
    return { ...judgement, head };
  };
}

/** Whether a folder is no half-written one, nor one that lags. */
async function folderIsRipe(estate: string, yard: Yard): Promise<(tree: SpecTree) => Promise<boolean>> {
  const isSettled = settled(yard.clock);
  const isBygone = bygone(estate, yard);
  const current = await yard.store.generations.current(estate);
  let before = current && (await treeOf(estate, current, yard));
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

type Verdict = Omit<SourceDraft, 'source' | 'head'>;

/** Keys end, and programs are installed: what was held back is judged again after this. */
const goodForMs = 300_000;

const freely: Judgement = { state: 'followed', why: '' };

type Judge = (tree: SpecTree, current: Generation | undefined) => Promise<Verdict>;

/** What a history says of a head after what is in force; asked anew where one of the two has moved, and now and then. */
function judgeOf(estate: string, { history }: Source, yard: Yard): Judge {
  let known: { readonly key: string; readonly judgement: Verdict; readonly at: number } | undefined;
  return async (tree, current) => {
    if (history === undefined) return freely;
    const head = tree.revision;
    const mayRewrite = await yard.store.sources.histories.isAccepted(estate, head);
    const key = JSON.stringify([head, current?.number, mayRewrite]);
    if (known?.key === key && yard.clock.now() - known.at < goodForMs) return known.judgement;
    const judgement = await judgeAfter(tree, { estate, current, mayRewrite, history }, yard);
    const isNews = known?.judgement.why !== judgement.why;
    known = { key, judgement, at: yard.clock.now() };
    if (judgement.state !== 'followed' && isNews)
      yard.telemetry.log.error('specs held back; what was in force stays', { estate, revision: head, ...judgement });
    return judgement;
  };
}

interface Standing {
  readonly estate: string;
  readonly current: Generation | undefined;
  readonly mayRewrite: boolean;
  readonly history: History;
}

async function judgeAfter(tree: SpecTree, { estate, current, mayRewrite, history }: Standing, yard: Yard) {
  const before = current && (await treeOf(estate, current, yard));
  if (current !== undefined && before?.estate === undefined) return unread(current);
  // why: where nothing is in force yet, the first commit names its own signers
  const signatures = (before ?? tree).estate?.value.spec.signatures;
  const judged = await history.judge(tree.revision, {
    ...(current === undefined ? {} : { revision: current.revision }),
    ...(signatures === undefined ? {} : { signatures }),
    mayRewrite,
  });
  return judged.state === 'followed' ? (takes(tree, before) ?? judged) : judged;
}

/** Nobody can say who must have signed what comes after it, and a head does not say so itself. */
const unread = ({ revision }: Generation): Verdict => ({
  state: 'unsigned',
  why: `the Estate document in force (${revision}) cannot be read by this version, so who must sign is not known. Stop the workers that follow, and put sound specs in force by hand: setpoint apply`,
});

/** That a team's tree takes over what is another's: specs may be sound by themselves and not after what is in force. */
function takes(next: SpecTree, inForce: SpecTree | undefined): Verdict | undefined {
  const [first] = takenNames(inForce?.documents ?? [], next.documents);
  if (first === undefined) return undefined;
  const { at, message, hint } = first;
  return { state: 'broken', why: `${at.file}:${at.line}:${at.column}: ${message}; expected: ${hint?.expected}` };
}

/** As the store keeps it; undefined: it does not. */
async function treeOf(
  estate: string,
  { revision }: Generation,
  { store, outside }: Yard,
): Promise<SpecTree | undefined> {
  const kept = await store.fleet.trees.read(estate, revision);
  return kept && outside.specs(kept, revision);
}

/**
 * The next generation, and a pass now wherever it speaks of; nothing where the newest one says the same. False: something else
 * than what it was judged after is in force by now, or held by a person. Who lost the lease while judging is stopped here.
 */
async function accept(tree: SpecTree, after: Generation | undefined, yard: Yard): Promise<boolean> {
  const { store, queue, clock, outside, telemetry } = yard;
  const today = new Date(clock.now()).toISOString().slice(0, 10);
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
