/**
 * Whether two names might be one person's: by any case, width or form of their letters. It errs towards yes, and so only ever
 * forbids; what allows compares by `isSamePerson`.
 */
export const mayBeSamePerson = (one: string, other: string): boolean => folded(one) === folded(other);

const folded = (name: string): string => name.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC').trim();
