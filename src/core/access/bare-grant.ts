import type { Grant } from './grant.ts';
import type { Role } from './role.ts';

type Loose = { readonly role: Role } & {
  readonly [K in 'estates' | 'targets' | 'owners']?: readonly string[] | undefined;
};

/** A grant and nothing else: what is not bounded is left out. */
export const bareGrant = ({ role, estates, targets, owners }: Loose): Grant => ({
  role,
  ...(estates === undefined ? {} : { estates }),
  ...(targets === undefined ? {} : { targets }),
  ...(owners === undefined ? {} : { owners }),
});
