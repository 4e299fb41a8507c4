import type { Caller } from './route.ts';

/** Who this is, by the header Authorization; undefined: nobody we know. Throws only where that cannot be found out now. */
export type Authenticate = (authorization: string | undefined) => Promise<Caller | undefined>;

/** Who asks without a credential what anybody may ask. */
export const nobody: Caller = { id: '', person: '', identities: [], grants: [] };
