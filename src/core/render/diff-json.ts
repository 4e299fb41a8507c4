import type { Action } from '../action.ts';
import type { Difference } from './diff-text.ts';
import { type Summary, summarise } from './summary.ts';

/** The same as data. `was` and `will`: attributes before and after. */
export function diffJson({ from, to, plans, left, moved }: Difference): object {
  return {
    from: { revision: from },
    to: { revision: to },
    summary: countsOf(summarise(plans)),
    changes: plans.flatMap(({ scope, actions }) => actions.map((action) => ({ scope, ...changeOf(action) }))),
    findings: plans.flatMap(({ findings }) => findings),
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
