import { type FocusEvent, useCallback, useEffect, useRef, useState } from 'react';
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

interface ReaderOf {
  /** Neither the pointer nor the focus is in the list any more. */
  onLeave(): void;
  onBlur(): void;
}

/** The pointer and the focus of the reader, in the element with the props `hold`. */
function useReader({ onLeave, onBlur }: ReaderOf) {
  const element = useRef<HTMLElement>(null);
  const isIn = useRef({ pointer: false, focus: false });
  const isHeld = useCallback((): boolean => isIn.current.pointer || isIn.current.focus, []);
  const isFocusLost = useCallback(
    (): boolean => isIn.current.focus && element.current?.contains(document.activeElement) !== true,
    [],
  );
  const ref = useCallback((found: HTMLElement | null) => {
    element.current = found;
    return () => {
      element.current = null;
      isIn.current = { pointer: false, focus: false };
    };
  }, []);
  const leave = (part: 'pointer' | 'focus'): void => {
    isIn.current[part] = false;
    if (part === 'focus') onBlur();
    if (!isHeld()) onLeave();
  };
  // why: no event tells that the focused element has gone with its row
  useEffect(() => {
    if (isFocusLost()) leave('focus');
  });
  return {
    isHeld,
    /** The focused element has gone, and nobody else has taken the focus. */
    isFocusLost,
    hold: {
      ref,
      onPointerEnter: () => {
        isIn.current.pointer = true;
      },
      onPointerLeave: () => leave('pointer'),
      onFocus: () => {
        isIn.current.focus = true;
      },
      onBlur: ({ currentTarget, relatedTarget }: FocusEvent) => {
        if (!currentTarget.contains(relatedTarget)) leave('focus');
      },
    },
  };
}
