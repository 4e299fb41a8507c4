import { ofKind } from '../core/spec/spec-set.ts';
import { acceptSpecs } from '../estate/accept-specs.ts';
import { openEstate } from '../estate/opened-estate.ts';
import type { SpecTree } from '../ports/spec-tree.ts';
import { bygone } from './bygone.ts';
import { asLeader } from './leader.ts';
import { settled } from './settled.ts';
import type { Yard } from './yard.ts';

/** Where specs come from. `name`: for people. */
export interface Source {
  readonly name: string;
  read(): Promise<SpecTree>;
}

/** How often a folder is looked at. */
const everyMs = 1_000;

/**
 * Makes generations of what a source says, until it is stopped. Of all workers that follow the specs of one estate one does
 * so at a time. Specs that are not sound change nothing: the newest generation stays in force.
 */
export async function follow(source: Source, yard: Yard, signal: AbortSignal): Promise<void> {
  const sound = soundOnly(source, yard);
  for (; !signal.aborted; await yard.clock.sleep(everyMs, signal).catch(() => {})) {
    const estate = nameOf(await sound());
    if (estate === undefined) continue;
    const where = { estate, scope: 'specs' };
    await asLeader(where, yard, signal, (lead) => followAs(estate, sound, yard, lead));
  }
}

type Read = () => Promise<SpecTree | undefined>;

const nameOf = (tree: SpecTree | undefined): string | undefined => tree?.estate?.value.metadata.name;

/** Returns when the source begins to speak of another estate: that is another lease. */
async function followAs(estate: string, read: Read, yard: Yard, lead: AbortSignal): Promise<void> {
  const isSettled = settled(yard.clock);
  const isBygone = bygone(estate, yard);
  let inForce = await treeInForce(estate, yard);
  for (let accepted = ''; !lead.aborted; await yard.clock.sleep(everyMs, lead)) {
    const seen = await read();
    // why: a folder may be slow to answer, and whoever leads by now may have accepted what came after this
    lead.throwIfAborted();
    if (seen === undefined || seen.revision === accepted) continue;
    if (nameOf(seen) !== estate) return;
    if (!isSettled(seen, inForce)) continue;
    // why: what this worker has seen the folder go back to is meant
    if (accepted === '' && (await isBygone(seen))) continue;
    await accept(seen, yard);
    accepted = seen.revision;
    inForce = seen;
  }
}

/** Absent: there is none, or its tree was not kept. */
async function treeInForce(estate: string, { store, outside }: Yard): Promise<SpecTree | undefined> {
  const current = await store.generations.current(estate);
  const kept = current && (await store.fleet.trees.read(estate, current.revision));
  return kept && outside.specs(kept, current.revision);
}

/** Reads what is sound; of what is not, says once why. */
function soundOnly({ name, read }: Source, yard: Yard): Read {
  const log = yard.telemetry.log.with({ of: name });
  let refused = '';
  return async () => {
    const found = await read();
    const why = complaintOf(found, yard);
    if (why === undefined) return found;
    const { revision } = found;
    if (refused !== revision) log.error('specs refused; what was in force stays', { revision, why });
    refused = revision;
    return undefined;
  };
}

function complaintOf({ problems, documents }: SpecTree, { outside }: Yard): string | undefined {
  const errors = problems.filter(({ severity }) => severity === 'error');
  const [first] = errors;
  if (first) {
    const { file, line, column } = first.at;
    const at = file === '' ? '' : `${file}:${line}:${column}: `;
    return `${at}${first.message}${errors.length > 1 ? `, and ${errors.length - 1} more` : ''}`;
  }
  const elsewhere = ofKind(documents, 'Target').find(({ value }) => value.spec.endpoint !== undefined);
  if (elsewhere === undefined || outside.allowEndpoint) return undefined;
  return `the target ${elsewhere.value.metadata.name} is at an endpoint of its own; if that is meant, start with --allow-endpoint`;
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
