/** The day in UTC of a time in ms since the epoch: `2027-01-31`, as specs write it. */
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);
