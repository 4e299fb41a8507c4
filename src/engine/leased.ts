import { LeaseLost } from '../ports/lease.ts';
import { Stopped } from './halt.ts';

/** A ledger that no longer knows our lease ends the pass: whoever holds it now settles what we leave open by what he sees. */
export async function leased<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof LeaseLost) throw new Stopped('the lease was lost', { cause: error });
    throw error;
  }
}
