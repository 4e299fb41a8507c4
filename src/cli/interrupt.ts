/** Aborts on the first Ctrl-C or SIGTERM; a second one ends the process at once. Call `release` when done. */
export interface Interrupt {
  readonly signal: AbortSignal;
  release(): void;
}

const signals = ['SIGINT', 'SIGTERM'] as const;

/** `end` is what a second signal does. */
export function onInterrupt(source: NodeJS.Process, end: () => void): Interrupt {
  const controller = new AbortController();
  const stop = () => {
    if (controller.signal.aborted) end();
    else controller.abort(new Interrupted());
  };
  for (const name of signals) source.on(name, stop);
  return {
    signal: controller.signal,
    release: () => {
      for (const name of signals) source.off(name, stop);
    },
  };
}

/** The reason that every wait ends with after Ctrl-C. */
export class Interrupted extends Error {
  constructor() {
    super('interrupted');
    this.name = 'Interrupted';
  }
}
