import type { FleetState } from '../ports/fleet-state.ts';
import type { Context } from './context.ts';
import { postgresApprovals } from './approvals.ts';
import { postgresBackoffs } from './postgres-backoffs.ts';
import { postgresPauses } from './postgres-pauses.ts';
import { postgresQuarantine } from './postgres-quarantine.ts';
import { postgresRequests } from './postgres-requests.ts';
import { postgresRollouts } from './postgres-rollouts.ts';
import { postgresScopeCounts } from './postgres-scope-counts.ts';
import { postgresTrees } from './postgres-trees.ts';

export const postgresFleet = (context: Context): FleetState => ({
  trees: postgresTrees(context.db),
  requests: postgresRequests(context.db),
  pauses: postgresPauses(context),
  approvals: postgresApprovals(context),
  rollouts: postgresRollouts(context),
  quarantine: postgresQuarantine(context),
  backoffs: postgresBackoffs(context.db),
  counts: postgresScopeCounts(context),
});
