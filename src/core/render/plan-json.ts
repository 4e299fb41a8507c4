import type {
  About,
  Action,
  DeleteReason,
  Finding,
  FindingContext,
  Incarnated,
  ScopePlan,
  Surge,
  UnmetRequirement,
} from '../action.ts';
import { changeOf, type PlanCost } from '../cost/cost.ts';
import type { Desired, Presence, Terms } from '../desired.ts';
import { actionDigest, type Hash, planDigest } from '../digest.ts';
import type { DeletionGrace } from '../grace.ts';
import type { WithheldDrift } from '../inventory/withheld-drift.ts';
import type { TouchedBy } from '../last-modified.ts';
import type { Observed, Origin } from '../observed.ts';
import { type Healing, healingIn } from '../plan/healing.ts';
import type { Cloud } from '../resource.ts';
import { summarise } from './summary.ts';

/** A plan as data, for `--json`, `--out` and the API. */
export type PlanJson = ReturnType<typeof planJson>;

/** The basis of the plan. `serial`: the last ledger entry it knew; absent without a store. */
export interface PlanBound {
  readonly estate: string;
  readonly revision: string;
  readonly generation?: number;
  readonly serial?: number;
  /** The sources whose newest specs are not active, with the reasons; absent: none. */
  readonly sources?: readonly HeldSource[];
  /** Drift that workers leave alone, by the newest looks of what is in force; absent: none. */
  readonly withheldDrift?: readonly WithheldDrift[];
  /** The guards that the generation before has and these specs would have looser, for people; absent: none. */
  readonly looserGuards?: readonly string[];
  /** Clouds whose audit logs reach Setpoint by a webhook; absent: none. */
  readonly auditLogs?: readonly Cloud[];
  /** Of the whole estate; absent: the specs have no prices. */
  readonly cost?: PlanCost;
}

/**
 * A source whose newest state is held back; see the port `Sources` for its states. `since`: ms since the epoch. Which one it is,
 * and why, is told to those who see all of the estate.
 */
export interface HeldSource {
  readonly source?: string;
  readonly head?: string;
  readonly state: string;
  readonly why?: string;
  readonly since: number;
}

export function planJson(plans: readonly ScopePlan[], bound: PlanBound, hash: Hash) {
  return {
    estate: bound.estate,
    withheldDrift: bound.withheldDrift,
    revision: bound.revision,
    generation: bound.generation,
    serial: bound.serial,
    sources: bound.sources?.map(sourceJson),
    looserGuards: bound.looserGuards,
    auditLogs: bound.auditLogs,
    cost: bound.cost && costJson(bound.cost),
    summary: summarise(plans),
    actions: plans.flatMap((plan) => {
      const healing = healingIn(plan);
      return plan.actions.map((one) => ({ ...actionJson(one, healing(one)), digest: actionDigest(one, hash) }));
    }),
    findings: plans.flatMap((plan) => {
      const healing = healingIn(plan);
      return plan.findings.map((one) => findingJson(one, healing(one)));
    }),
    digest: planDigest(plans, hash),
  };
}

/** Amounts are of a month. */
export const costJson = ({ currency, before, after, unpriced, limit }: PlanCost) => ({
  currency,
  before,
  after,
  change: changeOf({ before, after }),
  unpriced: unpriced.map(({ what, count }) => ({ what, count })),
  limit,
});

export const sourceJson = ({ source, head, state, why, since }: HeldSource) => ({
  source,
  head,
  state: state === 'away' ? 'unavailable' : state,
  reason: why,
  since,
});

/** `healing`: see plan/healing.ts. */
export function actionJson(action: Action, healing: Healing | undefined) {
  const about = aboutJson(action, healing);
  switch (action.verb) {
    case 'create': {
      const { verb, desired, because } = action;
      return { verb, ...about, ...incarnationJson(action), desired: desiredJson(desired), reason: because };
    }
    case 'update': {
      const { verb, desired, observed, changes, effect, restarts, retires } = action;
      return { verb, ...about, ...sidesJson(desired, observed), changes, effect, restarts, retires: retires && true };
    }
    case 'replace': {
      const { verb, desired, observed, changes, surge } = action;
      const sides = { ...sidesJson(desired, observed), changes };
      return { verb, ...about, ...incarnationJson(action), ...sides, surge: surge && surgeJson(surge) };
    }
    case 'delete': {
      const { verb, observed, because, owners, grace } = action;
      const removal = { observed: observedJson(observed), reason: deleteReasons[because], owners };
      return { verb, ...about, ...removal, grace: grace && graceJson(grace) };
    }
    case 'adopt': {
      const { verb, desired, observed, changes } = action;
      return { verb, ...about, ...sidesJson(desired, observed), changes };
    }
    case 'forget': {
      const { verb, id, because } = action;
      return { verb, ...about, id, reason: because };
    }
  }
}

function graceJson(grace: DeletionGrace) {
  const { phase } = grace;
  if (grace.phase === 'begins') return { phase, forMs: grace.forMs, by: grace.by };
  const { since, until, allowed, approvals } = grace;
  return { phase, since, until, allowed, approvals: approvals && [...approvals] };
}

/** Reasons to delete in the words of the API. The ledger has the other ones. */
export const deleteReasons = {
  removed: 'removed',
  changed: 'changed',
  'scaled-down': 'scaled-down',
  rogue: 'undeclared',
  pruned: 'pruned',
  twin: 'duplicate',
  again: 'reappeared',
  withdrawn: 'withdrawn',
} as const satisfies Record<DeleteReason, string>;

const sidesJson = (desired: Desired, observed: Observed) => ({
  desired: desiredJson(desired),
  observed: observedJson(observed),
});

const aboutJson = (
  { kind, address, documents, cause, by, remediation, contested, criticality }: About,
  healing: Healing | undefined,
) => ({
  kind,
  address,
  documents,
  cause,
  criticality,
  lastModifiedBy: by && lastModifiedByJson(by),
  healing,
  remediation,
  contested,
});

const incarnationJson = ({ incarnation }: Incarnated) => ({ incarnation });

const surgeJson = ({ successor, asWanted, since }: Surge) => ({ successor, upToDate: asWanted, since });

export function findingJson(finding: Finding, healing: Healing | undefined) {
  const reason = reasonJson(finding, healing);
  switch (finding.type) {
    case 'unmanaged':
    case 'orphan':
    case 'copied-mark':
    case 'unrecorded-mark': {
      const { type, id, kind, name, of } = finding;
      return { type, id, kind, name, ...reason, parent: of };
    }
    case 'blocked':
    case 'non-convergent': {
      const { type, address, kind, code } = finding;
      return { type, address, kind, code, ...reason };
    }
    case 'withheld': {
      const { type, address, kind, action, code, cause, until, remediation, contested, requirements } = finding;
      const missing = requirements?.map(requirementJson);
      const told = { remediation, contested, requirements: missing };
      return { type, address, kind, action, code, cause, until, ...reason, ...told };
    }
    case 'incomplete': {
      const { type, kind, code } = finding;
      return { type, kind, code, ...reason };
    }
    case 'wrong-account':
    case 'foreign-store':
      return { type: finding.type, ...reason };
  }
}

export const requirementJson = ({ people, role, reason, by }: UnmetRequirement) => ({
  people,
  role,
  reason,
  approvals: by.map(({ person, until }) => ({ actor: person, until })),
});

const reasonJson = ({ why, scope, by, criticality }: FindingContext, healing: Healing | undefined) => ({
  reason: why,
  scope,
  criticality,
  lastModifiedBy: by && lastModifiedByJson(by),
  healing,
});

export const lastModifiedByJson = ({ who, action, from, agent, event, requestId, at }: TouchedBy) => ({
  actor: who,
  action,
  from,
  agent,
  event,
  requestId,
  at,
});

export const desiredJson = ({ kind, address, name, attributes, terms, documents }: Desired) => ({
  kind,
  address,
  name,
  attributes,
  terms: termsJson(terms),
  documents,
});

const termsJson = ({
  mode,
  protect,
  deletionPolicy,
  criticality,
  claim,
  ignore,
  presence,
  minReadyMs,
  unlaunchable,
  replace,
  beforeDelete,
}: Terms) => ({
  mode,
  protect,
  deletionPolicy,
  criticality,
  claim: claim && { adopt: claim.adopt, previousAddresses: claim.was },
  ignore,
  requirement: presence && requirements[presence],
  minReadyMs,
  unlaunchable,
  replace,
  beforeDelete,
});

const requirements = {
  stated: 'required',
  implied: 'provider-default',
  tolerated: 'optional',
} as const satisfies Record<Presence, string>;

export const observedJson = ({ kind, id, name, attributes, signs, condition }: Observed) => ({
  kind,
  id,
  name,
  attributes,
  metadata: {
    mark: signs.mark,
    container: signs.container,
    parent: signs.parent,
    uniqueName: signs.slot,
    firstOrdinal: signs.first,
    origin: signs.origin && originJson(signs.origin),
  },
  condition,
});

export const originJson = ({ why, detail, maker }: Origin) => ({ reason: why, detail, maker });
