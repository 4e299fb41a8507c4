import { baseRevision } from '../../core/patch.ts';
import { shortRevision } from '../../core/render/wording.ts';
import { acceptSpecs, type Estate } from '../../estate/load.ts';
import { sharedScopes } from '../../estate/shared-scopes.ts';
import type { By } from '../../ports/fleet-state.ts';
import { type Generation, Overtaken, type OvertakenBy } from '../../ports/knowledge.ts';
import { Pinned } from '../../ports/sources.ts';
import type { Store } from '../../ports/store.ts';
import type { CliProcess } from '../context.ts';
import { exitCodes, UserError } from '../errors.ts';
import { besidePatchesOf } from './patches.ts';

/** Makes a person's specs the newest generation, unless a pin holds another revision, or workers follow a repository. */
export async function acceptFolder(given: Estate, store: Store, context: CliProcess): Promise<Generation> {
  const estate = await besidePatchesOf(given, store, context);
  await refuseFollowed(estate, store);
  try {
    return await acceptSpecs(estate, store);
  } catch (error) {
    if (error instanceof Overtaken) throw overtaken(error);
    if (!(error instanceof Pinned)) throw error;
    const { revision, by } = error.pin;
    throw new UserError(`${estate.name} is pinned at ${shortRevision(revision)}.`, {
      why: `${by.person} pinned it: ${by.reason}`,
      next: 'To use the active specs: --active. To accept other specs again: setpoint unpin --reason "…"',
      code: exitCodes.refused,
      cause: error,
    });
  }
}

/** The same by a commit that was active once: it holds until `unpin`, whatever its source has. */
export async function acceptPinned(
  given: Estate,
  store: Store,
  { by, context }: { readonly by: By; readonly context: CliProcess },
): Promise<Generation> {
  const estate = await besidePatchesOf(given, store, context);
  // why: the pin comes first, so that whoever follows the branch cannot take the rollback back in between
  await store.sources.pins.pin(estate.name, baseRevision(estate.tree.revision), by);
  return acceptSpecs(estate, store).catch((error: unknown) => {
    throw error instanceof Overtaken ? overtaken(error) : error;
  });
}

/** Call it before anything is planned, unless the person allowed shared scopes. */
export async function refuseSharedScopes(estate: Estate, store: Store): Promise<void> {
  const shared = await sharedScopes(estate, store);
  if (shared === undefined) return;
  throw new UserError(`Another estate owns resources there: ${shared.text}.`, {
    why: 'If these are specs of another branch or have a mistyped name, they launch each machine a second time.',
    next: `If the name is wrong, restore it: \`metadata.name\` of the Estate. If two estates share these scopes, run this again with --allow-shared-scopes.`,
    code: exitCodes.refused,
  });
}

const overtaken = (cause: Overtaken): UserError =>
  new UserError(`Nothing was applied: ${inTheMeantime[cause.by]} in the meantime.`, {
    why: 'The plan that you saw is older.',
    next: 'Review the new plan, and run it again.',
    code: exitCodes.refused,
    cause,
  });

const inTheMeantime: Readonly<Record<OvertakenBy, string>> = {
  generation: 'another generation became active',
  patch: 'a patch began or ended',
  lifetime: 'the lifetime of a document ended',
};

/**
 * Specs of a folder do not come into force beside a repository that workers follow: nobody would know any more what is in
 * force, and its next commit would take them back.
 */
async function refuseFollowed({ name, tree }: Estate, store: Store): Promise<void> {
  const current = await store.generations.current(name);
  if (current === undefined || baseRevision(current.revision) === baseRevision(tree.revision)) return;
  const leader = (await store.leases.held(name)).find(({ scope }) => scope === 'specs');
  const source = (await store.sources.states.list(name)).find(({ head }) => head?.startsWith('git:'));
  if (leader === undefined || source === undefined) return;
  throw new UserError(`${name} follows ${source.source}, and these specs are not active.`, {
    why: `${leader.holder} makes its generations. Active: ${shortRevision(current.revision)}. Here: ${shortRevision(tree.revision)}.`,
    next: 'Commit there. To use the active specs: --active. To go back to an earlier commit: setpoint apply --commit SHA --reason "…"',
    code: exitCodes.refused,
  });
}

interface PlannedGeneration {
  /** That the specs had, or would have become, when they were planned. */
  readonly generation: number;
  readonly newest: Generation | undefined;
  readonly estate: Estate;
}

const verbs = { approved: 'approve', applied: 'apply' } as const;

/** Somebody else's newer specs are not overruled by what was shown before they came. */
export function refuseSuperseded(
  { generation, newest, estate: { tree } }: PlannedGeneration,
  done: keyof typeof verbs,
): void {
  const would = newest?.revision === tree.revision ? newest.number : (newest?.number ?? 0) + 1;
  if (would === generation) return;
  throw new UserError(`Nothing was ${done}: generation ${newest?.number ?? 0} was accepted in the meantime.`, {
    why: 'The plan that you saw is older.',
    next: `Review the new plan: setpoint ${verbs[done]}`,
    code: exitCodes.refused,
  });
}
