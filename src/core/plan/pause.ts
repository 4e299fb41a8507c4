import type { Action } from '../action.ts';
import type { Held, PauseDraft, PauseSubject } from '../pause.ts';
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
 * What no document speaks of any more has no owner that could be known, and may be of any target of its scope: a pause of the
 * estate, of its address or of one of these targets holds it, a pause of an owner does not. Forgetting what is gone is no write.
 */
export function pausePolicy(pauses: readonly PauseDraft[], wanted: Wanted): Policy {
  // why: of several the one that ends last says until when
  const lastFirst = pauses.toSorted((a, b) => b.until - a.until);
  return (action) => {
    if (action.verb === 'forget') return undefined;
    const pause = lastFirst.find((one) => covers(one.what, action) && isOf(one.of, action, wanted));
    return pause === undefined ? undefined : { code: 'paused', why: sentence(pause) };
  };
}

const covers = (what: Held['what'], { cause }: Action): boolean =>
  what === 'all' || what === (cause === 'drift' ? 'healing' : 'rollout');

function isOf(subject: PauseSubject, action: Action, wanted: Wanted): boolean {
  switch (subject.by) {
    case 'estate':
      return true;
    case 'address':
      return action.address === subject.name || documentsOf(action).includes(subject.name);
    case 'owner':
      return spokenFor(action, wanted).some(({ owner }) => owner === subject.name);
    case 'target': {
      const said = spokenFor(action, wanted);
      return (said.length === 0 ? wanted.targets : said.flatMap(({ targets }) => targets)).includes(subject.name);
    }
  }
}

/** What its documents say, of those that still stand. */
const spokenFor = (action: Action, { documents }: Wanted): readonly Allowed[] =>
  documentsOf(action).flatMap((address) => documents.get(address) ?? []);

function sentence({ what, of, person, until, reason }: PauseDraft): string {
  const held = what === 'all' ? 'paused' : `${what} paused`;
  const subject = of.by === 'estate' ? 'the estate' : `${of.by} ${of.name}`;
  const end = new Date(until).toISOString().slice(0, 16).replace('T', ' ');
  return `${held} for ${subject} by ${person} until ${end} UTC: ${reason}. It goes on then; for earlier, setpoint status has the line to paste.`;
}
