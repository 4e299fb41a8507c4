import { z } from 'zod';
import { text } from './text-field.ts';

/**
 * A name of ours. Neither `.` nor `/`: they separate the steps of an address. 63 is the shortest limit of our clouds
 * (GCP, RFC 1035), so a name that can be written can be kept; what else a cloud refuses is in `check/cloud-names`.
 */
export const name = (): z.ZodString =>
  text(/^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/, 'a name: 1 to 63 letters, digits, - or _, beginning with a letter or digit');

/** The cloud's own name for an object: `vpc-0abc`. */
export const cloudId = (): z.ZodString =>
  text(/^[\x21-\x7e]{1,512}$/, "the cloud's own id of an object, such as vpc-0abc");

export const names = (what: string): z.ZodArray<z.ZodString> =>
  z.array(name(), { error: `a list of ${what}` }).min(1, { error: `a list with at least one of the ${what}` });
