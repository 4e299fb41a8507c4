import { type FocusEvent, useCallback, useEffect, useRef } from 'react';

interface ReaderOf {
  /** Neither the pointer nor the focus is in the list any more. */
  onLeave(): void;
  /** The focus is not in the list any more. */
  onBlur?(): void;
}

/** The pointer and the focus of the reader, in the element with the props `hold`: no row moves under them. */
export function useReader({ onLeave, onBlur }: ReaderOf) {
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
    if (part === 'focus') onBlur?.();
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
