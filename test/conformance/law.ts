import type { Kind } from '../../src/core/resource.ts';
import type { Stage } from './stage.ts';
import type { KindsOf } from './subject.ts';

/** Something that every provider keeps, for each of these kinds. Its name is a sentence. */
export interface Law {
  readonly name: string;
  readonly kinds: KindsOf;
  hold(stage: Stage, kind: Kind): Promise<void>;
}
