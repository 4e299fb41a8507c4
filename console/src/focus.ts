import { useEffect } from 'react';

const regions = 'section, article, search, fieldset, table, main';

/** Rows that go and come within this time take the focus themselves. */
const settleMs = 250;

/**
 * When the focused element goes, its nearest region that stays gets the focus. Else it falls to the page, and the keys and a screen
 * reader begin there anew. No control gets it: a key that is still held would press that, too.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    let last: HTMLElement | undefined;
    let around: readonly HTMLElement[] = [];
    let timer: number | undefined;
    const isLost = (): boolean => last?.isConnected === false && document.activeElement === document.body;
    const onFocus = ({ target }: FocusEvent): void => {
      last = target instanceof HTMLElement ? target : undefined;
      around = regionsAround(last);
    };
    const onBlur = (): void =>
      queueMicrotask(() => {
        // why: some browsers tell the same of an element that goes, and that one is away by now
        if (document.activeElement === document.body && last?.isConnected === true) last = undefined;
      });
    const restore = (): void => {
      timer = undefined;
      if (isLost()) focusRegion(around.find(({ isConnected }) => isConnected));
    };
    const observer = new MutationObserver(() => {
      if (isLost()) timer ??= window.setTimeout(restore, settleMs);
    });
    document.addEventListener('focusin', onFocus);
    document.addEventListener('focusout', onBlur);
    observer.observe(document.body, { childList: true, subtree: true });
    return () => {
      document.removeEventListener('focusin', onFocus);
      document.removeEventListener('focusout', onBlur);
      observer.disconnect();
      window.clearTimeout(timer);
    };
  }, []);
}

/** From the innermost. A list over the page is in none: the whole screen gets its focus. */
function regionsAround(element: Element | undefined): readonly HTMLElement[] {
  const found: HTMLElement[] = [];
  for (let one = element?.parentElement?.closest<HTMLElement>(regions); one; ) {
    found.push(one);
    one = one.parentElement?.closest<HTMLElement>(regions);
  }
  const screen = document.getElementById('content');
  return screen === null ? found : [...found, screen];
}

function focusRegion(region: HTMLElement | undefined): void {
  if (region === undefined) return;
  if (!region.hasAttribute('tabindex')) {
    region.tabIndex = -1;
    region.addEventListener('blur', () => region.removeAttribute('tabindex'), { once: true });
  }
  region.focus({ preventScroll: true });
}
