/** Terms that the store keeps beside a resource and no cloud holds; of every kind, and changed in place. */
export const keptFields = ['protect', 'deletionPolicy'] as const;

export const isKept = (field: string): boolean => keptFields.some((kept) => kept === field);
