import { shortRevision } from '../core/render/revision.ts';
import { takenNames } from '../core/trust-names.ts';
import { acceptSpecs } from '../estate/accept-specs.ts';
import { openEstate } from '../estate/opened-estate.ts';
import type { SourceDraft } from '../ports/sources.ts';
import type { SpecTree } from '../ports/spec-tree.ts';
import { bygone } from './bygone.ts';
import { settled } from './settled.ts';
import type { Judgement, Source } from './source.ts';
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
    if (taken === head) return { state: 'followed', head, why: '' };
    if (!(await ripe(tree))) return undefined;
    const judgement = await judge(head, tree);
    if (judgement.state === 'followed') {
      await accept(tree, yard);
      taken = head;
    }
    return { ...judgement, head };
  };
}

/** Whether a folder is no half-written one, nor one that lags. */
async function folderIsRipe(estate: string, yard: Yard): Promise<(tree: SpecTree) => Promise<boolean>> {
  const isSettled = settled(yard.clock);
  const isBygone = bygone(estate, yard);
  let before = (await treeInForce(estate, yard))?.tree;
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

/** What a history says of a head after what is in force; asked anew where one of the two has moved, and now and then. */
function judgeOf(estate: string, { history }: Source, yard: Yard): (head: string, tree: SpecTree) => Promise<Verdict> {
  let known: { readonly key: string; readonly judgement: Verdict; readonly at: number } | undefined;
  return async (head, tree) => {
    if (history === undefined) return freely;
    const { generations, sources } = yard.store;
    const [current, mayRewrite] = await Promise.all([
      generations.current(estate),
      sources.histories.isAccepted(estate, head),
    ]);
    const key = JSON.stringify([head, current?.number, mayRewrite]);
    if (known?.key === key && yard.clock.now() - known.at < goodForMs) return known.judgement;
    const inForce = await treeInForce(estate, yard);
    // why: where nothing is in force yet, the first commit names its own signers
    const signatures = (inForce?.tree ?? tree).estate?.value.spec.signatures;
    const judged = await history.judge(head, {
      ...(inForce === undefined ? {} : { revision: inForce.revision }),
      ...(signatures === undefined ? {} : { signatures }),
      mayRewrite,
    });
    const judgement = judged.state === 'followed' ? (takes(tree, inForce?.tree) ?? judged) : judged;
    const isNews = known?.judgement.why !== judgement.why;
    known = { key, judgement, at: yard.clock.now() };
    if (judgement.state !== 'followed' && isNews)
      yard.telemetry.log.error('specs held back; what was in force stays', { estate, revision: head, ...judgement });
    return judgement;
  };
}

/** That a team's tree takes over what is another's: specs may be sound by themselves and not after what is in force. */
function takes(next: SpecTree, inForce: SpecTree | undefined): Verdict | undefined {
  const [first] = takenNames(inForce?.documents ?? [], next.documents);
  if (first === undefined) return undefined;
  const { at, message, hint } = first;
  return { state: 'broken', why: `${at.file}:${at.line}:${at.column}: ${message}; expected: ${hint?.expected}` };
}

/** Absent: there is none. Without a tree: it was not kept. */
async function treeInForce(
  estate: string,
  { store, outside }: Yard,
): Promise<{ readonly revision: string; readonly tree: SpecTree } | undefined> {
  const current = await store.generations.current(estate);
  const kept = current && (await store.fleet.trees.read(estate, current.revision));
  return kept && { revision: current.revision, tree: outside.specs(kept, current.revision) };
}

/** The next generation, and a pass now wherever it speaks of; nothing where the newest one says the same. */
async function accept(tree: SpecTree, yard: Yard): Promise<void> {
  const { store, queue, clock, outside, telemetry } = yard;
  const today = new Date(clock.now()).toISOString().slice(0, 10);
  const opened = await openEstate(tree, outside.cloud, today);
  const { name, compiled } = opened;
  const before = await store.generations.current(name);
  const { number } = await acceptSpecs(opened, store);
  if (before?.number === number) return;
  telemetry.log.info('a new generation', { estate: name, generation: number, revision: tree.revision });
  for (const { scope } of compiled.scopes) {
    await store.fleet.requests.ask({ estate: name, scope }, `generation ${number}`);
    await queue.request({ estate: name, scope }, 'now');
  }
}
