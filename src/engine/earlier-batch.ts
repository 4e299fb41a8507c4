import type { Knowledge } from '../core/knowledge.ts';
import type { Address } from '../core/resource.ts';
import type { DraftDetails } from './draft.ts';

/**
 * What was launched together stays so when it is sent again: its first call may come yet, and then the machines of all bear
 * the intent of its first.
 */
export function earlierBatch(address: Address, { pending }: Knowledge): string | undefined {
  const before = pending.find((intent) => intent.verb === 'create' && intent.address === address);
  // why: this engine wrote the details of every intent
  return (before?.draft.details as DraftDetails | undefined)?.batch;
}
