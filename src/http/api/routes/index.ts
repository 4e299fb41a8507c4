import type { Events } from '../events/open-events.ts';
import type { InventoryDesk } from '../inventory-desk.ts';
import type { Route } from '../route.ts';
import { type ApprovalsDesk, approvalsRoutes } from './approvals.ts';
import { type DriftDesk, driftRoutes } from './drift.ts';
import { eventRoutes } from './events.ts';
import { type ExplanationsDesk, explanationsRoutes } from './explanations.ts';
import { type HealthDesk, healthRoutes } from './health.ts';
import { inventoryRoutes } from './inventory.ts';
import { type LedgerDesk, ledgerRoutes } from './ledger.ts';
import { type PausesDesk, pausesRoutes } from './pauses.ts';
import { type PlansDesk, plansRoutes } from './plans.ts';
import { type ReconcilesDesk, reconcilesRoutes } from './reconciles.ts';
import { type SloDesk, sloRoutes } from './slo.ts';
import { type TargetsDesk, targetsRoutes } from './targets.ts';
import { type TokensDesk, tokensRoutes } from './tokens.ts';
import { whoamiRoutes } from './whoami.ts';

/** What the routes ask at, handed in by a root: one member a noun, of at most six in a group. */
export type Desks = Deciding & Past & Watching & Admitting & Keeping;

/** What would be done, and what people say to it. */
interface Deciding {
  readonly drift: DriftDesk;
  readonly explanations: ExplanationsDesk;
  readonly plans: PlansDesk;
  readonly approvals: ApprovalsDesk;
  readonly pauses: PausesDesk;
}

/** What is there, and what goes on. */
interface Watching {
  readonly inventory: InventoryDesk;
  readonly events: Pick<Events, 'follow'>;
}

/** What went on, and how it stands. */
interface Past {
  readonly reconciles: ReconcilesDesk;
  readonly ledger: LedgerDesk;
  readonly targets: TargetsDesk;
  readonly slo: SloDesk;
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
  ...inventoryRoutes(desks.inventory),
  ...driftRoutes(desks.drift),
  ...explanationsRoutes(desks.explanations),
  ...plansRoutes(desks.plans),
  ...approvalsRoutes(desks.approvals),
  ...pausesRoutes(desks.pauses),
  ...eventRoutes(desks.events),
  ...reconcilesRoutes(desks.reconciles),
  ...ledgerRoutes(desks.ledger),
  ...targetsRoutes(desks.targets),
  ...sloRoutes(desks.slo),
  ...tokensRoutes(desks.tokens),
  ...whoamiRoutes(),
  ...healthRoutes(desks.health),
];
