import { after } from 'node:test';
import { type Canary, openCanary } from '../../../bench/hostile-spec/canary.ts';

/** Closed when the tests of the file have ended. */
export async function loopbackCanary(): Promise<Canary> {
  const canary = await openCanary();
  after(() => canary.close());
  return canary;
}
