import { z } from 'zod';

/** `secret`: says where a secret is kept, or whose rights are taken on. `address`: says where calls are sent. */
export interface Guard {
  readonly guards: 'secret' | 'address';
}

/**
 * The schemas of fields by which a document reaches for a secret or for an address. Whoever makes such a field enters it here,
 * and `core/trust-fields` finds it wherever it is used.
 */
export const guarded = z.registry<Guard>();
