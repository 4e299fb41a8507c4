import type { ScopeKey } from '../core/resource.ts';
import type { KeptOperation } from './provider.ts';

/** Long-running operations of the clouds, kept while they run: they outlive the process that began them. */
export interface KeptOperations {
  /** Oldest first. */
  list(estate: string, scope: ScopeKey): Promise<readonly KeptOperation[]>;
  /** Written over where the id is known. */
  keep(estate: string, scope: ScopeKey, operation: KeptOperation): Promise<void>;
  drop(estate: string, scope: ScopeKey, id: string): Promise<void>;
}
