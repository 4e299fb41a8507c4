import { parseCidr } from '../cidr.ts';
import type { PlanInput } from '../plan/plan-input.ts';
import { servicesJson, servicesText } from '../render/effect.ts';
import type { CloudId } from '../resource.ts';
import { listed } from '../text.ts';
import { type Filter, filterOf } from './filter.ts';
import { classesOf } from './machine-classes.ts';
import { type Reach, type ReachWay, waysFrom } from './reach.ts';
import { type Machine, observedState, type TrafficState } from './state.ts';

/**
 * The answer whether the internet reaches a machine by an address of its own. `yes`: some traffic does, by the rules. `no`: none does.
 * `unknown`: the reason names the part that Setpoint does not evaluate.
 */
export interface Exposure {
  readonly answer: Reach['answer'];
  readonly reason: string;
}

/**
 * The machines of a scope that stand, by their ids.
 *
 *   way from the internet | rules            | exposed
 *   ----------------------+------------------+----------------------------------------------------------------------------
 *   yes                   | let some through | yes
 *   yes                   | let none through | no; unknown where a filter besides the rules may let some through
 *   no                    | let none through | no
 *   no                    | let some through | unknown: a load balancer that nobody lists may forward it
 *   not known             | let none through | no, or unknown, as with a way
 *   not known             | let some through | unknown
 *
 * A load balancer that ends connections of the internet, and makes its own, does not expose what is behind it. One for each class of machines
 * that nothing tells apart.
 */
export function exposureIn(input: PlanInput): ReadonlyMap<CloudId, Exposure> {
  const state = observedState(input);
  const filter = filterOf(state);
  const found = new Map<CloudId, Exposure>();
  for (const { machines, after } of classesOf(state, state, [filter])) {
    const exposure = exposureOf(after.machine, { state, filter });
    for (const machine of machines) found.set(machine.id, withInterfaces(machine, exposure));
  }
  for (const { id, name } of machinesOf(state))
    if (!found.has(id)) found.set(id, { answer: 'unknown', reason: `the network of ${name} is not known` });
  return found;
}

/** Of the first address of a machine. The reason applies to every machine of its class. */
export function exposureOf(
  machine: Machine,
  { state, filter }: { readonly state: TrafficState; readonly filter: Filter },
): Exposure {
  const one = { ...machine, name: 'the machine', interfaces: [] };
  return exposureBy(waysFrom(internet, { state, filter, machine: one }));
}

const internet = {
  kind: 'block',
  block: parseCidr('0.0.0.0/0') ?? { family: 4, base: 0n, prefix: 0 },
  isInternet: true,
} as const;

const machinesOf = ({ machines }: TrafficState): readonly Machine[] => [...machines.values()];

function exposureBy(ways: readonly ReachWay[]): Exposure {
  const open = ways.filter(({ answer }) => answer === 'yes');
  if (open.length > 0) return { answer: 'yes', reason: openText(open) };
  const doubtful = ways.find(({ answer }) => answer === 'unknown');
  if (doubtful !== undefined) return { answer: 'unknown', reason: reasonOf(doubtful, 'unknown') };
  return closedBy(ways);
}

function closedBy(ways: readonly ReachWay[]): Exposure {
  const [way] = ways;
  if (way === undefined) return { answer: 'unknown', reason: 'nothing is known of its way to the internet' };
  const isWay = way.steps.some(({ by, answer }) => by === 'route' && answer !== 'no');
  const ruled = ways.filter(({ steps }) => steps.some(({ by, answer }) => by === 'ingress' && answer === 'yes'));
  const into = ruled[0] ?? ways.find(({ steps }) => steps.some(isUnknownRule));
  if (isWay || into === undefined) return { answer: 'no', reason: reasonOf(way, 'no') };
  const letIn =
    ruled.length === 0
      ? `it may be let in: ${reasonOf(into, 'unknown')}`
      : `its rules let ${listed(ruled.flatMap(({ from }) => from).map((from) => (from === 'internet' ? 'the internet' : from)))} in`;
  return {
    answer: 'unknown',
    reason: `${reasonOf(into, 'no')}, but ${letIn}: a load balancer, which Setpoint does not list, may forward it`,
  };
}

const isUnknownRule = ({ by, answer }: ReachWay['steps'][number]): boolean => by === 'ingress' && answer === 'unknown';

const reasonOf = ({ steps }: ReachWay, answer: Reach['answer']): string =>
  steps
    .filter((step) => step.answer === answer)
    .map(({ reason }) => reason)
    .join('; ');

/** `22/tcp from internet by ssh; 443/tcp from 203.0.113.0/24 by https` */
function openText(ways: readonly ReachWay[]): string {
  const texts = ways.map(({ from, open, steps }) => {
    const rules = steps
      .flatMap((step) => (step.by === 'ingress' ? step.rules : []))
      .filter(({ action }) => action === 'allow');
    const by = rules.length === 0 ? '' : ` by ${[...new Set(rules.map(({ name }) => name))].join(', ')}`;
    return `${servicesText(open.map(servicesJson))} from ${from.join(', ')}${by}`;
  });
  return texts.length <= most
    ? texts.join('; ')
    : `${texts.slice(0, most).join('; ')}; and ${texts.length - most} more`;
}

const most = 5;

export const withInterfaces = ({ interfaces }: Machine, exposure: Exposure): Exposure =>
  interfaces.length === 0 || exposure.answer === 'yes'
    ? exposure
    : {
        answer: 'unknown',
        reason: `it has further interfaces or addresses, which Setpoint does not evaluate: ${interfaces.join(', ')}`,
      };
