import type {
  Approval,
  KeptTree,
  Pause,
  Quarantined,
  Refused,
  StoppedRollout,
} from '../../../src/ports/fleet-state.ts';
import type { Where } from '../../../src/ports/queue.ts';
import type { ApprovalUse } from '../../../src/store/approvals.ts';

/** What the fleet's tables hold. Keys of maps: `whereKey`, of trees estate and revision. */
export interface FleetMemory {
  readonly trees: Map<string, KeptTree>;
  readonly requests: Map<string, RequestMemory>;
  readonly rollouts: Map<string, RolloutMemory>;
  readonly quarantine: Map<string, Quarantined>;
  readonly backoffs: Map<string, Map<string, Refused & { readonly until: number }>>;
  readonly pauses: PauseMemory[];
  readonly approvals: Approval[];
  /** By intent. */
  readonly approvedIntents: Map<string, ApprovalUse & { readonly estate: string }>;
  /** Estate and number. */
  readonly withdrawn: Set<string>;
}

interface RequestMemory {
  readonly where: Where;
  readonly wish: number;
  readonly answered: number;
  readonly reason: string;
}

export interface RolloutMemory {
  standing: number;
  readonly stopped: Map<string, StoppedRollout>;
}

export interface PauseMemory {
  readonly estate: string;
  readonly pause: Pause;
  ended: boolean;
}

export const fleetMemory = (): FleetMemory => ({
  trees: new Map(),
  requests: new Map(),
  rollouts: new Map(),
  quarantine: new Map(),
  backoffs: new Map(),
  pauses: [],
  approvals: [],
  approvedIntents: new Map(),
  withdrawn: new Set(),
});

export const whereKey = ({ estate, scope }: Where): string => `${estate} ${scope}`;
