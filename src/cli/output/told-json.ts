import type { ScopePlan } from '../../core/action.ts';
import { type PlanBound, type PlanJson, planJson } from '../../core/render/plan-json.ts';
import { sha256 } from '../../estate/sha256.ts';
import { inOrder } from './in-order.ts';

/** A plan as data, the same text whoever made it. */
export function toldJson(plans: readonly ScopePlan[], bound: PlanBound): PlanJson {
  const json = planJson(plans, bound, sha256);
  const { estate, withheldDrift, revision, generation, serial, sources, summary, digest } = json;
  return {
    estate,
    ...(withheldDrift === undefined ? {} : { withheldDrift }),
    revision,
    ...(generation === undefined ? {} : { generation }),
    ...(serial === undefined ? {} : { serial }),
    ...(sources === undefined ? {} : { sources: inOrder(sources) }),
    summary,
    actions: inOrder(json.actions),
    findings: inOrder(json.findings),
    digest,
  };
}
