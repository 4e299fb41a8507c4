import type { Poster } from '../../ports/queries.ts';
import type { Caller } from './route.ts';

/** Who asks, as far as it is compared with who made something. */
export const posterOf = ({ person, id, identities }: Caller): Poster => ({ person, caller: id, names: identities });
