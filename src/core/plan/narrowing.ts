import type { Action } from '../action.ts';
import { type RuleMeaning, trafficChange } from '../order/rule-changes.ts';
import type { RuleAttributes } from '../resource.ts';

/**
 * True where the action takes traffic away and can let none through that does not pass now. False where that is not certain.
 *
 *   action on a firewall rule | true where the rule is switched on and
 *   --------------------------+------------------------------------------------------------------------------
 *   create                    | denies
 *   delete                    | allows
 *   update                    | allows, and then allows some of the same; it may be switched off
 *                             | denies, and then denies the same and more; it may be switched on
 *                             | allows, and then denies
 */
export function onlyNarrows(action: Action): boolean {
  if (action.kind !== 'firewall-rule') return false;
  switch (action.verb) {
    case 'create':
      return isOn(ruleOf(action.desired), 'deny');
    case 'delete':
      return isOn(ruleOf(action.observed), 'allow');
    case 'update': {
      const [from, to] = [ruleOf(action.observed), ruleOf(action.desired)];
      if (isOn(from, 'allow') && isOn(to, 'deny')) return true;
      const narrower = to.match.action === 'allow' ? 'shrinks' : 'widens';
      return from.match.action === to.match.action && trafficChange(action) === narrower;
    }
    case 'replace':
    case 'adopt':
    case 'forget':
      return false;
  }
}

// why: only called with firewall rules
const ruleOf = ({ attributes }: { readonly attributes: object }): RuleMeaning => attributes as RuleAttributes;

const isOn = ({ match, order }: RuleMeaning, action: 'allow' | 'deny'): boolean =>
  match.action === action && order?.disabled !== true;
