import { type KeyboardEvent, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { targetOf } from '../row-keys.ts';
import type { DriftEntry } from './entries.ts';
import type { Shown } from './steady-list.ts';

interface KeysOf {
  readonly flat: readonly Shown[];
  readonly opened: ReadonlySet<string>;
  readonly filter: RefObject<HTMLInputElement | null>;
  toggle(key: string): void;
  open(entry: DriftEntry): void;
  nextGrouping(): void;
  reveal(index: number): void;
  reach(key: string): void;
  /** The focused element of the list has gone. */
  isFocusLost(): boolean;
}

/** One row is in the tab order. On the whole page j and k lead into the list, g groups, and / filters. */
export function useDriftKeys({ flat, opened, filter, toggle, open, nextGrouping, reveal, reach, isFocusLost }: KeysOf) {
  const [activeKey, setActiveKey] = useState<string>();
  const found = flat.findIndex(({ entry }) => entry.key === activeKey);
  const lastActive = useRef(0);
  // why: the keys go on where a row was that has gone
  const active = found >= 0 ? found : Math.max(0, Math.min(lastActive.current, flat.length - 1));
  useLayoutEffect(() => {
    lastActive.current = active;
    // why: a row that goes to another group is drawn anew, without the focus
    if (isFocusLost() && flat.length > 0) focusRow(active, 0);
  });
  const focus = (index: number): void => {
    reveal(index);
    focusRow(index);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const shown = flat[active];
    const to = targetOf(event.key, active, flat.length);
    if (to !== undefined) focus(to);
    else if (event.key === 'o' && shown !== undefined) open(shown.entry);
    else if (event.key === 'Escape' && shown !== undefined && opened.has(shown.entry.key)) {
      toggle(shown.entry.key);
      focusRow(active);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const onPage = useRef<(event: globalThis.KeyboardEvent) => void>(() => undefined);
  onPage.current = (event) => {
    const isTyping = event.target instanceof HTMLElement && event.target.closest('input, select, textarea') !== null;
    if (isTyping || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'g') nextGrouping();
    else if (event.key === '/') filter.current?.focus();
    else if ((event.key === 'j' || event.key === 'k') && flat.length > 0) focus(active);
    else return;
    event.preventDefault();
  };
  useEffect(() => {
    const listener = (event: globalThis.KeyboardEvent): void => onPage.current(event);
    window.addEventListener('keydown', listener);
    return () => window.removeEventListener('keydown', listener);
  }, []);
  return {
    active,
    focus,
    onKeyDown,
    onFocus: (key: string): void => {
      setActiveKey(key);
      reach(key);
    },
  };
}

/** A row that the list did not show before is drawn a frame later. */
function focusRow(index: number, tries = 5): void {
  const row = document.querySelector<HTMLElement>(`[data-row="${index}"]`);
  if (row !== null) row.focus();
  else if (tries > 0) requestAnimationFrame(() => focusRow(index, tries - 1));
}
