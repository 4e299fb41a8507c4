import type { Events } from '../events/open-events.ts';
import type { Route } from '../route.ts';
import { eventRoutes } from './events.ts';
import { type HealthDesk, healthRoutes } from './health.ts';
import { type LedgerDesk, ledgerRoutes } from './ledger.ts';
import { type ReconcilesDesk, reconcilesRoutes } from './reconciles.ts';
import { type TokensDesk, tokensRoutes } from './tokens.ts';
import { whoamiRoutes } from './whoami.ts';

/** What the routes ask at, handed in by a root: one member a noun, of at most six in a group. */
export type Desks = Past & Watching & Admitting & Keeping;

/** What goes on. */
interface Watching {
  readonly events: Pick<Events, 'follow'>;
}

/** What went on. */
interface Past {
  readonly reconciles: ReconcilesDesk;
  readonly ledger: LedgerDesk;
}

/** Who may ask. */
interface Admitting {
  readonly tokens: TokensDesk;
}

/** The process itself. */
interface Keeping {
  readonly health: HealthDesk;
}

/** Every route of the API: one line a noun. */
export const routesOn = (desks: Desks): readonly Route[] => [
  ...eventRoutes(desks.events),
  ...reconcilesRoutes(desks.reconciles),
  ...ledgerRoutes(desks.ledger),
  ...tokensRoutes(desks.tokens),
  ...whoamiRoutes(),
  ...healthRoutes(desks.health),
];
