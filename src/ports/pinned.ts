import type { Pin } from './sources.ts';

/** What was not done because a person holds the estate where it is. */
export class Pinned extends Error {
  readonly pin: Pin;
  constructor(pin: Pin) {
    super(`the estate is held at ${pin.revision} by ${pin.by.person}: ${pin.by.reason}`);
    this.name = 'Pinned';
    this.pin = pin;
  }
}
