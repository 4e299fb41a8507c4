/**
 * Names of people are compared without regard to case, but only of A to Z: what Unicode takes for another letter's capital (the
 * Kelvin sign is k's) belongs to somebody else.
 */
export const isSamePerson = (one: string, other: string): boolean => folded(one) === folded(other);

const folded = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

/**
 * True where two names might be one person's: by any case, width or form of their letters, and by any tag of an address. It errs
 * towards yes, and so only ever forbids; checks that allow compare by `isSamePerson`.
 */
export const mayBeSamePerson = (one: string, other: string): boolean =>
  personKeys(one).some((key) => personKeys(other).includes(key));

const foldedWidely = (name: string): string =>
  name.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC').trim();

/**
 * The same of several names at once: two are perhaps one person's where they have a key in common. An address with a tag (`ada+ci@…`)
 * reaches whom the address without it reaches.
 */
export function personKeys(name: string): readonly string[] {
  const folded = foldedWidely(name);
  const untagged = folded.replace(/^([^+@]+)\+[^@]*@/, '$1@');
  return untagged === folded ? [folded] : [folded, untagged];
}

/**
 * True where an e-mail address is one that a forge gives out, as for edits on the web: it names somebody's account there, or
 * the forge itself, and so equals no address that a credential proves.
 */
export const isForgeAddress = (name: string): boolean =>
  /@users\.noreply\.|^no-?reply@/.test(name.normalize('NFKC').toLowerCase().trim());

/**
 * The author of commits that Setpoint proposes. It is no person: it approves nothing, and no document can name it as a signer, for the
 * address of a signer has no brackets.
 */
export const proposalBot = { name: 'setpoint[bot]', email: 'setpoint[bot]@setpoint.dev' } as const;
