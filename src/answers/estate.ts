import type { CompiledScope } from '../core/compile/compile.ts';
import type { OpenedEstate } from '../estate/load.ts';

/** What specs ask of the clouds, as far as somebody asks about it. */
export interface Estate extends OpenedEstate {
  /** Goes before the paths of its files, so that whoever asked can open them; '' where they are named by their path in the tree. */
  readonly dir: string;
  /** The scopes chosen, all where none was named. */
  readonly scopes: readonly CompiledScope[];
}
