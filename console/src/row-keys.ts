import { type KeyboardEvent, type RefObject, useEffect, useState } from 'react';

/**
 * One row is in the tab order; the arrows, j and k, Home, End and the page keys move it. It stays with its key (`keys`) when others
 * come and go; a row that has gone leaves it to the one at its place.
 */
export function useRowKeys(keys: readonly string[], reveal: (index: number) => void) {
  const [chosen, setChosen] = useState({ key: '', index: 0 });
  const count = keys.length;
  const isThere = chosen.key === '' || keys[chosen.index] === chosen.key;
  const found = isThere ? chosen.index : keys.indexOf(chosen.key);
  const active = found === -1 ? Math.max(0, Math.min(chosen.index, count - 1)) : found;
  const setActive = (index: number): void => setChosen({ key: keys[index] ?? '', index });
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const to = targetOf(event.key, active, count);
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    setActive(to);
    reveal(to);
    focusRow(event.currentTarget, to);
  };
  return { active, setActive, onKeyDown };
}

const page = 20;

/** The row that a key leads to; undefined: the key is none of these. */
export function targetOf(key: string, from: number, count: number): number | undefined {
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: from + 1,
    j: from + 1,
    ArrowUp: from - 1,
    k: from - 1,
    PageDown: from + page,
    PageUp: from - page,
    Home: 0,
    End: count - 1,
  };
  const to = steps[key];
  return to === undefined ? undefined : Math.max(0, Math.min(count - 1, to));
}

/** A row far away is drawn a frame or two after the scroll. */
export function focusRow(table: HTMLElement, index: number, tries = 10): void {
  const link = table.querySelector<HTMLElement>(`[data-row="${index}"]`);
  if (link !== null) link.focus({ preventScroll: true });
  else if (tries > 0) requestAnimationFrame(() => focusRow(table, index, tries - 1));
}

/** The height of what stands at the top of the page while it scrolls, px: a row beneath it is hidden. */
export const stickyHeight = (): number =>
  Number.parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) || 0;

/** `/` leads to this input, if nobody types elsewhere. */
export function useSlashKey(input: RefObject<HTMLInputElement | null>, isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return undefined;
    const focus = (event: globalThis.KeyboardEvent): void => {
      const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      input.current?.focus();
    };
    window.addEventListener('keydown', focus);
    return () => window.removeEventListener('keydown', focus);
  }, [input, isOn]);
}
