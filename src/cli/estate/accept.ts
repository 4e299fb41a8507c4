import { shortRevision } from '../../core/render/wording.ts';
import { acceptSpecs } from '../../estate/load.ts';
import type { By } from '../../ports/fleet-state.ts';
import type { Generation } from '../../ports/inventory.ts';
import { Pinned } from '../../ports/sources.ts';
import type { Store } from '../../ports/store.ts';
import type { Estate } from '../../queries/estate-view.ts';
import { Complaint } from '../complaint.ts';
import { exitCodes } from '../exit-code.ts';

/** Makes a person's specs the newest generation, unless a pin holds another revision, or workers follow a repository. */
export async function accept(estate: Estate, store: Store): Promise<Generation> {
  await refuseFollowed(estate, store);
  try {
    return await acceptSpecs(estate, store);
  } catch (error) {
    if (!(error instanceof Pinned)) throw error;
    const { revision, by } = error.pin;
    throw new Complaint(`${estate.name} is pinned at ${shortRevision(revision)}.`, {
      why: `${by.person} holds it there: ${by.reason}`,
      next: 'For what is in force: --in-force. To let other specs in again: setpoint unpin --reason "…"',
      code: exitCodes.refused,
      cause: error,
    });
  }
}

/** The same by a commit that was in force once: it holds until `unpin`, whatever is followed. */
export async function acceptPinned(estate: Estate, store: Store, by: By): Promise<Generation> {
  // why: the pin comes first, so that whoever follows the branch cannot take the rollback back in between
  await store.sources.pins.pin(estate.name, estate.tree.revision, by);
  return acceptSpecs(estate, store);
}

/**
 * Specs of a folder do not come into force beside a repository that workers follow: nobody would know any more what is in
 * force, and its next commit would take them back.
 */
async function refuseFollowed({ name, tree }: Estate, store: Store): Promise<void> {
  const current = await store.generations.current(name);
  if (current === undefined || current.revision === tree.revision) return;
  const leader = (await store.leases.held(name)).find(({ scope }) => scope === 'specs');
  const source = (await store.sources.states.list(name)).find(({ head }) => head?.startsWith('git:'));
  if (leader === undefined || source === undefined) return;
  throw new Complaint(`${name} follows ${source.source}, and these specs are not what is in force.`, {
    why: `${leader.holder} makes its generations; in force is ${shortRevision(current.revision)}, here is ${shortRevision(tree.revision)}.`,
    next: 'Commit there. For what is in force: --in-force. To go back to an earlier commit: setpoint apply --commit SHA --reason "…"',
    code: exitCodes.refused,
  });
}
