import type { Action } from '../action.ts';
import type { Held, PauseDraft, PauseSubject } from '../pause.ts';
import { formatMoment } from '../render/moment.ts';
import type { Address } from '../resource.ts';
import { documentsOf } from './guard.ts';
import type { Allowed, Policy, Wanted } from './plan-input.ts';

/**
 * Holds still what people have paused. The pauses are those in force: whether one has run out is not looked at here.
 *
 *   cause of an action | held by a pause of
 *   -------------------+-------------------
 *   drift              | healing, all
 *   rollout, unknown   | rollout, all
 *
 * What no document speaks of any more is whose it was: by the generation before (`ownersBefore`, by document), and by the store.
 * It may be of any target of its scope, so a pause of one of these holds it. Forgetting what is gone is no write.
 */
export function pausePolicy(
  pauses: readonly PauseDraft[],
  wanted: Wanted,
  ownersBefore: Readonly<Record<Address, string>> = {},
): Policy {
  // why: of several the one that ends last says until when
  const lastFirst = pauses.toSorted((a, b) => b.until - a.until);
  return (action) => {
    if (action.verb === 'forget') return undefined;
    const pause = lastFirst.find((one) => covers(one.what, action) && isOf(one.of, action, { wanted, ownersBefore }));
    return pause === undefined ? undefined : { code: 'paused', why: sentence(pause) };
  };
}

const covers = (what: Held['what'], { cause }: Action): boolean =>
  what === 'all' || what === (cause === 'drift' ? 'healing' : 'rollout');

interface Known {
  readonly wanted: Wanted;
  readonly ownersBefore: Readonly<Record<Address, string>>;
}

function isOf(subject: PauseSubject, action: Action, { wanted, ownersBefore }: Known): boolean {
  switch (subject.by) {
    case 'estate':
      return true;
    case 'address':
      return action.address === subject.name || documentsOf(action).includes(subject.name);
    case 'owner': {
      const said = spokenFor(action, wanted);
      const owners = said.length === 0 ? formerOwners(action, ownersBefore) : said.map(({ owner }) => owner);
      return owners.includes(subject.name);
    }
    case 'target': {
      const said = spokenFor(action, wanted);
      return (said.length === 0 ? wanted.targets : said.flatMap(({ targets }) => targets)).includes(subject.name);
    }
  }
}

/** What its documents say, of those that still stand. */
const spokenFor = (action: Action, { documents }: Wanted): readonly Allowed[] =>
  documentsOf(action).flatMap((address) => documents.get(address) ?? []);

const formerOwners = (action: Action, before: Known['ownersBefore']): readonly (string | undefined)[] => [
  ...documentsOf(action).map((address) => before[address]),
  ...(action.verb === 'delete' ? (action.owners ?? []) : []),
];

function sentence({ what, of, person, until, reason }: PauseDraft): string {
  const held = what === 'all' ? 'paused' : `${what} paused`;
  const subject = of.by === 'estate' ? 'the estate' : `${of.by} ${of.name}`;
  return `${held} for ${subject} by ${person} until ${formatMoment(until)}: ${reason}. It goes on then; for earlier, setpoint status has the line to paste.`;
}
