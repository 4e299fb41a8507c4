import { randomUUID } from 'node:crypto';
import { setImmediate as breath } from 'node:timers/promises';
import type { Action } from '../core/action.ts';
import { actionDigest } from '../core/digest.ts';
import type { Problem } from '../core/documents/problem.ts';
import { planJson } from '../core/render/plan-json.ts';
import { shortRevision } from '../core/render/wording.ts';
import { refusalsOf } from '../core/trust.ts';
import { holdAgainst } from '../estate/approvals.ts';
import { acceptSpecs, type Estate, snapshotOf } from '../estate/load.ts';
import { besideActive, EndedIsNeeded } from '../estate/patches.ts';
import { withActiveTargets } from '../estate/proposal.ts';
import { sha256 } from '../estate/sha256.ts';
import { type Generation, Overtaken } from '../ports/knowledge.ts';
import {
  type AppliedPlan,
  Declined,
  type MadePlan,
  type PlanAnswers,
  type PlanAsked,
  type PlanNamed,
  type Posted,
  type Proposal,
  type ReportedProblem,
} from '../ports/queries.ts';
import { Pinned, type SpecTree } from '../ports/sources.ts';
import type { Store } from '../ports/store.ts';
import { type ActiveSpec, openActiveSpec, type QueryContext } from './active-estate.ts';
import { authorsBy } from './authorship.ts';
import { estateViewOf, type StoredEstateView } from './estate-view.ts';
import { withMeaning } from './plan-meaning.ts';
import type { PreviewContext } from './preview.ts';
import { requestReconciles } from './requests.ts';
import { withWithheld } from './status.ts';
import { seenOf, seesPlan } from './visible-plans.ts';

/** Kept for so long, and of an estate so many, of at most so much text each. */
const keptMs = 7 * 86_400_000;
const mostKept = 100;
const mostLength = 16 * 1024 * 1024;

export function plansOn(grounds: PreviewContext): PlanAnswers {
  const { line } = grounds;
  const read = async (asked: PlanNamed): Promise<Proposal> => {
    const found = await grounds.store.proposals.read(asked.id);
    if (found === undefined || !seesPlan(found.head, asked))
      throw new Declined('unknown', 'It does not exist, or your grants do not cover it.');
    return found;
  };
  return {
    make: (asked) => line(() => make(asked, grounds)),
    read: async (asked) => madeOf(await read(asked), grounds),
    list: async ({ by, reads, limit, ...query }) => {
      const heads = await grounds.store.proposals.list({ ...query, limit: mostKept });
      return heads.filter((head) => seesPlan(head, { by, reads })).slice(0, limit);
    },
    apply: async (asked) => {
      const proposal = await read(asked);
      return line(() => applyPlan({ ...asked, proposal }, grounds));
    },
  };
}

async function make(asked: PlanAsked, grounds: PreviewContext): Promise<MadePlan> {
  const { survey, of, generation } = await (asked.posted === undefined
    ? activeView(asked, grounds)
    : proposed(asked, grounds));
  const planned = await withMeaning(
    await withWithheld(seenOf(survey, survey.plans, asked), asked, grounds.store),
    survey,
    asked,
  );
  const { revision, summary, digest } = planJson(planned.plans, planned.bound, sha256);
  const { tree } = survey.estate;
  const at = grounds.clock.now();
  const proposal: Proposal = {
    head: {
      ...{
        id: randomUUID(),
        estate: asked.estate,
        generation,
        revision,
        summary,
        digest,
        of,
        by: asked.by,
        seen: asked.seen,
      },
      times: { at, until: at + keptMs },
    },
    planned,
    problems: of === 'posted' ? tree.problems.map(reportedProblem) : [],
    ...(of === 'posted' ? { tree: snapshotOf(tree) } : {}),
  };
  if (JSON.stringify(proposal).length > mostLength)
    throw new Declined('conflict', 'The plan is too large to save. Plan fewer targets, or use: setpoint plan');
  await grounds.store.proposals.keep(proposal, mostKept);
  return { ...proposal, stale: false };
}

interface Surveyed {
  readonly survey: StoredEstateView;
  readonly of: Proposal['head']['of'];
  /** Of the active specs. */
  readonly generation: number;
}

async function activeView(asked: PlanAsked, planning: PreviewContext): Promise<Surveyed> {
  const survey = await planning.survey(asked);
  return { survey, of: 'in-force', generation: survey.bound.generation ?? 0 };
}

async function proposed({ estate: name, posted }: PlanAsked, grounds: QueryContext): Promise<Surveyed> {
  if (posted === undefined) throw new Error('nothing was posted');
  const before = await openActiveSpec(name, grounds);
  const survey = await estateViewOf(await postedEstate(posted, before, grounds), grounds.store);
  const now = await grounds.store.generations.current(name);
  if (now?.number !== before.generation.number)
    throw new Declined('conflict', 'The active generation changed during the request. Retry.');
  return { survey, of: 'posted', generation: before.generation.number };
}

async function madeOf(proposal: Proposal, { store }: QueryContext): Promise<MadePlan> {
  const now = await store.generations.current(proposal.head.estate);
  return { ...proposal, stale: now?.number !== proposal.head.generation };
}

interface Applying extends PlanNamed {
  readonly proposal: Proposal;
  readonly reason: string;
}

/**
 * Makes posted specs the next generation: where nothing is followed, after the one that they were planned beside, and where
 * planning again wants no more, no less and nothing else of the clouds than was shown. Workers do the rest, as far as modes and
 * limits let them. Who posted them and who brings them into force are its authors.
 */
async function applyPlan({ proposal, by, reason }: Applying, grounds: QueryContext): Promise<AppliedPlan> {
  const { store, posted } = grounds;
  const { head, tree: kept } = proposal;
  if (kept === undefined)
    throw new Declined(
      'conflict',
      'This is a plan of the active generation. Workers apply it; approve its withheld actions with POST /v1/approvals.',
    );
  const active = await openActiveSpec(head.estate, grounds);
  await refuseFollowed(active, store);
  if (active.generation.number !== head.generation) throw overtaken();
  const estate = await estateOf(await posted.again(kept, head.revision), active, grounds);
  await refuseStale(proposal, estate, store);
  const move = { estate: head.estate, revision: head.revision, after: head.generation };
  await store.authors.record(move, { names: [...new Set([...authorsBy(head.by), ...authorsBy(by)])], more: false });
  const generation = await accepted(estate, head.generation, store);
  const { number, revision } = generation;
  const note = { generation: number, revision, plan: head.id, digest: head.digest, posted: head.by.person };
  await store.ledger.note(head.estate, { posted: { ...note, person: by.person, reason } });
  const scopes = estate.compiled.scopes.map(({ scope }) => scope);
  await requestReconciles(estate, scopes, { store, reason: `generation ${number}` });
  return { estate: head.estate, generation: number, revision, scopes };
}

const overtaken = (): Declined =>
  new Declined(
    'conflict',
    'The active generation changed after this plan. Submit the proposal again, and review the new plan.',
  );

/** Two who say what is in force would take it back from one another; and no post comes past signatures that commits need. */
async function refuseFollowed({ generation, estate }: ActiveSpec, store: Store): Promise<void> {
  const { name, tree } = estate;
  const leader = (await store.leases.held(name)).find(({ scope }) => scope === 'specs');
  const sources = (await store.sources.states.list(name)).map(({ source }) => source);
  const follows = sources.length > 0 ? sources.join(', ') : 'a folder';
  if (leader !== undefined)
    throw new Declined('conflict', `Merge the proposal: workers follow ${follows}, and would revert a submitted one.`);
  if (generation.revision.startsWith('git:')) {
    const what = sources.length > 0 ? sources.join(', ') : 'a repository';
    throw new Declined(
      'conflict',
      `Merge the proposal: the active revision is ${shortRevision(generation.revision)} of ${what}.`,
    );
  }
  if (tree.estate?.value.spec.signatures?.required)
    throw new Declined(
      'conflict',
      'Merge the proposal: the estate requires signed commits, and a submitted proposal is no commit.',
    );
}

/** Names the changed actions, and those that the shown plan lacks, except for drift. */
async function refuseStale({ planned }: Proposal, estate: Estate, store: Store): Promise<void> {
  const shown = planned.plans.flatMap(({ actions }) => actions);
  const now = (await estateViewOf(estate, store)).plans.flatMap(({ actions }) => actions);
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
    'The actions changed after this plan: `stale` lists the changes. Submit the proposal again.',
    {
      stale: stale.slice(0, mostListed),
    },
  );
}

const mostListed = 100;

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

/**
 * The estate with specs that an untrusted author posted. Invalid specs are refused, and so are specs that change trusted fields of
 * the active ones.
 */
async function postedEstate(posted: Posted, active: ActiveSpec, grounds: QueryContext): Promise<Estate> {
  const tree = await grounds.posted.read(posted, active.estate.tree);
  const errors = tree.problems.filter(({ severity }) => severity === 'error');
  if (errors.length > 0)
    throw unsound('The specs are not valid, so Setpoint plans nothing from them: see `problems`.', errors);
  await breath();
  const refusals = refusalsOf(active.estate.tree.documents, tree.documents);
  if (refusals.length > 0) throw unsound(untrusted, refusals);
  await breath();
  return estateOf(tree, active, grounds);
}

/** With the patches that hold beside it, and the scopes and targets of the active specs, whatever the proposed specs say. */
async function estateOf(tree: SpecTree, active: ActiveSpec, { posted, store }: QueryContext): Promise<Estate> {
  const beside = await besideActive(tree, { estate: active.estate.name, store, parse: posted.again }).catch(asDeclined);
  const opened = await posted.open(beside);
  await breath();
  return { ...opened, dir: '', scopes: withActiveTargets(opened.compiled.scopes, active.estate.compiled.scopes) };
}

function asDeclined(error: unknown): never {
  throw error instanceof EndedIsNeeded
    ? new Declined('conflict', `The specs need a document that has ended: ${error.message}.`)
    : error;
}

const untrusted =
  'Proposal rejected: it changes trusted fields that could expose secrets. `problems` lists them. Remove these changes, or ask a trusted person to put them on the followed branch first.';

const unsound = (message: string, problems: readonly Problem[]): Declined =>
  new Declined('unsound', message, { problems: problems.slice(0, most).map(reportedProblem).map(flat) });

const most = 200;

/** Without the line it stands on: the answer is kept, and read by others. */
const reportedProblem = ({ severity, code, at, message, hint }: Problem): ReportedProblem => ({
  severity,
  code,
  at,
  message,
  hint,
});

const flat = ({ at, hint, ...rest }: ReportedProblem) => ({ ...rest, ...at, ...hint });
