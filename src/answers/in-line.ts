import { Declined } from '../ports/declined.ts';

/** One piece of work at a time; whoever finds too many waiting is told to come again. */
export function inLine(mostWaiting: number): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return (work) => {
    if (waiting > mostWaiting)
      throw new Declined('too-many', 'Too many plans are being made at this moment: ask again in a few seconds.');
    waiting += 1;
    const done = last.then(work).finally(() => {
      waiting -= 1;
    });
    last = done.catch(() => undefined);
    return done;
  };
}
