import type { Explanation, ModeReason, Ownership } from '../inventory/ownership.ts';
import { healingIn } from '../plan/healing.ts';
import { actionJson, desiredJson, findingJson, lastModifiedByJson, observedJson } from './plan-json.ts';

/** An explanation as data, for `--json` and the API. */
export function explanationJson(explanation: Explanation) {
  const { address, wanted, origins, mode, remediation, cadence, there, actions, findings } = explanation;
  const healing = healingIn({ findings });
  return {
    address,
    desired: wanted.map(desiredJson),
    origins,
    mode: mode && modeJson(mode),
    remediation,
    cadence,
    objects: there.map(ownershipJson),
    actions: actions.map((one) => actionJson(one, healing(one))),
    findings: findings.map((one) => findingJson(one, healing(one))),
  };
}

const modeJson = ({ mode, why, stillBoundBy }: ModeReason) => ({ mode, reason: why, stillBoundBy });

const ownershipJson = ({ scope, observed, claim, address, why, by }: Ownership) => ({
  scope,
  observed: observedJson(observed),
  claim,
  address,
  reason: why,
  lastModifiedBy: by && lastModifiedByJson(by),
});
