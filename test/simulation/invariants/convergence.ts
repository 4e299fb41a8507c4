import type { Desired } from '../../../src/core/desired.ts';
import type { Observed } from '../../../src/core/observed.ts';
import type { RuleAttributes } from '../../../src/core/resource.ts';
import type { EndTrace, Trace } from '../trace.ts';
import type { Invariant } from './invariant.ts';
import { makersOf } from './ownership.ts';

/** Once faults stop, desired equals observed, and the next reconcile makes no mutating call. */
export const convergence: Invariant = {
  number: 7,
  name: 'convergence',
  broken: (trace) => {
    const { end } = trace;
    const todo = end.sight.plan.actions.map(({ verb, address }) => `still to do: ${verb} ${address}`);
    const blocked = end.sight.plan.findings
      .filter(({ type }) => type === 'blocked' || type === 'non-convergent' || type === 'incomplete')
      .map((finding) => `${finding.type}: ${'address' in finding ? finding.address : ''} ${finding.why}`);
    const writes = end.writes > 0 ? [`the pass after convergence made ${end.writes} mutating calls`] : [];
    const outcome = end.outcome === 'done' ? [] : [`the last run ended as ${end.outcome}`];
    return [...outcome, ...writes, ...todo, ...blocked, ...missing(trace), ...rulesAmiss(end)];
  },
};

/** Judged by marks on the cloud, not by our own plan. */
function missing(trace: Trace): readonly string[] {
  const makers = makersOf(trace);
  const live = trace.cloud.inspect.live().filter(({ id, part }) => makers.get(id) !== 'outside' && part === undefined);
  const standing = new Set(live.map(({ mark }) => mark?.address));
  return trace.end.desired
    .filter(({ kind, address }) => kind !== 'firewall-rule' && !standing.has(address))
    .map(({ address }) => `${address} is wanted and does not stand`);
}

/** Each group of ours holds exactly the wanted rules. Where ports are spelled otherwise the plan has judged that they are the same. */
function rulesAmiss({ desired, sight }: EndTrace): readonly string[] {
  const { settled } = sight.knowledge;
  const listed = sight.observation.resources;
  const wantedIn = Map.groupBy(desired.filter(isRule), ({ attributes }) => attributes.group ?? '');
  return listed.flatMap((group) => {
    const address = settled.get(group.id)?.address;
    if (group.kind !== 'group' || address === undefined || !wantedIn.has(address)) return [];
    const standing = listed.filter(isRuleIn(group.id)).map(({ attributes }) => attributes);
    const wanted = (wantedIn.get(address) ?? []).map(({ attributes }) => attributes);
    const count = (rules: readonly RuleAttributes[]): number => new Set(rules.map(cellOf)).size;
    return count(standing) === count(wanted) ? [] : [`${address} holds ${count(standing)} cells, not ${count(wanted)}`];
  });
}

const isRule = (one: Desired): one is Desired<'firewall-rule'> => one.kind === 'firewall-rule';
const isRuleIn =
  (group: string) =>
  (one: Observed): one is Observed<'firewall-rule'> =>
    one.kind === 'firewall-rule' && one.signs.container === group;

/** All but the ports and the names of peer groups. */
const cellOf = ({ match: { direction, protocol, peers } }: RuleAttributes): string =>
  [direction, protocol, ...peers.map((peer) => (peer.startsWith('group:') ? 'group' : peer))].join(' ');
