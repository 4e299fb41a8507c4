import type { Explanation, ModeReason, Ownership } from '../inventory/ownership.ts';
import { actionJson, desiredJson, findingJson, lastModifiedByJson, observedJson } from './plan-json.ts';

/** An explanation as data: what `--json` prints and the API answers. */
export const explanationJson = ({ address, wanted, origins, mode, there, actions, findings }: Explanation) => ({
  address,
  desired: wanted.map(desiredJson),
  origins,
  mode: mode && modeJson(mode),
  objects: there.map(ownershipJson),
  actions: actions.map(actionJson),
  findings: findings.map(findingJson),
});

const modeJson = ({ mode, why, stillBoundBy }: ModeReason) => ({ mode, reason: why, stillBoundBy });

const ownershipJson = ({ scope, observed, claim, address, why, by }: Ownership) => ({
  scope,
  observed: observedJson(observed),
  claim,
  address,
  reason: why,
  lastModifiedBy: by && lastModifiedByJson(by),
});
