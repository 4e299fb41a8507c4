import type { Result } from '../../src/core/failure.ts';
import type { RuleAttributes } from '../../src/core/resource.ts';
import { fromSegments, segmentsOf } from './traffic.ts';

/** The content of a firewall, without its network, which is fixed. */
export type Rule = Omit<RuleAttributes, 'network' | 'order'> & {
  readonly order: Required<NonNullable<RuleAttributes['order']>>;
};

/** One firewall at three moments. `fields`: those that the plan changes, as `match.peers`. */
export interface MergeInput {
  readonly planned: Rule;
  readonly wanted: Rule;
  readonly now: Rule;
  readonly fields: readonly string[];
}

/**
 * The firewall to write, where somebody else may have changed it since it was listed. A field that the plan does not change stays as
 * it is now. Of traffic, peers and targets the plan's own additions and removals are made, and every other element stays.
 *
 *   the plan                 | somebody else                     | then
 *   -------------------------+-----------------------------------+--------------------------------------------------------
 *   any                      | changed nothing                   | as planned
 *   removes from a list      | changed any list, or the effect   | removed; their change stays
 *   adds to a list           | changed that list                 | added; their change stays
 *   adds to a list           | took from another list            | added; their change stays
 *   adds to a list           | added to another list, or changed | conflict: a firewall holds for every pair of its lists, so
 *                            | the effect                        | both together say more than either asked for
 *   changes the effect       | changed any list                  | conflict, likewise
 *   changes a list           | changed allow to deny, or back    | conflict, likewise
 *   changes a value          | changed that value                | conflict
 *   changes a list           | left nothing of it but what goes  | conflict: an empty list means everyone, or every port
 *
 * The effect: action, priority, and whether it is off. After a conflict the next plan rests on the firewall as it stands.
 */
export function mergeRule({ planned, wanted, now, fields }: MergeInput): Result<Rule> {
  const values = Object.fromEntries(
    Object.entries(valueFields).map(([field, read]) => {
      const isPlanned = fields.includes(field);
      const [from, to, at] = [read(planned), read(isPlanned ? wanted : planned), read(now)];
      return [field, { field, isMoved: at !== from && at !== to, isChanged: isPlanned && at !== to }];
    }),
  );
  const lists = listFields.map(({ field, says, read }) => {
    const isPlanned = says.some((one) => fields.includes(one));
    const [from, to, at] = read([planned, isPlanned ? wanted : planned, now]);
    return { field, ...mergeList(from, to, at) };
  });
  const effect = ['match.action', 'order.priority', 'order.disabled'].flatMap((field) => values[field] ?? []);
  const turned = effect.find(({ isMoved }) => isMoved);
  const action = effect.find(({ field, isMoved }) => field === 'match.action' && isMoved);
  const moved = lists.find(({ isMoved }) => isMoved);
  const growing = lists.filter(({ grows }) => grows);
  const conflict =
    Object.values(values).find(({ isMoved, isChanged }) => isMoved && isChanged) ??
    lists.find((list) => list.isWidened && growing.some((other) => other !== list)) ??
    (growing.length > 0 ? turned : undefined) ??
    (effect.some(({ isChanged }) => isChanged) ? moved : undefined) ??
    (lists.some(({ isChanged }) => isChanged) ? action : undefined) ??
    lists.find(({ isChanged, merged }) => isChanged && merged.length === 0);
  if (conflict) return changedMeanwhile(conflict.field);
  const [traffic = [], peers = [], targets = []] = lists.map(({ merged }) => merged);
  const either = <T>(field: string, read: (rule: Rule) => T): T => read(fields.includes(field) ? wanted : now);
  const value: Rule = {
    match: {
      direction: now.match.direction,
      action: either('match.action', ({ match }) => match.action),
      ...fromSegments(traffic),
      peers,
      targets: targets.includes(everyone) ? [] : targets,
    },
    description: either('description', ({ description }) => description),
    order: {
      priority: either('order.priority', ({ order }) => order.priority),
      disabled: either('order.disabled', ({ order }) => order.disabled),
      log: either('order.log', ({ order }) => order.log),
    },
  };
  return { ok: true, value };
}

const valueFields: Readonly<Record<string, (rule: Rule) => unknown>> = {
  'match.action': ({ match }) => match.action,
  description: ({ description }) => description,
  'order.priority': ({ order }) => order.priority,
  'order.disabled': ({ order }) => order.disabled,
  'order.log': ({ order }) => order.log,
};

type Elements = readonly string[];

interface ListField {
  readonly field: string;
  /** The changes that speak of it. */
  readonly says: readonly string[];
  read(rules: readonly [Rule, Rule, Rule]): readonly [Elements, Elements, Elements];
}

/** Stands for no target at all, as that is every machine of the network. */
const everyone = '*';

const targetsOf = ({ match: { targets = [] } }: Rule): Elements => (targets.length === 0 ? [everyone] : targets);

const listFields: readonly ListField[] = [
  {
    field: 'match.ports',
    says: ['match.protocol', 'match.ports'],
    read: ([from, to, at]) => segmentsOf([from.match, to.match, at.match]),
  },
  {
    field: 'match.peers',
    says: ['match.peers'],
    read: ([from, to, at]) => [from.match.peers, to.match.peers, at.match.peers],
  },
  {
    field: 'match.targets',
    says: ['match.targets'],
    read: ([from, to, at]) => [targetsOf(from), targetsOf(to), targetsOf(at)],
  },
];

/** `grows`: the plan adds to the current list. `isWidened`: somebody else added. `isChanged`: the current list differs from the desired one. */
function mergeList(from: Elements, to: Elements, at: Elements) {
  const [planned, wanted, now] = [new Set(from), new Set(to), new Set(at)];
  const merged = now.difference(planned.difference(wanted)).union(wanted.difference(planned));
  const others = now.difference(planned).difference(wanted);
  return {
    merged: [...merged].sort(),
    grows: merged.difference(now).size > 0,
    isWidened: others.size > 0,
    isMoved: now.symmetricDifference(planned).size > 0 && now.symmetricDifference(wanted).size > 0,
    isChanged: merged.symmetricDifference(now).size > 0,
  };
}

export const changedMeanwhile = (field: string): Extract<Result<never>, { ok: false }> => ({
  ok: false,
  failure: {
    kind: 'conflict',
    code: 'ChangedMeanwhile',
    message: `somebody changed ${field} after it was listed, so Setpoint writes nothing. The next plan uses the current rule`,
  },
});
