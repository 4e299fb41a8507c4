import type { SourceState } from '../ports/sources.ts';
import type { Store } from '../ports/store.ts';

/** Sources whose newest state is not in force: every answer about the estate says so. */
export async function heldSources(estate: string, store: Store | undefined): Promise<readonly SourceState[]> {
  const states = (await store?.sources.states.list(estate)) ?? [];
  return states.filter(({ state }) => state !== 'followed');
}
