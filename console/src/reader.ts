import { type FocusEvent, useCallback, useRef } from 'react';

/**
 * The pointer or the focus of the reader in a list, where no row may move under them. The element of the list takes the props
 * `hold`. `onLeave`: neither is in the list any more.
 */
export function useReader(onLeave: () => void) {
  const element = useRef<HTMLElement>(null);
  const hasPointer = useRef(false);
  const hasFocus = useCallback((): boolean => element.current?.contains(document.activeElement) === true, []);
  const isReading = useCallback((): boolean => hasPointer.current || hasFocus(), [hasFocus]);
  const ref = useCallback((found: HTMLElement | null) => {
    element.current = found;
    return () => {
      element.current = null;
      hasPointer.current = false;
    };
  }, []);
  return {
    isReading,
    hold: {
      ref,
      onPointerEnter: () => {
        hasPointer.current = true;
      },
      onPointerLeave: () => {
        hasPointer.current = false;
        if (!hasFocus()) onLeave();
      },
      onBlur: ({ currentTarget, relatedTarget }: FocusEvent) => {
        if (!currentTarget.contains(relatedTarget) && !hasPointer.current) onLeave();
      },
    },
  };
}
