import { suggest } from '../../core/documents/problem.ts';
import type { Address } from '../../core/resource.ts';
import { printable } from '../../core/text.ts';
import { Complaint } from '../complaint.ts';

/**
 * The address that a person means: written whole, or any ending of it that is unique (`instance/web-0`, `web-0`, or the rule `web-https` of a network).
 * Throws with what is near, where nothing or more than one fits.
 */
export function findAddress(given: string, known: ReadonlySet<Address>): Address {
  if (known.has(given)) return given;
  const fits = [...known].filter((address) => address.endsWith(`/${given}`) || address.endsWith(`.${given}`));
  const [only] = fits;
  if (fits.length === 1 && only !== undefined) return only;
  if (fits.length > 1) {
    throw new Complaint(`"${given}" may be one of ${fits.length}.`, {
      next: `Write one of them whole:\n${printable(fits.slice(0, 10)).join('\n')}`,
    });
  }
  const near = suggest(
    given.split('/').at(-1) ?? given,
    [...known].map((address) => address.split('/').at(-1) ?? ''),
  );
  throw new Complaint(`Nothing here has the address "${given}".`, {
    next: `${near === undefined ? '' : `Did you mean ${near}? `}All addresses: setpoint inventory --refresh --json`,
  });
}
