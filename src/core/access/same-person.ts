/**
 * Names of people are compared without regard to case, but only of A to Z: what Unicode takes for another letter's capital (the
 * Kelvin sign is k's) belongs to somebody else.
 */
export const isSamePerson = (one: string, other: string): boolean => folded(one) === folded(other);

const folded = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
