import { groupByMany } from './group-by-many.ts';
import { groupsNamed } from './kinds/firewall-rule.ts';
import type { Graph } from './order-graph.ts';
import type { Move } from './order-moves.ts';
import { atOtherEnd, openedBy } from './order-openings.ts';
import type { RuleChange } from './order-traffic.ts';
import type { Ref } from './resource.ts';
import { type Flow, flowOf } from './traffic/flow.ts';
import { neighboursOf, type Surroundings } from './traffic/neighbours.ts';
import { type Bundle, trafficIndex } from './traffic/traffic-index.ts';

/**
 * A machine that leaves a group ends what the rules that name this group let through for it. So what would let through the rest of the
 * way waits until it has left; else both let through for a moment what gets through neither before nor after.
 *
 *   what                                      | waits for the machines that leave a group which is named by a standing rule
 *   ------------------------------------------+--------------------------------------------------------------------
 *   a rule that lets more through             | for the same traffic at its other end
 *   a machine that joins a group, or is made  | for the same traffic at the other end of a rule that names what it joins;
 *                                             | or that names both groups
 *
 * Two machines that each join what the other leaves would wait for each other: then neither waits. The waits are of order: a machine
 * that does not leave holds up nothing that is wanted.
 */
export function orderLeavers(
  graph: Graph,
  { changes, moves }: { readonly changes: readonly RuleChange[]; readonly moves: readonly Move[] },
  around: Surroundings,
): void {
  const leaving = groupByMany(moves, ({ leaves }) => leaves);
  if (leaving.size === 0) return;
  const neighbours = neighboursOf(around, 'either');
  const left = new Map(
    [...leaving].map(([group, its]) => [group, graph.gate({ follows: its.map(({ at }) => at) })] as const),
  );
  const leftBy = (groups: readonly Ref[]): readonly number[] => groups.flatMap((group) => left.get(group) ?? []);
  const closing = around.standing.flatMap((rule) => {
    const gates = leftBy(groupsNamed(rule));
    const flow = flowOf(rule);
    return gates.length === 0 || flow?.action !== 'allow' ? [] : [{ flow, gates }];
  });
  const index = trafficIndex(
    closing.map(({ flow }, at) => ({ at, flow, rank: 0 })),
    neighbours,
  );
  const known = new Map<Bundle, number>();
  const gateOf = (bundle: Bundle): number => {
    const gate =
      known.get(bundle) ??
      oneGate(
        graph,
        bundle.flatMap(({ at }) => closing[at]?.gates ?? []),
      );
    known.set(bundle, gate);
    return gate;
  };
  const beyond = (flow: Flow): readonly number[] =>
    atOtherEnd(flow, neighbours).flatMap((other) => index.meeting(other, 'allow').map(gateOf));
  for (const change of changes)
    for (const flow of openedBy(change)) for (const gate of beyond(flow)) graph.follows(change.at, gate, 'wish');
  const joined = groupByMany(moves, ({ joins }) => joins);
  const naming = groupByMany([...around.standing, ...around.wanted], (rule) =>
    groupsNamed(rule).filter((group) => joined.has(group)),
  );
  for (const [group, rules] of naming) {
    const flows = rules.flatMap((rule) => flowOf(rule) ?? []).filter(({ action }) => action === 'allow');
    const gates = [...leftBy(rules.flatMap(groupsNamed)), ...flows.flatMap(beyond)];
    if (gates.length === 0) continue;
    const gate = oneGate(graph, gates);
    for (const { at } of joined.get(group) ?? []) graph.follows(at, gate, 'wish');
  }
}

const oneGate = (graph: Graph, follows: readonly number[]): number => graph.gate({ follows: [...new Set(follows)] });
