import type { Clock, Log } from '../../../ports/clock-and-log.ts';
import type { Happened } from '../../../ports/events.ts';

/** Whether what happened cannot be told for long, as a transaction that began earlier has not ended. */
export interface HeldUp {
  is(): boolean;
  /** Each page that is read. */
  saw(page: Pick<Happened, 'place' | 'waits'>): void;
}

const longMs = 10_000;

/** Logs once when it begins, and when it is over. */
export function watchHeldUp({ clock, log }: { readonly clock: Clock; readonly log: Log }): HeldUp {
  let stood: { readonly place: string; readonly since: number } | undefined;
  let isHeldUp = false;
  const end = (): void => {
    if (isHeldUp) log.info('events are told again');
    isHeldUp = false;
  };
  const begin = (): void => {
    if (!isHeldUp) log.warn('events are held up', { why });
    isHeldUp = true;
  };
  return {
    is: () => isHeldUp,
    saw: ({ place, waits }) => {
      if (!waits || place !== stood?.place) {
        stood = waits ? { place, since: clock.now() } : undefined;
        end();
      } else if (clock.now() - stood.since >= longMs) begin();
    },
  };
}

const why =
  'a transaction on this PostgreSQL server that began earlier has not ended: pg_stat_activity shows it by its backend_xid, or it is in pg_prepared_xacts';
