import type { Ledger } from '../../../src/ports/ledger.ts';

/** A process that died: nothing is awaited, settled or cleared up. */
export class Killed extends Error {}

/** `['intend', 'after', 2]`: as soon as the second intent is committed. */
export type Step = readonly ['intend' | 'settle', 'before' | 'after', nth: number];

/** A ledger whose process dies at this step of what it tells it. */
export function killedAt([what, when, nth]: Step): (ledger: Ledger) => Ledger {
  let count = 0;
  const gated = async <T>(work: () => Promise<T>): Promise<T> => {
    count += 1;
    if (count === nth && when === 'before') throw new Killed();
    const result = await work();
    if (count === nth) throw new Killed();
    return result;
  };
  return (ledger) => ({
    ...ledger,
    [what]: (...asked: Parameters<Ledger['intend']>) =>
      gated(() => (ledger[what] as (...all: unknown[]) => Promise<unknown>)(...asked)), // why: either takes what the engine gives it
  });
}

/** The steps of a replacement by surge that the ledger hears of. */
export const surgeSteps: readonly { readonly name: string; readonly at: Step }[] = [
  { name: 'before the intent to launch', at: ['intend', 'before', 1] },
  { name: 'after the intent to launch: nothing was sent', at: ['intend', 'after', 1] },
  { name: 'after the launch, unsettled: the successor is pending', at: ['settle', 'before', 1] },
  { name: 'after its settlement: the successor stands and is not ready', at: ['settle', 'after', 1] },
  { name: 'when it is ready, before the intent to end the predecessor', at: ['intend', 'before', 2] },
  { name: 'after that intent: nothing was ended', at: ['intend', 'after', 2] },
  { name: 'after the predecessor was ended, unsettled', at: ['settle', 'before', 2] },
  { name: 'after its settlement', at: ['settle', 'after', 2] },
];
