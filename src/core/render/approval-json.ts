import type { UnmetRequirement, Verb } from '../action.ts';
import type { Address, ScopeKey } from '../resource.ts';

/** An approval as the store keeps it: see ports/fleet-state.ts. */
interface KeptApproval {
  readonly estate: string;
  readonly scope: ScopeKey;
  readonly seq: number;
  readonly generation: number;
  readonly digest: string;
  readonly actions: readonly string[];
  readonly destroys: number;
  readonly creates?: number;
  readonly closures?: number;
  readonly ran: number;
  readonly by: { readonly person: string; readonly reason: string; readonly authorsUnknown?: true };
  readonly approver?: { readonly roles?: Readonly<Record<string, unknown>> };
  readonly breakGlass?: true;
  readonly until: number;
}

/** An approval as data: `--json` prints it, and the API answers it. */
export function approvalJson({ by, approver, ...approval }: KeptApproval) {
  const roles = Object.keys(approver?.roles ?? {});
  return {
    estate: approval.estate,
    scope: approval.scope,
    seq: approval.seq,
    generation: approval.generation,
    digest: approval.digest,
    actions: [...approval.actions],
    destructiveCount: approval.destroys,
    createCount: approval.creates,
    closureCount: approval.closures,
    executed: approval.ran,
    actor: by.person,
    reason: by.reason,
    authorsUnknown: by.authorsUnknown,
    onStore: approver === undefined,
    roles: roles.length === 0 ? undefined : roles,
    breakGlass: approval.breakGlass,
    until: approval.until,
  };
}

/** A refusal of pending actions, likewise. */
export const refusalJson = ({ scope, seq, generation, digest, actions, by, at }: KeptRefusal) => ({
  ...{ scope, seq, generation, digest },
  actions: [...actions],
  actor: by.person,
  reason: by.reason,
  at,
});

/** As far as the caller may read it: see ports/queries.ts. */
type KeptRefusal = Pick<KeptApproval, 'scope' | 'generation' | 'actions'> &
  Partial<Pick<KeptApproval, 'seq' | 'digest'>> & {
    readonly by: { readonly person: string; readonly reason?: string };
    readonly at: number;
  };

interface RequiredAction extends UnmetRequirement {
  readonly address: Address;
  readonly verb: Verb;
  readonly digest: string;
}

/** An action that needs further approvals, likewise. */
export const requiredJson = ({ address, verb, digest, people, role, reason, by }: RequiredAction) => ({
  ...{ address, action: verb, digest, people, role, reason },
  approvals: by.map(({ person, until }) => ({ actor: person, until })),
});
