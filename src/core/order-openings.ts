import type { Graph } from './order-graph.ts';
import type { RuleChange } from './order-traffic.ts';
import type { Flow, Peer } from './traffic/flow.ts';
import { type Neighbours, neighboursOf, type Surroundings } from './traffic/neighbours.ts';
import { type Bundle, trafficIndex } from './traffic/traffic-index.ts';

/**
 * Traffic between two machines passes the rules of both: those for what leaves the one, and those for what enters the other. So a rule
 * that lets something through at one end waits until what goes at the other end is gone; else both let through for a moment what gets
 * through neither before nor after.
 *
 *   a change of a rule                        | waits for each that speaks of the same traffic at its other end and
 *   ------------------------------------------+--------------------------------------------------------------------
 *   lets more through                         | lets less through, if they would not wait for each other
 *
 * The wait is one of order: a rule that the cloud does not let go holds up nothing that is wanted.
 */
export function orderOpenings(graph: Graph, changes: readonly RuleChange[], around: Surroundings): void {
  const neighbours = neighboursOf(around, 'either');
  const closing = changes.flatMap((change) =>
    closedBy(change).flatMap((flow) =>
      atOtherEnd(flow, neighbours).map((other) => ({ at: change.at, flow: other, rank: 0 })),
    ),
  );
  if (closing.length === 0) return;
  const index = trafficIndex(closing, neighbours);
  const gates = endedGates(graph);
  for (const change of changes) {
    for (const flow of openedBy(change)) {
      for (const bundle of index.meeting(flow, 'allow')) graph.follows(change.at, gates(bundle), 'shut-rule');
    }
  }
}

/** The traffic of which a change may let some through. */
export const openedBy = ({ from, to }: RuleChange): readonly Flow[] => [
  ...(to?.action === 'allow' ? [to] : []),
  ...(from?.action === 'deny' ? [from] : []),
];

/** The traffic of which a change may shut some. */
export const closedBy = ({ from, to }: RuleChange): readonly Flow[] => [
  ...(from?.action === 'allow' ? [from] : []),
  ...(to?.action === 'deny' ? [to] : []),
];

/** The same traffic as a rule for its other end would speak of it: none where that is no machine of ours. */
export function atOtherEnd(flow: Flow, { isInside }: Neighbours): readonly Flow[] {
  const { direction, holders, peers, network, service } = flow;
  const groups = peers.flatMap((peer) => (peer.kind === 'group' ? [peer.key] : []));
  const isAny = peers.some((peer) => peer.kind === 'unknown' || (peer.kind === 'block' && isInside(peer.cidr)));
  if (!isAny && groups.length === 0) return [];
  const everybody: Peer = { kind: 'unknown', key: 'everybody' };
  return [
    {
      network,
      service,
      direction: direction === 'ingress' ? 'egress' : 'ingress',
      action: 'allow',
      holders: isAny ? [] : groups,
      peers: holders.length === 0 ? [everybody] : holders.map((key) => ({ kind: 'group', key })),
      rank: 0,
    },
  ];
}

/** One gate for all that wait until the same bundle has ended. */
function endedGates(graph: Graph): (bundle: Bundle) => number {
  const gates = new Map<Bundle, number>();
  return (bundle) => {
    const gate = gates.get(bundle) ?? graph.gate({ follows: bundle.map(({ at }) => at) });
    gates.set(bundle, gate);
    return gate;
  };
}
