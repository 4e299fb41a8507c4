import type { KeptOperations } from '../../../src/ports/provider.ts';
import { estateOf, type Memory, scopeOf } from './memory.ts';

export function memoryOperations(memory: Memory): KeptOperations {
  const of = (estate: string, scope: string) => scopeOf(estateOf(memory, estate), scope).operations;
  return {
    list: async (estate, scope) => [...of(estate, scope)].map(([id, state]) => ({ id, state })),
    keep: async (estate, scope, { id, state }) => void of(estate, scope).set(id, state),
    drop: async (estate, scope, id) => void of(estate, scope).delete(id),
  };
}
