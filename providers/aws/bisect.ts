import type { Failure, Result } from '../../src/core/failure.ts';
import { done } from '../shared/answer.ts';

/**
 * Sends items together and, when one bad item sinks the call, in halves down to the single ones: k bad items among n
 * cost about 2k·log2 n calls. Unanswered items are never sent again, nor items that were throttled or may be retried whole.
 */
export async function sendBisecting<T>(
  items: readonly T[],
  send: (items: readonly T[]) => Promise<Result<unknown>>,
): Promise<readonly Result<void>[]> {
  if (items.length === 0) return [];
  const answer = await send(items);
  if (answer.ok) return items.map(() => done);
  if (items.length === 1 || !sinks(answer.failure)) return items.map(() => answer);
  const half = Math.ceil(items.length / 2);
  const first = await sendBisecting(items.slice(0, half), send);
  return [...first, ...(await sendBisecting(items.slice(half), send))];
}

/** True where the call was refused for its content, so that a smaller one may succeed. */
export const sinks = ({ kind, code }: Failure): boolean =>
  (kind === 'not-found' || kind === 'conflict' || kind === 'terminal') && !refusesAnySize.has(code);

const refusesAnySize: ReadonlySet<string> = new Set([
  'UnauthorizedOperation',
  'AccessDenied',
  'AuthFailure',
  'ExpiredToken',
  'OptInRequired',
  'CredentialsProviderError',
]);
