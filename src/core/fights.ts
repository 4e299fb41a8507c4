import { canonical } from './ledger/canonical.ts';
import type { Address } from './resource.ts';

/**
 * Drift of one field that was healed, and how often in a row. From the second time on it is a fight: somebody else writes the field, too.
 * `field`: of a firewall rule always `ruleField`. `from`, `to`: the value of the other writer and ours, as text. `writer`: as an event
 * names it; anybody who may send events may name another one. `action`: the cloud's name of the call.
 */
export interface Healed {
  readonly address: Address;
  readonly field: string;
  readonly from: string;
  readonly to: string;
  readonly writer?: { readonly actor: string; readonly action: string };
}

/** `times`: healings in a row. */
export interface HealedAgain extends Healed {
  readonly times: number;
}

/** As the store has it. `since`, `at`: the first healing and the last one; `until`: the next one waits; all are ms since the epoch. */
export interface KeptHealing extends HealedAgain {
  readonly since: number;
  readonly at: number;
  readonly until: number;
  /** That is not over yet, by the store's clock. */
  readonly waits: boolean;
}

/** A rule is one thing, however many of its fields differ. */
export const ruleField = 'rule';

/** After so long without a healing the next one is the first again. The store keeps none that are older. */
export const calmMs = 24 * 3_600_000;

/** Reversals by one writer that make a fight. */
const fromTimes = 2;

export const isFight = ({ times }: Pick<HealedAgain, 'times'>): boolean => times >= fromTimes;

const longest = 1000;

/** A value as text that two healings are compared by. */
export function valueText(value: unknown): string {
  const text = value === undefined ? '' : canonical(value);
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

/**
 * The next healing in a row, `before` being the last one. It begins anew:
 *
 *   our value   | the writer      | its value | count
 *   ------------+-----------------+-----------+----------------
 *   another     | any             | any       | 1: a spec moved
 *   the same    | the same        | any       | one more
 *   the same    | another, or not | the same  | one more
 *               | known           |           |
 *   the same    | another, or not | another   | 1
 *               | known           |           |
 */
export function healedAgain(healed: Healed, before: HealedAgain | undefined): HealedAgain {
  const isSameWriter = healed.writer !== undefined && healed.writer.actor === before?.writer?.actor;
  const isAgain = before?.to === healed.to && (isSameWriter || before.from === healed.from);
  return { ...healed, times: isAgain ? before.times + 1 : 1 };
}

const firstMs = 60_000;
const longestMs = 3_600_000;

/** The wait before the next healing: none before the second one, then 1, 2, 4, … minutes, up to an hour. */
export const fightBackoffMs = ({ times }: Pick<HealedAgain, 'times'>): number =>
  times < fromTimes ? 0 : Math.min(longestMs, firstMs * 2 ** (times - fromTimes));

/** True where this repetition becomes an event: each of the first ones, then ever fewer. */
export const isTold = ({ times }: Pick<HealedAgain, 'times'>): boolean =>
  isFight({ times }) && (times <= 10 || (times & (times - 1)) === 0 || times % 1000 === 0);

/** `address field`, of which the store has one healing at most. */
export const fightKey = ({ address, field }: Pick<Healed, 'address' | 'field'>): string => `${address} ${field}`;

/** A fight as an action or a finding shows it. */
export interface Contested extends Pick<KeptHealing, 'field' | 'times' | 'since' | 'writer' | 'from' | 'to'> {
  /** Healing waits until then; absent: it does not wait. */
  readonly until?: number;
  /** In a plan of a person, who heals it at once: workers wait until then; absent: they do not wait. */
  readonly workersUntil?: number;
}
