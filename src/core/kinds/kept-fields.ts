/** Terms that the store keeps beside a resource and no cloud holds; of every kind, and changed in place. */
export const keptFields = ['protect', 'deletionPolicy'] as const;

/** Where it stands, of what bears no mark that could say so anew. */
export const keptAddress = 'address';

export const isKept = (field: string): boolean => field === keptAddress || keptFields.some((kept) => kept === field);
