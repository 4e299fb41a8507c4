import { backoff, type Failure, maxAttempts, type Result } from '../core/failure.ts';
import { kindNames } from '../core/kinds/kinds.ts';
import type { Knowledge } from '../core/knowledge.ts';
import type { Gap, ImageFacts, Observation, Observed, OuterFilters, UnknownRegion } from '../core/observed.ts';
import type { CloudId, Kind } from '../core/resource.ts';
import { type Actuator, ListingFailed } from '../ports/provider.ts';
import { apartMs, idsInUse, type Missing, missingOf } from './absence.ts';
import { type Calls, callLog, callsOf, type OperationStore } from './calls.ts';
import { cancellationOn, type ReconcileControl, sleepFor, wait } from './control.ts';
import type { EnginePorts, Site } from './ports.ts';
import { namesOf, placedMessage } from './regions.ts';

/** One observation of a scope. Never throws but for an abort: unseen kinds are gaps. */
export async function observe(
  site: Site,
  knowledge: Knowledge,
  ports: ObservePorts,
  control: ReconcileControl,
): Promise<Observation> {
  const cancellation = cancellationOn(control, ports.clock);
  const { begunOperations } = ports;
  const { notify } = control;
  const calls = callsOf(knowledge.estate, {
    site,
    ports,
    cancellation,
    notify,
    ...(begunOperations ? { operations: begunOperations } : {}),
  });
  try {
    return await observeScope({ site, knowledge, ports, control, calls, waits: cancellation.waits });
  } finally {
    cancellation.end();
  }
}

/** `begunOperations`: operations that an earlier process began; they are awaited before the first listing. */
export type ObservePorts = Pick<EnginePorts, 'limiter' | 'clock' | 'random'> & {
  readonly begunOperations?: OperationStore;
};

interface ObservationContext {
  readonly site: Site;
  readonly knowledge: Knowledge;
  readonly ports: Pick<ObservePorts, 'clock' | 'random' | 'begunOperations'>;
  readonly control: ReconcileControl;
  readonly calls: Calls;
  readonly waits: AbortSignal;
}

async function observeScope(context: ObservationContext): Promise<Observation> {
  const at = context.knowledge.readAt ?? context.ports.clock.now();
  const scope = context.site.session.scope;
  const wrongAccount = await wrongAccountOf(context);
  const unknownRegions = wrongAccount ? [] : await unknownRegionsOf(context);
  const refused = wrongAccount ?? nowhere(unknownRegions, context.site);
  if (refused) {
    const gaps = kindNames.map((kind): Gap => ({ kind, ...refused }));
    return { scope, at, resources: [], gaps, pending: [], calls: context.calls.calls.reads };
  }
  await resume(context);
  const listed = await Promise.all(kindNames.map((kind) => list(kind, context)));
  const { oneByName } = context.site.holds;
  const missing = missingOf(context.knowledge, listed, { at, oneByName });
  const standing = listed.flatMap((seen) => seen.resources);
  const [read, outerFilters, images] = await Promise.all([
    readMissing(missing, context),
    outerFiltersOf(standing, at, context),
    imageFactsOf(standing, at, context),
  ]);
  const resources = [...listed, ...read].flatMap((seen) => seen.resources);
  return {
    scope,
    at,
    resources,
    gaps: [...listed, ...read].flatMap(({ gaps }) => gaps),
    ...(unknownRegions.length === 0 ? {} : { unknownRegions }),
    pending: [...missing.pending, ...idsInUse(unfound(missing, read, context.knowledge), resources)],
    ...(outerFilters === undefined ? {} : { outerFilters }),
    ...(images === undefined ? {} : { images }),
    calls: context.calls.calls.reads,
  };
}

/** The reason to reject these credentials; undefined when they are the target's own. */
async function wrongAccountOf(context: ObservationContext): Promise<Omit<Gap, 'kind'> | undefined> {
  const { session, account } = context.site;
  const who = await askWithRetries(context, () => session.identify(context.calls.reading()));
  if (!who.ok) return { code: who.failure.code, reason: placedMessage(who.failure, context.site.regions) };
  if (who.value === account) return undefined;
  return {
    code: 'wrong-account',
    reason: `the credentials of ${session.scope} are those of ${who.value}, not of ${account}; nothing is read or written`,
  };
}

/** A question that the cloud does not answer rules no region out: a creation there shows it. */
async function unknownRegionsOf(context: ObservationContext): Promise<readonly UnknownRegion[]> {
  const { session, regions } = context.site;
  const names = namesOf(regions);
  if (session.checkRegions === undefined || names.length === 0) return [];
  const found = await askWithRetries(
    context,
    async () => (await session.checkRegions?.(names, context.calls.reading())) ?? { ok: true, value: [] },
  );
  if (!found.ok) return [];
  return found.value.flatMap((failure) =>
    failure.region === undefined ? [] : [{ region: failure.region, reason: placedMessage(failure, regions) }],
  );
}

/** The cloud has none of the scope's regions: nothing of it can be there. */
function nowhere(unknown: readonly UnknownRegion[], { regions }: Site): Omit<Gap, 'kind'> | undefined {
  if (unknown.length === 0 || unknown.length < namesOf(regions).length) return undefined;
  return { code: 'unknown-region', reason: unknown.map(({ reason }) => reason).join(' ') };
}

/** Finishes the operations of an earlier process first, so that the observation shows their results. */
async function resume({ site: { session }, ports: { begunOperations }, calls }: ObservationContext): Promise<void> {
  const operations = session.resume === undefined ? undefined : await begunOperations?.list();
  if (operations !== undefined && operations.length > 0) await session.resume?.(operations, calls.reading());
}

interface Seen {
  readonly kind: Kind;
  readonly resources: readonly Observed[];
  readonly gaps: readonly Gap[];
}

async function list(kind: Kind, context: ObservationContext): Promise<Seen> {
  const answer = await askWithRetries(context, () => listOnce(kind, context));
  if (answer.ok) return { kind, resources: answer.value, gaps: [] };
  const { code, message } = answer.failure;
  return { kind, resources: [], gaps: [{ kind, code, reason: message }] };
}

async function listOnce(
  kind: Kind,
  { site, calls, control }: ObservationContext,
): Promise<Result<readonly Observed[]>> {
  const resources: Observed[] = [];
  const log = callLog();
  try {
    for await (const page of actuatorOf(site, kind).list(calls.reading(log))) {
      for (const resource of page) resources.push(resource);
      control.notify?.({ at: 'observing', kind, seen: resources.length, complete: false });
    }
  } catch (error) {
    if (!(error instanceof ListingFailed)) throw error;
    return { ok: false, failure: { ...failureOf(error, log.failure), code: error.code, message: error.message } };
  }
  control.notify?.({ at: 'observing', kind, seen: resources.length, complete: true });
  return { ok: true, value: resources };
}

const failureOf = ({ failure, code, message }: ListingFailed, reported: Failure | undefined): Failure =>
  failure ?? reported ?? { kind: 'terminal', code, message };

/** Asks again while that may help. A throttled answer has slowed its rate limit already, which is wait enough. */
async function askWithRetries<T>(
  { ports, waits, control }: ObservationContext,
  ask: () => Promise<Result<T>>,
): Promise<Result<T>> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await ask();
    if (answer.ok || attempt >= maxAttempts || !worthAsking[answer.failure.kind]) return answer;
    const awaited = { why: 'backoff', detail: answer.failure.code, forMs: backoff(attempt, ports.random()) } as const;
    await sleepFor(awaited, { clock: ports.clock, waits, notify: control.notify });
  }
}

/** A read changes nothing, so one that was not answered may simply be asked again. */
const worthAsking: Readonly<Record<Failure['kind'], boolean>> = {
  throttled: true,
  retryable: true,
  ambiguous: true,
  conflict: false,
  'not-found': false,
  terminal: false,
};

/** Reads by id, as often as a proof of absence needs. */
async function readMissing({ once, twice }: Missing, context: ObservationContext): Promise<readonly Seen[]> {
  const first = await Promise.all([...once, ...twice].map(([kind, ids]) => readAll(kind, ids, context)));
  const found = new Set(first.flatMap(({ resources }) => resources.map(({ id }) => id)));
  const unsure = new Set(first.flatMap(({ kind, gaps }) => (gaps.length === 0 ? [] : [kind])));
  const again = [...twice].flatMap(([kind, ids]) => {
    const absent = unsure.has(kind) ? [] : ids.filter((id) => !found.has(id));
    return absent.length === 0 ? [] : [[kind, absent] as const];
  });
  if (again.length === 0) return first;
  const { ports, waits, control } = context;
  const awaited = { why: 'visible', detail: 'what stood a moment ago', forMs: apartMs } as const;
  await wait(awaited, { clock: ports.clock, waits, notify: control.notify });
  return [...first, ...(await Promise.all(again.map(([kind, ids]) => readAll(kind, ids, context))))];
}

/** Settled ids that reads by id did not find either. */
function unfound({ once, twice }: Missing, read: readonly Seen[], { settled }: Knowledge): readonly CloudId[] {
  const found = new Set(read.flatMap(({ resources }) => resources.map(({ id }) => id)));
  return [...once.values(), ...twice.values()].flat().filter((id) => settled.has(id) && !found.has(id));
}

/** All ids of a kind together; one answer that is neither here nor gone makes the kind a gap. */
async function readAll(kind: Kind, ids: readonly CloudId[], context: ObservationContext): Promise<Seen> {
  const resources: Observed[] = [];
  const answer = await askWithRetries(context, async (): Promise<Result<void>> => {
    resources.length = 0;
    for (const result of await actuatorOf(context.site, kind).read(ids, context.calls.reading())) {
      if (!result.ok) return result;
      if (result.value) resources.push(result.value);
    }
    return { ok: true, value: undefined };
  });
  if (answer.ok) return { kind, resources, gaps: [] };
  const { code, message } = answer.failure;
  return { kind, resources, gaps: [{ kind, code, reason: message }] };
}

/** The time that a listing of outer filters serves: people rarely change them, and some clouds take a call for each network. */
const filtersServeMs = 600_000;

/** The filters of the subnets with a machine: listed now, or the known ones where they are new enough and have all these subnets. */
async function outerFiltersOf(
  resources: readonly Observed[],
  at: number,
  { site: { session, freshFilters = false }, knowledge, calls }: ObservationContext,
): Promise<OuterFilters | undefined> {
  if (session.outerFilters === undefined) return undefined;
  const subnets = subnetsInUse(resources);
  if (subnets.length === 0) return undefined;
  const { outerFilters: known } = knowledge;
  const isNew = known !== undefined && at >= known.at && at - known.at < filtersServeMs;
  if (isNew && !freshFilters && listsAll(subnets, known)) return known;
  return { at, subnets: await session.outerFilters(subnets, calls.reading()) };
}

function subnetsInUse(resources: readonly Observed[]): readonly Observed<'subnet'>[] {
  const used = new Set(
    resources.flatMap((one) => (isOf(one, 'instance') && isStanding(one) ? [one.attributes.placement.subnet] : [])),
  );
  return resources.filter((one): one is Observed<'subnet'> => isOf(one, 'subnet') && used.has(one.id));
}

const isOf = <K extends Kind>(one: Observed, kind: K): one is Observed<K> => one.kind === kind;

const isStanding = ({ condition: { state } }: Observed): boolean => state === 'ready' || state === 'pending';

/** False where a subnet is missing, or its listing failed: the next observation lists it again. */
function listsAll(subnets: readonly Observed[], known: OuterFilters): boolean {
  const ids = new Set(known.subnets.flatMap(({ subnet, unlisted }) => (unlisted.length === 0 ? [subnet] : [])));
  return subnets.every(({ id }) => ids.has(id));
}

/** The time that facts of an image serve: they change rarely, and some clouds take a call for each image. */
const imagesServeMs = 3_600_000;

/**
 * Of the images that documents state, that machines run from, and that former generations launched from. An image of which nobody knows
 * the facts is asked for again with each observation.
 */
async function imageFactsOf(
  resources: readonly Observed[],
  at: number,
  { site: { session, images: stated }, knowledge, calls }: ObservationContext,
): Promise<ImageFacts | undefined> {
  if (session.imageFacts === undefined || stated === undefined) return undefined;
  const wanted = new Set([...stated, ...imagesRunIn(resources), ...imagesAppliedIn(knowledge)]);
  const { images: known } = knowledge;
  const isNew = known !== undefined && at >= known.at && at - known.at < imagesServeMs;
  const kept = isNew ? known.read.filter(({ image }) => wanted.has(image)) : [];
  const since = isNew ? known.at : at;
  for (const { image } of kept) wanted.delete(image);
  if (wanted.size === 0) return { at: since, read: kept, unread: [] };
  const { read, unread } = await session.imageFacts([...wanted], calls.reading());
  return { at: since, read: [...kept, ...read], unread };
}

const imagesRunIn = (resources: readonly Observed[]): readonly string[] =>
  resources.flatMap((one) => (isOf(one, 'instance') && isStanding(one) ? (one.attributes.machine.image ?? []) : []));

const imagesAppliedIn = ({ applied }: Knowledge): readonly string[] =>
  [...applied.values()].flatMap(({ attributes }) => ('machine' in attributes ? (attributes.machine.image ?? []) : []));

const actuatorOf = ({ session }: Site, kind: Kind): Actuator => session.actuators[kind];
