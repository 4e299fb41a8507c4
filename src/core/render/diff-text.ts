import type { Compared, LeftScope } from '../plan/difference.ts';
import type { ScopeKey } from '../resource.ts';
import { type Paint, plain } from './paint.ts';
import { planText } from './plan-text.ts';
import { shortRevision } from './revision.ts';
import { changeCounts, findingCounts, summarise } from './summary.ts';

/** What two states of the specs ask, one after the other. */
export interface Difference extends Compared {
  /** Revisions. */
  readonly from: string;
  readonly to: string;
  readonly moved: readonly MovedTarget[];
}

/** A target that lies elsewhere in the other environment. */
export interface MovedTarget {
  readonly target: string;
  readonly from: ScopeKey;
  readonly to: ScopeKey;
}

/** For people: the verdict first, then each scope as a plan has it, then what the comparison itself has to say. */
export function diffText({ from, to, plans, left, moved }: Difference, paint: Paint = plain): string {
  const summary = summarise(plans);
  const counts = [changeCounts(summary), ...findingCounts(summary)].join(' · ');
  const verdict = paint('strong', `Diff: ${counts} · ${shortRevision(from)} → ${shortRevision(to)}`);
  const [, ...body] = planText(plans, { revision: to, paint, most: Number.POSITIVE_INFINITY }).split('\n');
  return [
    verdict,
    ...body,
    ...(left.length + moved.length > 0 ? [''] : []),
    ...moved.map((one) =>
      paint('dim', `${one.target} is at ${one.from} in the first, and compared as if at ${one.to}`),
    ),
    ...left.map(leftLine),
  ].join('\n');
}

const leftLine = ({ scope, documents }: LeftScope): string =>
  `${scope}: no target lies there any more; what ${documents === 1 ? 'its document' : `its ${documents} documents`} made stays as it is`;
