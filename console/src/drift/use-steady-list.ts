import { useEffect, useRef, useState } from 'react';
import { useReader } from '../reader.ts';
import type { DriftEntry } from './entries.ts';
import { following, healedMs, nothingShown, settled } from './steady-list.ts';

/** The list of the newest answer, without a jump under the pointer or the keys: see `following`. */
export function useSteadyList(entries: readonly DriftEntry[]) {
  const [list, setList] = useState(() => following(nothingShown, entries, { now: Date.now(), isHeld: false }));
  const at = useRef<string>(undefined);
  const showWaiting = (): void => setList((before) => following(before, entries, { now: Date.now(), isHeld: false }));
  const { isHeld, isFocusLost, hold } = useReader({
    onLeave: showWaiting,
    onBlur: () => {
      at.current = undefined;
    },
  });
  useEffect(() => {
    const moment = { now: Date.now(), isHeld: isHeld() };
    setList((before) => following(before, entries, moment));
  }, [entries, isHeld]);
  const hasHealed = list.rows.some(({ healedAt }) => healedAt !== undefined);
  useEffect(() => {
    if (!hasHealed) return undefined;
    const timer = window.setInterval(() => {
      if (!isHeld()) setList((before) => settled(before, Date.now() - healedMs));
    }, 1_000);
    return () => window.clearInterval(timer);
  }, [hasHealed, isHeld]);
  return {
    list: list.rows,
    waiting: list.waiting,
    showWaiting,
    /** The reader goes to a row: healed ones elsewhere leave. */
    reach: (key: string): void => {
      if (at.current === key) return;
      at.current = key;
      setList((before) => settled(before, Date.now(), key));
    },
    isFocusLost,
    hold,
  };
}
