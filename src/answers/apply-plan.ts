import type { Action } from '../core/action.ts';
import { actionDigest } from '../core/digest.ts';
import { shortRevision } from '../core/render/wording.ts';
import { holdAgainst } from '../estate/approvals.ts';
import { acceptSpecs } from '../estate/load.ts';
import { sha256 } from '../estate/sha256.ts';
import type { AppliedPlan, PlanNamed } from '../ports/answers.ts';
import { Declined } from '../ports/declined.ts';
import type { Generation } from '../ports/inventory.ts';
import { Overtaken } from '../ports/overtaken.ts';
import { Pinned } from '../ports/pinned.ts';
import type { Proposal } from '../ports/proposals.ts';
import type { Store } from '../ports/store.ts';
import { authorsBy } from './authorship.ts';
import type { Estate } from './estate.ts';
import { type Grounds, type Opened, openInForce } from './opened.ts';
import { estateOf } from './posted-estate.ts';
import { surveyOf } from './survey-of.ts';
import { wishPasses } from './wish.ts';

export interface Applying extends PlanNamed {
  readonly proposal: Proposal;
  readonly reason: string;
}

/**
 * Makes posted specs the next generation: where nothing is followed, after the one that they were planned beside, and where
 * planning again wants no more, no less and nothing else of the clouds than was shown. Workers do the rest, as far as modes and
 * limits let them. Who posted them and who brings them into force are its authors.
 */
export async function applyPlan({ proposal, by, reason }: Applying, grounds: Grounds): Promise<AppliedPlan> {
  const { store, posted } = grounds;
  const { head, tree: kept } = proposal;
  if (kept === undefined)
    throw new Declined(
      'conflict',
      'This is a plan of what is in force: workers carry it out, and what they may not is approved.',
    );
  const inForce = await openInForce(head.estate, grounds);
  await refuseFollowed(inForce, store);
  if (inForce.generation.number !== head.generation) throw overtaken();
  const estate = await estateOf(await posted.again(kept, head.revision), inForce, grounds);
  await refuseStale(proposal, estate, store);
  const move = { estate: head.estate, revision: head.revision, after: head.generation };
  await store.authors.tell(move, { names: [...new Set([...authorsBy(head.by), ...authorsBy(by)])], more: false });
  const generation = await accepted(estate, head.generation, store);
  const { number, revision } = generation;
  const note = { generation: number, revision, plan: head.id, digest: head.digest, posted: head.by.person };
  await store.ledger.note(head.estate, { posted: { ...note, person: by.person, reason } });
  const scopes = estate.compiled.scopes.map(({ scope }) => scope);
  await wishPasses(estate, scopes, { store, reason: `generation ${number}` });
  return { estate: head.estate, generation: number, revision, scopes };
}

const overtaken = (): Declined =>
  new Declined(
    'conflict',
    'Other specs have come into force since this was planned. Post it again, and look at what it does now.',
  );

/** Two who say what is in force would take it back from one another; and no post comes past signatures that commits need. */
async function refuseFollowed({ generation, estate }: Opened, store: Store): Promise<void> {
  const { name, tree } = estate;
  const leader = (await store.leases.held(name)).find(({ scope }) => scope === 'specs');
  const sources = (await store.sources.states.list(name)).map(({ source }) => source);
  const follows = sources.length > 0 ? sources.join(', ') : 'a folder';
  if (leader !== undefined)
    throw new Declined('conflict', `Merge it: ${follows} is followed, and what is posted here would be taken back.`);
  if (generation.revision.startsWith('git:')) {
    const what = sources.length > 0 ? sources.join(', ') : 'a repository';
    throw new Declined('conflict', `Merge it: what is in force is ${shortRevision(generation.revision)} of ${what}.`);
  }
  if (tree.estate?.value.spec.signatures?.required)
    throw new Declined('conflict', 'Merge it: the estate asks for signed commits, and what is posted is none.');
}

/** What moved is named; what would be done besides what was shown is, too, but for what drifted. */
async function refuseStale({ planned }: Proposal, estate: Estate, store: Store): Promise<void> {
  const shown = planned.plans.flatMap(({ actions }) => actions);
  const now = (await surveyOf(estate, store)).plans.flatMap(({ actions }) => actions);
  const saved = shown.map((action) => ({ address: action.address, verb: action.verb, digest: digestOf(action) }));
  const known = new Set(saved.map(({ digest }) => digest));
  const moved = holdAgainst(saved, now).stale;
  const named = new Set(moved.map(({ address }) => address));
  const more = now.filter(
    (action) => action.cause !== 'drift' && !known.has(digestOf(action)) && !named.has(action.address),
  );
  const stale = [
    ...moved,
    ...more.map(({ address, verb }) => ({ address, verb, why: `to ${verb} it was not in the plan.` })),
  ];
  if (stale.length === 0) return;
  throw new Declined(
    'conflict',
    'What it would do has changed since it was planned: `stale` says where. Post it again.',
    {
      stale: stale.slice(0, told),
    },
  );
}

const told = 100;

const digestOf = (action: Action): string => actionDigest(action, sha256);

async function accepted(estate: Estate, after: number, store: Store): Promise<Generation> {
  try {
    return await acceptSpecs(estate, store, after);
  } catch (error) {
    if (error instanceof Overtaken) throw overtaken();
    if (!(error instanceof Pinned)) throw error;
    const { revision, by } = error.pin;
    throw pinned(
      `${by.person} holds the estate at ${shortRevision(revision)}: ${by.reason}. To let other specs in: setpoint unpin`,
    );
  }
}

const pinned = (message: string): Declined => new Declined('conflict', message);
