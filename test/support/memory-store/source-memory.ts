import type { TouchedObject } from '../../../src/core/touch.ts';
import type { Pin, SourceState } from '../../../src/ports/sources.ts';

/** What the tables of sources and events hold. By estate, then by source, head, delivery, or scope and object. */
export interface SourceMemory {
  readonly states: Map<string, Map<string, SourceState>>;
  readonly pins: Map<string, Pin>;
  readonly histories: Set<string>;
  readonly bells: Map<string, number>;
  readonly deliveries: Map<string, number>;
  readonly touches: Map<string, Map<string, TouchedObject & { readonly heardAt: number }>>;
}

export const sourceMemory = (): SourceMemory => ({
  states: new Map(),
  pins: new Map(),
  histories: new Set(),
  bells: new Map(),
  deliveries: new Map(),
  touches: new Map(),
});
