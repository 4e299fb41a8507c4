import type { Operations } from '../ports/actuator.ts';
import type { Pass } from '../ports/ledger.ts';
import type { KeptOperations } from '../ports/operations.ts';
import type { KeptOperation } from '../ports/provider.ts';

/** The long-running operations of one estate and scope. */
export interface Kept extends Operations {
  list(): Promise<readonly KeptOperation[]>;
}

export const keptOf = (operations: KeptOperations, { estate, scope }: Pick<Pass, 'estate' | 'scope'>): Kept => ({
  list: () => operations.list(estate, scope),
  keep: (id, state) => operations.keep(estate, scope, { id, state }),
  drop: (id) => operations.drop(estate, scope, id),
});
