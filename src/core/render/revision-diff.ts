import type { Action } from '../action.ts';
import type { MovedTarget } from '../compile/placed-at.ts';
import { looserGuardsText } from '../loosened-guards.ts';
import type { Compared, LeftScope } from '../plan/preview.ts';
import { printable } from '../text.ts';
import { effectJson, effectText } from './effect.ts';
import { planText } from './plan-text.ts';
import { changeCounts, findingCounts, type Summary, summarise } from './summary.ts';
import { type Paint, plain, shortRevision } from './wording.ts';

/** Two states of the specs, one after the other. */
export interface Difference extends Compared {
  /** Revisions. */
  readonly from: string;
  readonly to: string;
  readonly moved: readonly MovedTarget[];
  /** The guards of the first that the second has looser, for people. */
  readonly looserGuards: readonly string[];
}

/** For people: the verdict first, then each scope as a plan has it, then what the comparison itself has to say. */
export function diffText(difference: Difference, paint: Paint = plain): string {
  const traffic = effectText(effectJson(difference.effect), paint);
  const guards = looserGuardsText(difference.looserGuards, { paint });
  const { from, to, plans, left, moved, looserGuards } = printable(difference);
  const summary = summarise(plans);
  const looser =
    looserGuards.length === 0
      ? []
      : [`${looserGuards.length} looser ${looserGuards.length === 1 ? 'guard' : 'guards'}`];
  const counts = [changeCounts(summary), ...findingCounts(summary), ...looser].join(' · ');
  const verdict = paint('strong', `Diff: ${counts} · ${shortRevision(from)} → ${shortRevision(to)}`);
  const [, ...body] = planText(plans, { revision: to, paint, most: Number.POSITIVE_INFINITY }).split('\n');
  return [
    verdict,
    ...body,
    ...(traffic === undefined ? [] : ['', traffic, paint('dim', bySpecsAlone)]),
    ...(guards === undefined ? [] : ['', guards]),
    ...(left.length + moved.length > 0 ? [''] : []),
    ...moved.map((one) =>
      paint('dim', `target ${one.target}: ${one.from} in the first, compared as if it were at ${one.to}`),
    ),
    ...left.map(leftLine),
  ].join('\n');
}

const bySpecsAlone =
  '  This counts the specs alone: `plan` asks the clouds for peerings, routes, network ACLs, firewall policies and security admin rules.';

const leftLine = ({ scope, documents }: LeftScope): string =>
  `${scope}: no target lies there any more; the resources of ${documents === 1 ? 'its document' : `its ${documents} documents`} stay as they are`;

/** The same as data. `was` and `will`: attributes before and after. */
export function diffJson({ from, to, plans, effect, looserGuards, left, moved }: Difference): object {
  return {
    from: { revision: from },
    to: { revision: to },
    summary: countsOf(summarise(plans)),
    changes: plans.flatMap(({ scope, actions }) => actions.map((action) => ({ scope, ...changeOf(action) }))),
    findings: plans.flatMap(({ findings }) => findings),
    effect: effectJson(effect),
    looserGuards,
    left,
    moved,
  };
}

const countsOf = ({ create, update, replace, delete: deleted, adopt, orphan, blocked, withheld }: Summary) => ({
  create,
  update,
  replace,
  delete: deleted,
  adopt,
  orphan,
  blocked,
  withheld,
});

/** Without ids and marks, which nobody looked at. */
function changeOf(action: Action): object {
  const { verb, kind, address, documents } = action;
  return {
    verb,
    kind,
    address,
    documents,
    ...('because' in action && action.verb === 'delete' ? { because: action.because } : {}),
    ...('effect' in action ? { effect: action.effect } : {}),
    ...('changes' in action ? { changes: action.changes } : {}),
    ...('observed' in action ? { was: action.observed.attributes } : {}),
    ...('desired' in action ? { will: action.desired.attributes } : {}),
  };
}
