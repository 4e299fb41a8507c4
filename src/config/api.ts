import type { Access } from '../core/access/access-document.ts';
import { generationsOf } from '../fleet/generations.ts';
import type { Outside } from '../fleet/worker-context.ts';
import { authenticator } from '../http/access/authenticator.ts';
import { fetchJson } from '../http/access/fetch-json.ts';
import type { Authenticate } from '../http/api/authenticate.ts';
import { openEvents } from '../http/api/events/open-events.ts';
import { nextAttemptsBy } from '../http/api/next-attempts.ts';
import { type Desks, routesOn } from '../http/api/routes/index.ts';
import type { HttpOptions } from '../http/start-http.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Queue } from '../ports/queue.ts';
import type { Store } from '../ports/store.ts';
import type { Targets } from '../ports/targets.ts';
import type { Samples } from '../ports/telemetry.ts';
import { targetsOn } from '../queries/targets.ts';
import type { Reach } from '../telemetry/health.ts';
import { answersOf } from './answers.ts';

/** What the API stands on, in whatever process. */
export interface ApiGround {
  readonly store: Store;
  /** Absent: what is asked for waits in the store until a worker sees it. */
  readonly queue?: Queue;
  readonly outside: Outside;
  readonly clock: Clock;
  readonly log: Log;
  /** The rate budgets that this process uses; absent: it carries out no passes. */
  readonly lanes?: Samples['lanes'];
}

interface Around {
  readonly reaches: readonly Reach[];
  /** Whom we believe besides our own tokens. */
  readonly access: Access | undefined;
}

/** What each noun is asked at; the rim of one process. */
interface Rim extends Around {
  readonly authenticate: Authenticate;
}

/** The routes on a store, and who may ask them. */
export function apiOn(ground: ApiGround, around: Around): NonNullable<HttpOptions['api']> {
  const { store, clock, log } = ground;
  const { access } = around;
  const authenticate = authenticator({
    machines: { tokens: store.tokens, clock },
    ...(access === undefined ? {} : { people: { access, fetchJson, clock, log } }),
  });
  return { routes: routesOn(desksOn(ground, { ...around, authenticate })), authenticate, replies: store.replies };
}

/** One line a noun. */
function desksOn({ lanes, ...ground }: ApiGround, { reaches, authenticate }: Rim): Desks {
  const { store, clock, log } = ground;
  const { rows, happenings, passes, entryPages, figures, audit } = store;
  const estates = store.estates.list;
  const answers = { ...answersOf(ground), estates };
  return {
    drift: answers,
    explanations: answers,
    plans: answers,
    approvals: answers,
    pauses: answers,
    inventory: { rows, nextAttempts: nextAttemptsBy(passes, clock), estates, origins: answers.origins },
    events: openEvents({ authenticate, happenings, clock, log }),
    reconciles: { passes, figures, estates },
    ledger: { entryPages, figures, audit, estates },
    targets: { targets: targetsIn(ground), estates, ...(lanes && { lanes }) },
    slo: { figures, estates },
    tokens: store.tokens,
    health: { checks: () => reaches.map(({ name, needed, look }) => ({ name, needed, ok: look().ok })) },
  };
}

/** Nothing is sent to where targets lie, so an endpoint of their own is no danger. */
function targetsIn({ store, outside, clock }: Pick<ApiGround, 'store' | 'outside' | 'clock'>): Targets {
  const { open } = generationsOf({ store, outside: { ...outside, allowEndpoint: true }, clock });
  return targetsOn({ store, open });
}
