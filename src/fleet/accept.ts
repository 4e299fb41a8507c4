import { criticalityOf } from '../core/criticality.ts';
import { ownName } from '../core/documents/document.ts';
import type { AuthorNames } from '../core/inventory/authors.ts';
import { baseRevision } from '../core/patch.ts';
import { dayOf, shortRevision } from '../core/render/wording.ts';
import { messageOf } from '../core/text.ts';
import { takenNames } from '../core/trust.ts';
import { isDue } from '../core/ttl.ts';
import { acceptSpecs, keptSpecs, openEstate } from '../estate/load.ts';
import { besideActive, EndedIsNeeded } from '../estate/patches.ts';
import { sharedScopes } from '../estate/shared-scopes.ts';
import type { Clock } from '../ports/clock-and-log.ts';
import { type Generation, Overtaken } from '../ports/knowledge.ts';
import { Pinned, type SourceDraft, type SpecTree } from '../ports/sources.ts';
import type { Store } from '../ports/store.ts';
import type { History, HistoryValidation, Source, WorkerContext } from './worker-context.ts';

/** Accepts a valid tree or rejects it, and returns which; undefined: it is too early to decide. */
export type AcceptRevision = (tree: SpecTree) => Promise<Omit<SourceDraft, 'source'> | undefined>;

/** Accepts or rejects revisions for one estate, in the worker that leads there. Remembers the revision that it accepted last. */
export async function revisionAcceptor(
  estate: string,
  source: Source,
  context: WorkerContext,
): Promise<AcceptRevision> {
  const ripe = source.history === undefined ? await folderIsRipe(estate, context) : async () => true;
  const judge = historyValidator(estate, source, context);
  let taken = '';
  return async (tree) => {
    const head = tree.revision;
    const { store, outside } = context;
    const pin = await store.sources.pins.current(estate);
    if (pin !== undefined) {
      // why: once the pin is gone, the head comes into force again
      taken = '';
      const why = `held at ${shortRevision(pin.revision)} by ${pin.by.person}: ${pin.by.reason}. To follow again: setpoint unpin`;
      return { state: 'pinned', head, why };
    }
    const current = await store.generations.current(estate);
    // why: a pin may have come and gone since, and the revision that was rolled back to is still active
    const stands = source.history === undefined || isOf(current, head);
    if (taken === head && stands) return { state: 'followed', head, why: '' };
    if (!(await ripe(tree))) return undefined;
    const judgement = await judge(tree, current);
    if (judgement.state !== 'followed') return { ...judgement, head };
    const beside = await besideActive(tree, { estate, store, parse: outside.specs }).catch(onlyEndedIsNeeded);
    if (beside instanceof EndedIsNeeded) return { state: 'broken', head, why: beside.message };
    await tellAuthors(estate, { tree: beside, current, source }, context);
    if (!(await accept(beside, current, context))) return undefined;
    taken = head;
    return { ...judgement, head };
  };
}

function onlyEndedIsNeeded(error: unknown): EndedIsNeeded {
  if (error instanceof EndedIsNeeded) return error;
  throw error;
}

/** True where a generation is of these specs, with any patches beside them. */
const isOf = (generation: Generation | undefined, revision: string): boolean =>
  generation !== undefined && baseRevision(generation.revision) === baseRevision(revision);

interface IncomingRevision {
  /** With the patches beside it. */
  readonly tree: SpecTree;
  readonly current: Generation | undefined;
  readonly source: Source;
}

/** Records the authors before the generation is accepted: else its author could approve it while the store does not know them. */
async function tellAuthors(
  estate: string,
  { tree, current, source }: IncomingRevision,
  context: WorkerContext,
): Promise<void> {
  const { revision } = tree;
  const { history } = source;
  if (history?.authors === undefined || current?.revision === revision) return;
  const authors = isOf(current, revision)
    ? undefined
    : await history.authors(baseRevision(revision), current && baseRevision(current.revision));
  await recordAuthors({ estate, tree, current }, authors, context);
}

/**
 * Records the authors of a change of the specs, and of the lifetimes that end with it. The end of a patch has no author. An unknown author
 * of a lifetime makes the authors of the generation unknown.
 */
async function recordAuthors(
  {
    estate,
    tree,
    current,
  }: { readonly estate: string; readonly tree: SpecTree; readonly current: Generation | undefined },
  changed: AuthorNames | undefined,
  { store }: Pick<WorkerContext, 'store'>,
): Promise<void> {
  const over = new Set(tree.lifetimes?.over);
  const ending = (await store.fleet.lifetimes.list(estate)).filter((one) => isDue(one) && over.has(one.document));
  const generations = [...new Set(ending.map(({ generation }) => generation))];
  const stating = generations.length === 0 ? [] : await store.authors.of(estate, generations);
  const known = stating.flatMap((one) => one.authors ?? []);
  if (known.length < generations.length) return;
  const all = [...(changed === undefined ? [] : [changed]), ...known];
  const authors = { names: all.flatMap(({ names }) => names), more: all.some(({ more }) => more) };
  await store.authors.record({ estate, revision: tree.revision, after: current?.number ?? 0 }, authors);
}

/** True where a folder is neither half-written nor lagging. */
async function folderIsRipe(estate: string, context: WorkerContext): Promise<(tree: SpecTree) => Promise<boolean>> {
  const isSettled = settledCheck(context.clock);
  const isStaleRevision = staleRevisionCheck(estate, context);
  const current = await context.store.generations.current(estate);
  let before = current && (await keptSpecs(estate, current, context.store, context.outside.specs));
  let followsAlready = false;
  return async (seen) => {
    if (!isSettled(seen, before)) return false;
    // why: a change back that this worker saw in the folder is intended
    if (!followsAlready && (await isStaleRevision(seen))) return false;
    followsAlready = true;
    before = seen;
    return true;
  };
}

/**
 * The next generation, and a reconcile request for each of its scopes; nothing where the newest one is equal. False: something else
 * than the validated predecessor is active by now, or a person holds it. A worker that lost the lease meanwhile stops here.
 */
export async function accept(tree: SpecTree, after: Generation | undefined, context: WorkerContext): Promise<boolean> {
  const { store, queue, clock, outside, telemetry } = context;
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
  telemetry.log.info('new generation', { estate: name, generation: number, revision: tree.revision });
  for (const { id, as, why } of tree.patches?.ends ?? [])
    telemetry.log.info('patch ended', {
      estate: name,
      generation: number,
      address: `patch #${id}`,
      reason: `${as}: ${why}`,
    });
  for (const { scope, cadence } of compiled.scopes) {
    await store.fleet.requests.ask({ estate: name, scope }, `generation ${number}`);
    await queue.request({ estate: name, scope, ...criticalityOf([cadence]) }, 'now');
  }
  return true;
}

/** A folder that somebody is writing changes from one read to the next. */
const stillMs = 1_000;

/**
 * A checkout first removes files that it will write again, and may take long: a tree that lost documents counts only after this time. The
 * effects of a missing rule cannot be undone as fast.
 */
const lostMs = 10_000;

/** True where a tree that was just read is complete: it has stayed the same for long enough, beside the active one. */
function settledCheck(clock: Clock): (seen: SpecTree, active: SpecTree | undefined) => boolean {
  let revision = '';
  let since = 0;
  return (seen, active) => {
    if (seen.revision !== revision) since = clock.now();
    revision = seen.revision;
    return clock.now() - since >= (hasLost(seen, active) ? lostMs : stillMs);
  };
}

function hasLost(seen: SpecTree, active: SpecTree | undefined): boolean {
  const here = new Set(seen.documents.map(nameOf));
  return active?.documents.some((document) => !here.has(nameOf(document))) ?? false;
}

const nameOf = ({ value }: SpecTree['documents'][number]): string => `${value.kind} ${ownName(value)}`;

/** The time that a worker gives a newly followed folder to catch up. */
const catchUpMs = 600_000;

/** So many generations back a folder that lags is recognised. */
const back = 50;

/**
 * True where a newly followed folder may lag: it equals an earlier generation. Another host's copy may be behind, and accepting
 * it would revert later commits. For ten minutes, and logged once.
 */
function staleRevisionCheck(
  estate: string,
  { store, clock, telemetry }: WorkerContext,
): (seen: SpecTree) => Promise<boolean> {
  const until = clock.now() + catchUpMs;
  const judged = new Map<string, Promise<number | undefined>>();
  const judge = async (revision: string): Promise<number | undefined> => {
    const generation = await generationOf(estate, revision, store);
    if (generation !== undefined)
      telemetry.log.warn('the folder is older than the active generation; to go back on purpose: setpoint apply', {
        estate,
        generation,
        revision,
      });
    return generation;
  };
  return async ({ revision }) => {
    if (clock.now() >= until) return false;
    const known = judged.get(revision) ?? judge(revision);
    judged.set(revision, known);
    return (await known) !== undefined;
  };
}

/** An earlier generation of this revision; absent where the newest one is, and where there is none. */
async function generationOf(
  estate: string,
  revision: string,
  store: WorkerContext['store'],
): Promise<number | undefined> {
  const newest = await store.generations.current(estate);
  if (newest === undefined || isOf(newest, revision)) return undefined;
  for (let number = newest.number - 1; number > Math.max(0, newest.number - back); number -= 1)
    if (isOf(await store.generations.numbered(estate, number), revision)) return number;
  return undefined;
}

type ValidationResult = Omit<SourceDraft, 'source' | 'head'>;

/** Keys expire, and programs are installed: a rejected revision is validated again after this. */
const goodForMs = 300_000;

const freely: HistoryValidation = { state: 'followed', why: '' };

type ValidateHistory = (tree: SpecTree, current: Generation | undefined) => Promise<ValidationResult>;

/** Validates a head's history after the active revision; again where one of the two has moved, and now and then. */
function historyValidator(estate: string, { name, history }: Source, context: WorkerContext): ValidateHistory {
  const sharedWith = sharedScopesTeller(estate, context);
  let known: { readonly key: string; readonly judgement: ValidationResult; readonly at: number } | undefined;
  return async (tree, current) => {
    if (history === undefined) return current === undefined ? validateFirst(await sharedWith(tree)) : freely;
    const head = tree.revision;
    const mayRewrite = await context.store.sources.histories.isAccepted(estate, {
      head,
      after: current === undefined ? '' : baseRevision(current.revision),
    });
    const key = JSON.stringify([head, current?.number, mayRewrite]);
    if (known?.key === key && context.clock.now() - known.at < goodForMs) return known.judgement;
    const judgement = await validateAfter(
      tree,
      { estate, source: name, current, mayRewrite, history, sharedWith },
      context,
    );
    const isNews = known?.judgement.why !== judgement.why;
    known = { key, judgement, at: context.clock.now() };
    if (judgement.state !== 'followed' && isNews)
      context.telemetry.log.error('specs rejected; the active generation stays', {
        estate,
        revision: head,
        code: judgement.state,
        reason: judgement.why,
      });
    return judgement;
  };
}

/** Of a folder whose estate has no generation yet. */
function validateFirst(shared: string | undefined): ValidationResult {
  if (shared === undefined) return freely;
  return { state: 'broken', why: `${shared}. If two estates share these scopes: setpoint apply --allow-shared-scopes` };
}

type SharedWith = (tree: SpecTree) => Promise<string | undefined>;

/** Returns the reason for callers of the API, who may see one estate only. The log has the names of the others, once. */
function sharedScopesTeller(estate: string, { store, clock, outside, telemetry }: WorkerContext): SharedWith {
  let told = '';
  return async (tree) => {
    const shared = await sharedScopes(await openEstate(tree, outside.cloud, dayOf(clock.now())), store);
    if (shared !== undefined && shared.bounded !== told)
      telemetry.log.warn('another estate owns resources in the scopes of a new one', { estate, reason: shared.text });
    told = shared?.bounded ?? '';
    return shared?.bounded;
  };
}

interface RevisionContext {
  readonly estate: string;
  readonly source: string;
  readonly current: Generation | undefined;
  readonly mayRewrite: boolean;
  readonly history: History;
  readonly sharedWith: SharedWith;
}

async function validateAfter(
  tree: SpecTree,
  standing: RevisionContext,
  context: WorkerContext,
): Promise<ValidationResult> {
  const { current, mayRewrite } = standing;
  const former = current?.revision.startsWith('git:') ? [] : await formerEstates(standing, context.store);
  const [first] = former;
  if (first !== undefined && !mayRewrite) return unknownEstate(tree, standing, first.estate);
  // why: a new name sheds no signers
  for (const { estate, generation } of former) {
    const verdict = await validateAgainst(tree, { ...standing, estate, current: generation }, context);
    if (verdict.state !== 'followed') return verdict;
  }
  const verdict = await validateAgainst(tree, standing, context);
  if (verdict.state !== 'followed' || current !== undefined || mayRewrite) return verdict;
  const shared = await standing.sharedWith(tree);
  if (shared === undefined) return verdict;
  return {
    state: 'rewritten',
    why: `${shared}. If two estates share these scopes: ${acceptHistoryCommand(tree)}`,
  };
}

const acceptHistoryCommand = ({ revision }: SpecTree): string =>
  `setpoint approve --history ${revision.replace(/^git:/, '').slice(0, 12)} --reason "…"`;

async function validateAgainst(
  tree: SpecTree,
  { estate, current, mayRewrite, history }: RevisionContext,
  context: WorkerContext,
) {
  const before = current && (await keptSpecs(estate, current, context.store, context.outside.specs));
  if (current !== undefined && before?.estate === undefined) return unreadableEstate(current);
  // why: where nothing is active yet, the first commit names its own signers
  const signatures = (before ?? tree).estate?.value.spec.signatures;
  const judged = await history.judge(tree.revision, {
    ...(current === undefined ? {} : { revision: baseRevision(current.revision) }),
    ...(signatures === undefined ? {} : { signatures }),
    mayRewrite,
  });
  return judged.state === 'followed' ? (takenNameProblem(tree, before) ?? judged) : judged;
}

/** Nothing binds an estate that is new: no limits and modes of before, no signers. So a person says that one is meant. */
const unknownEstate = (tree: SpecTree, { estate, source }: RevisionContext, former: string): ValidationResult => ({
  state: 'rewritten',
  why: `${source} had the estate ${former}, and has ${estate} now, which it has never brought into force. If that is meant: ${acceptHistoryCommand(tree)}`,
});

/** Nobody can say who must have signed what comes after it, and a head does not say so itself. */
const unreadableEstate = ({ revision }: Generation): ValidationResult => ({
  state: 'unsigned',
  why: `this version cannot read the active Estate document (${revision}), so the required signers are unknown. Stop the workers that follow, and apply valid specs by hand: setpoint apply`,
});

/**
 * Refuses a team's tree that takes over another team's names: specs may be valid by themselves and not after the active ones.
 */
function takenNameProblem(next: SpecTree, active: SpecTree | undefined): ValidationResult | undefined {
  const [first] = takenNames(active?.documents ?? [], next.documents);
  if (first === undefined) return undefined;
  const { at, message, hint } = first;
  return { state: 'broken', why: `${at.file}:${at.line}:${at.column}: ${message}; expected: ${hint?.expected}` };
}

/** An estate that a repository already provides. */
interface Former {
  readonly estate: string;
  readonly generation: Generation;
}

/** The other estates that a repository, by its name for people, brought into force before. */
async function formerEstates(
  { estate, source }: { readonly estate: string; readonly source: string },
  { estates, sources, generations }: Pick<Store, 'estates' | 'sources' | 'generations'>,
): Promise<readonly Former[]> {
  const former: Former[] = [];
  for (const name of await estates.list()) {
    if (name === estate) continue;
    const states = await sources.states.list(name);
    if (!states.some((state) => state.source === source)) continue;
    const generation = await generations.current(name);
    if (generation?.revision.startsWith('git:')) former.push({ estate: name, generation });
  }
  return former;
}

/** The interval between two tries to end a document or patch that cannot end yet. */
const sayEveryMs = 60_000;

type Timed = 'patch' | 'lifetime';

/**
 * Ends the patches and the documents whose time is over, by the store's clock: the same specs without them become the next generation, and
 * workers go on to it as in any rollout. One process does it at a time, and one that dies in between leaves the rest to the next one.
 * A document that others need delays no end of a patch.
 */
export function dueEnder(context: WorkerContext): () => Promise<void> {
  const { store, clock, telemetry } = context;
  const failedAt = new Map<string, number>();
  const keyOf = (estate: string, timed: Timed): string => `${timed} ${estate}`;
  return async () => {
    const due = { patch: await store.fleet.patches.due(), lifetime: await store.fleet.lifetimes.due() };
    for (const estate of new Set([...due.patch, ...due.lifetime])) {
      // why: it parses all its specs, and is the same until a person changes them
      const isTried = (timed: Timed): boolean =>
        due[timed].includes(estate) &&
        clock.now() - (failedAt.get(keyOf(estate, timed)) ?? Number.NEGATIVE_INFINITY) >= sayEveryMs;
      const tried = (['patch', 'lifetime'] as const).filter(isTried);
      if (tried.length === 0) continue;
      const failed = await endIn(estate, context).catch(
        (error: unknown): Unended => ({ reason: messageOf(error), of: ['patch', 'lifetime'] }),
      );
      if (failed === undefined) continue;
      for (const timed of failed.of) failedAt.set(keyOf(estate, timed), clock.now());
      if (!tried.some((timed) => failed.of.includes(timed))) continue;
      const { reason } = failed;
      telemetry.log.error('cannot end a patch or a document whose time is over; it stays', { estate, reason });
    }
  };
}

/** The reason for which patches or documents stay after their end. `of`: the sort that stays. */
interface Unended {
  readonly reason: string;
  readonly of: readonly Timed[];
}

/** Undefined: the end is done, or another generation was accepted meanwhile. The next turn tries again. */
async function endIn(estate: string, context: WorkerContext): Promise<Unended | undefined> {
  const { store, outside } = context;
  const current = await store.generations.current(estate);
  const kept = current && (await keptSpecs(estate, current, store, outside.specs));
  if (current === undefined || kept === undefined)
    throw new Error('the specs of its newest generation are not in the store');
  const tree = await besideActive(kept, { estate, store, parse: outside.specs });
  const problem = tree.problems.find(({ severity }) => severity === 'error');
  if (problem !== undefined) throw new Error(`the specs are not valid without it: ${problem.message}`);
  await recordAuthors({ estate, tree, current }, undefined, context);
  await accept(tree, current, context);
  const reason = tree.lifetimes?.whyKept;
  return reason === undefined ? undefined : { reason, of: ['lifetime'] };
}
