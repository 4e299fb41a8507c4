import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react';
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
}

/** One row is in the tab order. On the whole page j and k lead into the list, g groups, and / filters. */
export function useDriftKeys({ flat, opened, filter, toggle, open, nextGrouping, reveal, reach }: KeysOf) {
  const [activeKey, setActiveKey] = useState<string>();
  const found = flat.findIndex(({ entry }) => entry.key === activeKey);
  const active = Math.max(0, found);
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

const page = 20;

function targetOf(key: string, from: number, count: number): number | undefined {
  const steps: Readonly<Record<string, number>> = {
    ...{ ArrowDown: from + 1, j: from + 1, ArrowUp: from - 1, k: from - 1 },
    ...{ PageDown: from + page, PageUp: from - page, Home: 0, End: count - 1 },
  };
  const to = steps[key];
  return to === undefined ? undefined : Math.max(0, Math.min(count - 1, to));
}

/** A row that the list did not show before is drawn a frame later. */
function focusRow(index: number, tries = 5): void {
  const row = document.querySelector<HTMLElement>(`[data-row="${index}"]`);
  if (row !== null) row.focus();
  else if (tries > 0) requestAnimationFrame(() => focusRow(index, tries - 1));
}
