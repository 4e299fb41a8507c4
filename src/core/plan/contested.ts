import { type Action, withoutRestart } from '../action.ts';
import type { FieldChange } from '../diff.ts';
import { type Contested, fightKey, type Healed, isFight, type KeptHealing, ruleField, valueText } from '../fights.ts';
import { categoryOf } from '../kinds/kinds.ts';
import { trafficChange } from '../order/rule-changes.ts';
import type { FieldCategory } from '../remediation.ts';
import { documentText } from '../render/value-text.ts';
import { formatMoment, writerText } from '../render/wording.ts';
import type { Kind, RuleAttributes } from '../resource.ts';
import type { Hold, PlanInput } from './plan-input.ts';

type Judged = Pick<PlanInput, 'knowledge' | 'dialect' | 'choices'>;

/** The fields that an action sets back, each with the value that it had and gets; none where it is no healing of a field. */
export function healedBy(action: Action): readonly Healed[] {
  if (action.cause !== 'drift') return [];
  const { address, kind, by } = action;
  const about = { address, ...(by === undefined ? {} : { writer: { actor: by.who, action: by.action } }) };
  if (kind !== 'firewall-rule')
    return action.verb !== 'update'
      ? []
      : withoutRestart(action).map(({ field, from, to }) => ({
          ...about,
          field,
          from: valueText(from),
          to: valueText(to),
        }));
  const rule = (one: { readonly attributes: object } | undefined): string =>
    one === undefined ? '' : valueText({ ...one.attributes, network: undefined, group: undefined });
  const sides = (from: string, to: string): readonly Healed[] => [{ ...about, field: ruleField, from, to }];
  switch (action.verb) {
    case 'create':
      return sides('', rule(action.desired));
    case 'update':
      return sides(rule(action.observed), rule(action.desired));
    case 'delete':
      return action.because === 'rogue' ? sides(rule(action.observed), '') : [];
    default:
      return [];
  }
}

/**
 * True where the action may take traffic away: then it is never delayed, whoever writes the rule again.
 *
 *   action on a firewall rule | true where the rule
 *   --------------------------+-------------------------------------------------------
 *   create                    | denies
 *   delete                    | allows
 *   update                    | allows, and then allows less, or something else
 *                             | denies, and then denies more, or something else
 */
export function closesTraffic(action: Action): boolean {
  if (action.kind !== 'firewall-rule') return false;
  switch (action.verb) {
    case 'create':
      return actionOf(action.desired) === 'deny';
    case 'delete':
      return actionOf(action.observed) === 'allow';
    case 'update': {
      const how = trafficChange(action);
      if (how === undefined) return false;
      return how !== (actionOf(action.desired) === 'allow' ? 'widens' : 'shrinks');
    }
    default:
      return false;
  }
}

const actionOf = ({ attributes }: { readonly attributes: object }): RuleAttributes['match']['action'] =>
  (attributes as RuleAttributes).match.action; // why: only called with firewall rules

/** Fields whose healing closes nothing. Groups and identities may open a door, and so may the way to the internet. */
const delayed: ReadonlySet<FieldCategory | 'ours'> = new Set(['power', 'size', 'disk', 'labels', 'name', 'ours']);

function isDelayable(kind: Kind, { field, to }: FieldChange, { dialect }: Judged): boolean {
  if (field === 'internet') return to === true;
  return delayed.has(categoryOf(kind, field, dialect.holds.nameLabel));
}

/** True where nobody watches, others write this field again and again, and it is too early to set it back once more. */
export const isDelayed = (of: Pick<Action, 'address' | 'kind'>, change: FieldChange, input: Judged): boolean =>
  input.choices?.unattended === true && isTooEarly(of, change, input);

/** For a worker. */
function isTooEarly({ address, kind }: Pick<Action, 'address' | 'kind'>, change: FieldChange, input: Judged): boolean {
  if (kind === 'firewall-rule' || !isDelayable(kind, change, input)) return false;
  return fightOf({ address, field: change.field, to: valueText(change.to) }, input)?.waits ?? false;
}

function fightOf(
  healed: Pick<Healed, 'address' | 'field' | 'to'>,
  { knowledge }: Pick<Judged, 'knowledge'>,
): KeptHealing | undefined {
  const kept = knowledge.healed?.get(fightKey(healed));
  return kept !== undefined && isFight(kept) && kept.to === healed.to ? kept : undefined;
}

/** True where healing takes traffic away. Then no rule is delayed: the closing of one may wait for the rule that replaces it. */
export const closesDrift = (decided: readonly Action[]): boolean =>
  decided.some((action) => action.cause === 'drift' && closesTraffic(action));

/** With the fights that it is part of, for people. */
export function withFights(action: Action, input: Judged, closes: boolean): Action {
  if (input.knowledge.healed === undefined || input.knowledge.healed.size === 0) return action;
  const fights = healedBy(action).flatMap((one) => fightOf(one, input) ?? []);
  if (fights.length === 0) return action;
  const waiting = waitingFor(action, input, closes);
  const end = input.choices?.unattended === true ? 'until' : 'workersUntil';
  return { ...action, contested: fights.map((one) => shownOf(one, waiting.includes(one) ? end : undefined)) };
}

const shownOf = (
  { field, times, since, writer, from, to, until }: KeptHealing,
  end: 'until' | 'workersUntil' | undefined,
): Contested => ({
  ...{ field, times, since, from, to },
  ...(writer === undefined ? {} : { writer }),
  ...(end === undefined ? {} : { [end]: until }),
});

/** Delays healing that others undo again and again, where it closes nothing. `closes`: see `closesDrift`. */
export function contestedHold(input: Judged, closes: boolean): Hold {
  const { choices = {}, knowledge } = input;
  if (choices.unattended !== true || ![...(knowledge.healed?.values() ?? [])].some(({ waits }) => waits))
    return () => undefined;
  return (action) => {
    const [waiting] = waitingFor(action, input, closes);
    if (waiting === undefined || choices.approved?.(action)) return undefined;
    return { code: 'contested', why: reason(action, waiting, input) };
  };
}

/** The fights for which a worker waits with an action. */
function waitingFor(action: Action, input: Judged, closes: boolean): readonly KeptHealing[] {
  if (action.cause !== 'drift') return [];
  if (action.kind === 'firewall-rule')
    return closes
      ? []
      : healedBy(action)
          .flatMap((one) => fightOf(one, input) ?? [])
          .filter(({ waits }) => waits);
  if (action.verb !== 'update') return [];
  const delayed = withoutRestart(action).filter((one) => isTooEarly(action, one, input));
  return delayed.flatMap(
    ({ field, to }) => fightOf({ address: action.address, field, to: valueText(to) }, input) ?? [],
  );
}

function reason(action: Action, fight: KeptHealing, { dialect }: Judged): string {
  const { address } = action;
  const changes = 'changes' in action && action.kind !== 'firewall-rule' ? action.changes : [];
  const differs = changes.map(({ field, from, to }) => `${field} is ${documentText(from)}, not ${documentText(to)}`);
  const category =
    action.kind === 'firewall-rule' ? 'traffic' : categoryOf(action.kind, fight.field, dialect.holds.nameLabel);
  const report = category === 'ours' ? '' : `, remediation: { ${category}: report }`;
  const what = differs.length === 0 ? '' : `${differs.join(', ')}. `;
  return `${what}${writerText(fight)} Setpoint heals it again after ${formatMoment(fight.until, 'second')}. Stop that writer, or leave the field to it: setpoint accept ${address}, ignore${report}. To heal it now: setpoint approve --address ${address} --reason "…"`;
}
