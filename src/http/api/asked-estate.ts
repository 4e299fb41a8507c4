import { z } from 'zod';
import { boundsFor, type Permission, reaches } from '../../core/access/grant.ts';
import { badInput, forbidden, notFound } from './problems.ts';
import { Refusal } from './refusal.ts';
import type { Caller } from './route.ts';

/** Of queries and bodies. */
export const estateField = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .meta({ description: 'May be left out where you see exactly one' });

export interface EstateQuestion {
  readonly asked: string | undefined;
  readonly in: 'query' | 'body';
  /** What the caller must have somewhere in it; where exactly, whoever handles the request finds out. */
  readonly needs: Permission;
}

/** The estate that is meant. One that the caller does not see is as one that there is not. */
export async function askedEstate(
  { asked, in: where, needs }: EstateQuestion,
  { grants }: Pick<Caller, 'grants'>,
  list: () => Promise<readonly string[]>,
): Promise<string> {
  const holds = (permission: Permission, estate: string): boolean =>
    boundsFor(grants, permission).some((bounds) => reaches(bounds, estate));
  const seen = (await list()).filter((estate) => holds('read', estate));
  if (asked === undefined && seen.length > 1)
    throw new Refusal(
      badInput([{ in: where, at: 'estate', expected: 'the name of an estate, as you see more than one' }]),
    );
  const estate = asked === undefined ? seen[0] : seen.find((name) => name === asked);
  if (estate === undefined) throw new Refusal(notFound);
  if (!holds(needs, estate)) throw new Refusal(forbidden(needs));
  return estate;
}
