import type { Refusal } from './protocol.ts';

/** Thrown by protocols; becomes an answer in their own protocol. */
export class Refused extends Error {
  readonly refusal: Refusal;
  constructor(refusal: Refusal, options?: ErrorOptions) {
    super(`${refusal.code}: ${refusal.message}`, options);
    this.refusal = refusal;
  }
}
