import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ListenAddress } from '../cli/context.ts';
import type { Access } from '../core/access/access-document.ts';
import { criticalityOf } from '../core/criticality.ts';
import { renderProblem } from '../core/documents/problem.ts';
import { dayOf } from '../core/render/wording.ts';
import { messageOf } from '../core/text.ts';
import { openEstate } from '../estate/load.ts';
import { generationsOf } from '../fleet/generations.ts';
import type { ExternalAccess, WorkerContext } from '../fleet/worker-context.ts';
import { openEventStreams } from '../http/api/events/streams.ts';
import { nextAttemptsBy } from '../http/api/inventory-query.ts';
import type { Authenticate } from '../http/api/route.ts';
import { type RouteDependencies, routesOn } from '../http/api/routes/index.ts';
import { authenticator } from '../http/auth/authenticator.ts';
import { fetchJson } from '../http/auth/fetch-json.ts';
import { type SessionCookie, sessionCookie } from '../http/auth/session-cookie.ts';
import type { CallerLimit } from '../http/limits.ts';
import { isLoopbackHost, readTls } from '../http/listen-address.ts';
import { type HttpOptions, type HttpServer, PortTaken, startHttp } from '../http/server.ts';
import { webhooksOn } from '../http/webhooks/handle-events.ts';
import type { EstateWebhooks, WebhookDependencies } from '../http/webhooks/webhook.ts';
import type { Clock, Log } from '../ports/clock-and-log.ts';
import type { Answers, Targets } from '../ports/queries.ts';
import type { Queue } from '../ports/queue.ts';
import type { Store } from '../ports/store.ts';
import type { Samples } from '../ports/telemetry.ts';
import { fleetViewOn } from '../queries/fleet-view.ts';
import { answersOn } from '../queries/queries.ts';
import { targetsOn } from '../queries/targets.ts';
import { editSpecFile } from '../source/edit-specs.ts';
import { parseAccess } from '../source/parse-access.ts';
import type { Reach } from '../telemetry/health.ts';
import { openHealthChecks } from './health-checks.ts';
import { postedSpecs } from './proposals.ts';

/** The open server. */
export interface ApiServer {
  readonly url?: string;
  /** Made because there was none: to be shown once. */
  readonly firstToken?: string;
  close(): Promise<void>;
}

export interface ApiServerSettings {
  readonly ground: ApiResources;
  /** Absent: no webhooks are heard here. */
  readonly webhooks?: WebhookDependencies;
  /** True if database and process belong to one person on this machine. */
  readonly isAlone: boolean;
  readonly callerLimit: CallerLimit;
}

/**
 * Opens the API, and webhooks beside it. Beyond this machine only with TLS, or a proxy that has it, and only where somebody can
 * prove who they are. A port that nobody asked for by name, and that is taken, is done without.
 */
export async function openApiServer(listen: ListenAddress, settings: ApiServerSettings): Promise<ApiServer> {
  const { ground, isAlone } = settings;
  const access = listen.access === undefined ? undefined : await readAccess(listen.access);
  const isOpen = !isLoopbackHost(listen.host);
  if (isOpen && access === undefined && !(await hasToken(ground.store, ground.clock)))
    throw new Error(nobodyKnown(listen.host));
  await using stack = new AsyncDisposableStack();
  const reaches = openHealthChecks(ground, 'api');
  stack.defer(reaches.stop);
  const http = await startHere(listen, { ...settings, reaches: reaches.all, access }).catch((error: unknown) => {
    if (!(error instanceof PortTaken) || listen.isNamed) throw error;
    ground.log.warn('API NOT STARTED: its default port is in use', { reason: error.message });
  });
  if (!http) return { close: async () => {} };
  stack.defer(http.close);
  const token = isAlone && !isOpen && access === undefined ? await firstToken(ground.store, ground.clock) : undefined;
  ground.log.info('API listening', { url: http.url });
  const owned = stack.move();
  return { url: http.url, firstToken: token, close: () => owned.disposeAsync() };
}

type Opening = ApiServerSettings & {
  readonly access: Access | undefined;
  readonly reaches: readonly Reach[];
};

async function startHere(
  { host, port, tls }: ListenAddress,
  { ground, webhooks, ...around }: Opening,
): Promise<HttpServer> {
  const { clock, log } = ground;
  return startHttp({
    host,
    port,
    ...(tls === undefined ? {} : { tls: tls === 'proxy' ? tls : await readTls(tls) }),
    webhooks,
    api: apiOn(ground, { ...around, session: sessionCookie(tls !== undefined) }),
    consoleFolder,
    clock,
    log,
  });
}

/** In a clone and in the package alike: the build copies it. */
const consoleFolder = join(import.meta.dirname, '../../console', 'dist');

const nobodyKnown = (host: string): string =>
  `${host} is not this machine, and callers could not authenticate. Create a token first (setpoint token make), or name trusted issuers with --access.`;

/** Whom we believe, as a file says it that no repository of specs holds. Throws for whatever is wrong with it, line by line. */
export async function readAccess(path: string): Promise<Access> {
  const text = await readFile(path, 'utf8').catch((cause) => {
    const why = messageOf(cause);
    throw new Error(`the access file ${path} cannot be read: ${why}. Name another with --access.`, { cause });
  });
  const { access, problems } = parseAccess({ path, text });
  if (access !== undefined) return access;
  const said = problems.map((problem) => renderProblem(problem)).join('\n\n');
  throw new Error(`the access file is not valid, so the API rejects all callers:\n\n${said}`);
}

const lastsMs = 90 * 86_400_000;

/** A token for all, made where none ever was: whoever started the process on their own database is told it, once. */
export async function firstToken({ tokens }: Pick<Store, 'tokens'>, clock: Clock): Promise<string | undefined> {
  const made = await tokens.makeFirst({
    name: 'first',
    grants: [{ role: 'admin' }],
    expiresAt: clock.now() + lastsMs,
    maker: { person: 'setpoint', identities: [] },
  });
  return made?.text;
}

/** True if a token still grants anything. */
export async function hasToken({ tokens }: Pick<Store, 'tokens'>, clock: Clock): Promise<boolean> {
  let before: string | undefined;
  for (;;) {
    const page = await tokens.list({ most: 100, before });
    if (page.some(({ revoked, expiresAt }) => revoked === undefined && expiresAt > clock.now())) return true;
    before = page.at(-1)?.id;
    if (page.length < 100) return false;
  }
}

/** The dependencies of the API, in any process. */
export interface ApiResources {
  readonly store: Store;
  /** Absent: requests wait in the store until a worker sees them. */
  readonly queue?: Queue;
  readonly outside: ExternalAccess;
  readonly clock: Clock;
  readonly log: Log;
  /** The rate budgets that this process uses; absent: it carries out no reconciles. */
  readonly rateLimits?: Samples['rateLimits'];
}

interface ApiConditions {
  readonly reaches: readonly Reach[];
  /** Whom we believe besides our own tokens. */
  readonly access: Access | undefined;
  /** Absent: the usual one. */
  readonly callerLimit?: CallerLimit;
  /** Absent: that of a server without TLS. */
  readonly session?: SessionCookie;
}

/** The routes on a store, and the access to them. */
export function apiOn(ground: ApiResources, conditions: ApiConditions): NonNullable<HttpOptions['api']> {
  const { store, clock, log } = ground;
  const { access, callerLimit, session = sessionCookie(false) } = conditions;
  const authenticate = authenticator({
    apiTokens: { tokens: store.tokens, clock },
    ...(access === undefined ? {} : { issuers: { access, fetchJson, clock, log } }),
  });
  return {
    routes: routesOn(dependenciesOn(ground, { reaches: conditions.reaches, authenticate, session })),
    authenticate,
    session,
    idempotentResponses: store.idempotentResponses,
    ...(callerLimit && { callerLimit }),
  };
}

interface ServedConditions extends Required<Pick<ApiConditions, 'reaches' | 'session'>> {
  readonly authenticate: Authenticate;
}

/** The services behind each resource of the API, in one process. */
function dependenciesOn(
  { rateLimits, ...ground }: ApiResources,
  { reaches, authenticate, session }: ServedConditions,
): RouteDependencies {
  const { store, clock, log } = ground;
  const { rows, events, reconciles, entryPages, figures, audit } = store;
  const estates = store.estates.list;
  const answers = { ...answersOf(ground), estates };
  const targets = targetsIn(ground);
  const { queue } = ground;
  return {
    drift: answers,
    explanations: answers,
    actors: { ...answers, entryPages, figures, authors: store.authors },
    traffic: answers,
    plans: answers,
    approvals: answers,
    pauses: answers,
    windows: answers,
    patches: answers,
    edits: answers,
    resourceNotes: answers,
    inventory: {
      ...{ rows, nextAttempts: nextAttemptsBy(reconciles, clock), estates },
      ...{ origins: answers.origins, notes: answers.resourceNotes.of },
    },
    events: openEventStreams({ authenticate, events, clock, log }),
    reconciles: { reconciles, figures, estates },
    ledger: { entryPages, figures, audit, estates },
    targets: { targets, estates, ...(rateLimits && { rateLimits }) },
    fleet: {
      fleet: fleetViewOn({ store, targets, ...(queue && { queue }), ...(rateLimits && { rateLimits }) }),
      estates,
    },
    slo: { figures, estates },
    tokens: store.tokens,
    whoami: { estates },
    session: { authenticate, cookie: session, estates },
    health: { checks: () => reaches.map(({ name, needed, look }) => ({ name, needed, ok: look().ok })) },
  };
}

/** Nothing is sent to where targets lie, so an endpoint of their own is no danger. */
function targetsIn({ store, outside, clock }: Pick<ApiResources, 'store' | 'outside' | 'clock'>): Targets {
  const { open } = generationsOf({ store, outside: { ...outside, allowEndpoint: true }, clock });
  return targetsOn({ store, open });
}

/** Answers about estates, from the store. It sends no request to a cloud. */
export function answersOf({ store, outside, clock }: Pick<WorkerContext, 'store' | 'outside' | 'clock'>): Answers {
  const today = (): string => dayOf(clock.now());
  const generations = generationsOf({ store, outside: { ...outside, allowEndpoint: true }, clock });
  return answersOn({
    store,
    clock,
    open: generations.open,
    posted: {
      read: (posted, active) => postedSpecs(posted, active, today()),
      again: outside.specs,
      open: (tree) => openEstate(tree, outside.cloud, today()),
    },
    edits: {
      editSpecFile,
      fileDiff: async (file) => (await import('../source/file-diff.ts')).fileDiff(file),
    },
  });
}

/** The notifications of a worker: webhooks and events. */
export function webhooksOf(context: WorkerContext): WebhookDependencies {
  const { store, queue, outside, clock, telemetry } = context;
  const { cloud, secrets, allowEndpoint } = outside;
  const { touches, sources, fleet } = store;
  const { log } = telemetry;
  return webhooksOn({
    cloud,
    touches,
    requests: fleet.requests,
    queue,
    wakeUps: sources.wakeUps,
    secrets,
    allowEndpoint,
    activeWebhooks: activeWebhooksOf(context),
    clock,
    log,
  });
}

/** Of every estate what its newest generation says; of one that cannot be opened here nothing, and the others go on. */
function activeWebhooksOf(context: WorkerContext): () => Promise<readonly EstateWebhooks[]> {
  const generations = generationsOf(context);
  const { store, telemetry } = context;
  const webhooksOfEstate = async (estate: string): Promise<readonly EstateWebhooks[]> => {
    const current = await store.generations.current(estate);
    if (current === undefined) return [];
    try {
      const { tree, compiled } = await generations.open(estate, current);
      const webhooks = tree.estate?.value.spec.hooks ?? [];
      const scopes = compiled.scopes.map(({ scope }) => scope);
      const criticalities = new Map(compiled.scopes.map(({ scope, cadence }) => [scope, criticalityOf([cadence])]));
      return [{ estate, webhooks, scopes, criticalities }];
    } catch (error) {
      telemetry.log.warn('cannot read the webhooks of an estate', { estate, reason: String(error) });
      return [];
    }
  };
  return async () => (await Promise.all((await store.estates.list()).map(webhooksOfEstate))).flat();
}
