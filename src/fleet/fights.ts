import { type Action, verbKey } from '../core/action.ts';
import { fightBackoffMs, fightKey, type HealedAgain, healedAgain, isTold } from '../core/fights.ts';
import { closesTraffic, healedBy } from '../core/plan/contested.ts';
import { documentsOf } from '../core/plan/holds.ts';
import type { Hold, Wanted } from '../core/plan/plan-input.ts';
import type { Progress } from '../engine/control.ts';
import type { Fights, HealingDraft } from '../ports/fleet-state.ts';
import type { Where } from '../ports/queue.ts';

/** After so many healings of one address a reconcile leaves it to the next one. */
const mostHealings = 3;

/** The healings of one reconcile. */
export interface HealingWatch {
  /** Receives the actions that each observation lets the reconcile carry out. */
  planned(actions: readonly Action[]): void;
  progressed(event: Progress): void;
  /** Withholds actions that this reconcile repeated several times: somebody undoes them faster than it observes. */
  readonly hold: Hold;
  /** Keeps what was settled. A lost record only makes a fight known later. */
  keep(where: Where, wanted: Wanted): Promise<void>;
}

export function healingWatch(fights: Fights): HealingWatch {
  const sent = new Map<string, Action>();
  const settled: Action[] = [];
  const times = new Map<string, number>();
  return {
    planned: (actions) => {
      sent.clear();
      for (const action of actions) if (action.cause === 'drift') sent.set(verbKey(action), action);
    },
    progressed: (event) => {
      const action = event.at === 'settled' && event.failure === undefined ? sent.get(verbKey(event)) : undefined;
      if (action === undefined) return;
      settled.push(action);
      times.set(verbKey(action), (times.get(verbKey(action)) ?? 0) + 1);
    },
    hold: (action) => {
      if (action.cause !== 'drift' || (times.get(verbKey(action)) ?? 0) < mostHealings) return undefined;
      return {
        code: 'contested',
        why: `healed ${mostHealings} times in this reconcile, and it differs again: ${next}`,
      };
    },
    keep: async (where, wanted) => {
      if (!settled.some((action) => healedBy(action).length > 0)) return;
      const kept = new Map<string, HealedAgain>((await fights.list(where)).map((one) => [fightKey(one), one] as const));
      const drafts = new Map<string, HealingDraft>();
      for (const action of settled)
        for (const one of healedBy(action)) {
          const again = healedAgain(one, kept.get(fightKey(one)));
          kept.set(fightKey(one), again);
          drafts.set(fightKey(one), draftOf(again, action, wanted));
        }
      await fights.keep(where, [...drafts.values()]);
    },
  };
}

const next = 'somebody else writes it at the same time. The next reconcile goes on.';

function draftOf(healing: HealedAgain, action: Action, { documents }: Wanted): HealingDraft {
  const closes = closesTraffic(action);
  const spoken = documentsOf(action).flatMap((address) => documents.get(address) ?? []);
  return {
    ...healing,
    closes,
    waitMs: closes ? 0 : fightBackoffMs(healing),
    isTold: isTold(healing),
    targets: [...new Set(spoken.flatMap(({ targets }) => targets))],
    owner: spoken.find(({ owner }) => owner !== undefined)?.owner ?? '',
  };
}
