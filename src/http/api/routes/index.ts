import type { EventStreams } from '../events/streams.ts';
import type { InventoryDependencies } from '../inventory-query.ts';
import type { Route } from '../route.ts';
import { type ActorsDependencies, actorsRoutes } from './actors.ts';
import { type ApprovalsDependencies, approvalsRoutes } from './approvals.ts';
import { type DriftDependencies, driftRoutes } from './drift.ts';
import { type EditsDependencies, editsRoutes } from './edits.ts';
import { eventRoutes } from './events.ts';
import { type ExplanationsDependencies, explanationsRoutes } from './explanations.ts';
import { type FleetDependencies, fleetRoutes } from './fleet.ts';
import { type HealthDependencies, healthRoutes } from './health.ts';
import { inventoryRoutes } from './inventory.ts';
import { type LedgerDependencies, ledgerRoutes } from './ledger.ts';
import { type PatchesDependencies, patchesRoutes } from './patches.ts';
import { type PausesDependencies, pausesRoutes } from './pauses.ts';
import { type PlansDependencies, plansRoutes } from './plans.ts';
import { type ReconcilesDependencies, reconcilesRoutes } from './reconciles.ts';
import { type ResourceNotesDependencies, resourceNotesRoutes } from './resource-notes.ts';
import { type SessionDependencies, sessionRoutes } from './session.ts';
import { type SloDependencies, sloRoutes } from './slo.ts';
import { type TargetsDependencies, targetsRoutes } from './targets.ts';
import { type TokensDependencies, tokensRoutes } from './tokens.ts';
import { type TrafficDependencies, trafficRoutes } from './traffic.ts';
import { type IdentityDependencies, whoamiRoutes } from './whoami.ts';
import { type WindowsDependencies, windowsRoutes } from './windows.ts';

/** The dependencies of the routes, handed in by a root: one member a noun. */
export interface RouteDependencies {
  readonly inventory: InventoryDependencies;
  readonly drift: DriftDependencies;
  readonly explanations: ExplanationsDependencies;
  readonly actors: ActorsDependencies;
  readonly traffic: TrafficDependencies;
  readonly plans: PlansDependencies;
  readonly approvals: ApprovalsDependencies;
  readonly pauses: PausesDependencies;
  readonly windows: WindowsDependencies;
  readonly patches: PatchesDependencies;
  readonly edits: EditsDependencies;
  readonly resourceNotes: ResourceNotesDependencies;
  readonly events: Pick<EventStreams, 'follow'>;
  readonly reconciles: ReconcilesDependencies;
  readonly ledger: LedgerDependencies;
  readonly targets: TargetsDependencies;
  readonly fleet: FleetDependencies;
  readonly slo: SloDependencies;
  readonly tokens: TokensDependencies;
  readonly whoami: IdentityDependencies;
  readonly session: SessionDependencies;
  readonly health: HealthDependencies;
}

/** Every route of the API: one line a noun. */
export const routesOn = (dependencies: RouteDependencies): readonly Route[] => [
  ...inventoryRoutes(dependencies.inventory),
  ...driftRoutes(dependencies.drift),
  ...explanationsRoutes(dependencies.explanations),
  ...actorsRoutes(dependencies.actors),
  ...trafficRoutes(dependencies.traffic),
  ...plansRoutes(dependencies.plans),
  ...approvalsRoutes(dependencies.approvals),
  ...pausesRoutes(dependencies.pauses),
  ...windowsRoutes(dependencies.windows),
  ...patchesRoutes(dependencies.patches),
  ...editsRoutes(dependencies.edits),
  ...resourceNotesRoutes(dependencies.resourceNotes),
  ...eventRoutes(dependencies.events),
  ...reconcilesRoutes(dependencies.reconciles),
  ...ledgerRoutes(dependencies.ledger),
  ...targetsRoutes(dependencies.targets),
  ...fleetRoutes(dependencies.fleet),
  ...sloRoutes(dependencies.slo),
  ...tokensRoutes(dependencies.tokens),
  ...whoamiRoutes(dependencies.whoami),
  ...sessionRoutes(dependencies.session),
  ...healthRoutes(dependencies.health),
];
