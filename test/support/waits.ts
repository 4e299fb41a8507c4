import type { Action } from '../../src/core/action.ts';
import { isJoining } from '../../src/core/order/moves.ts';
import { nobodyAround, type Surroundings } from '../../src/core/order/neighbours.ts';
import { order } from '../../src/core/order/order.ts';
import { desired, observed, attributes as of, update } from './actions.ts';

/**
 * `web-0: core.app core.web` for each waiting step, with any gates between, `~` before a step that only must have ended, and `+`
 * behind one in which a machine only joins groups.
 */
export function waits(actions: readonly Action[], around: Surroundings = nobodyAround): readonly string[] {
  const { steps, gates } = order(actions, around);
  const nodes = [...steps, ...gates];
  const nameOf = (i: number): string => {
    const action = steps[i]?.action;
    return action === undefined ? '?' : `${action.address.split('/').at(-1)}${isJoining(action) ? '+' : ''}`;
  };
  const behind = (i: number, sign: string): readonly string[] => {
    if (i < steps.length) return [sign + nameOf(i)];
    const { needs = [], follows = [] } = nodes[i] ?? {};
    return [...needs.flatMap((j) => behind(j, sign)), ...follows.flatMap((j) => behind(j, '~'))];
  };
  return steps.flatMap(({ needs, follows }, i) => {
    const all = [...needs.flatMap((j) => behind(j, '')), ...follows.flatMap((j) => behind(j, '~'))];
    const sorted = [...new Set(all)].filter((name) => name !== nameOf(i)).sort();
    return sorted.length === 0 ? [] : [`${nameOf(i)}: ${sorted.join(' ')}`];
  });
}

/** A change of the groups of a machine. */
export const regroup = (name: string, from: readonly string[], to: readonly string[]): Action =>
  update(
    desired('instance', name, of.instance('core.app', to)),
    observed('instance', `i-${name}`, of.instance('core.app', from)),
    [{ field: 'groups' }],
  );
