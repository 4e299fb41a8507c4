import type { Clock } from '../ports/clock.ts';

/** One timer that is set again and again; Infinity only unsets it. */
export function alarmOn(clock: Clock): (at: number, ring: () => void) => void {
  let set: { readonly at: number; readonly cancel: AbortController } | undefined;
  return (at, ring) => {
    if (set?.at === at) return;
    set?.cancel.abort();
    set = undefined;
    if (at === Number.POSITIVE_INFINITY) return;
    const mine = { at, cancel: new AbortController() };
    set = mine;
    const rung = (): void => {
      if (set === mine) set = undefined;
      ring();
    };
    clock.sleep(at - clock.now(), mine.cancel.signal).then(rung, () => undefined);
  };
}
