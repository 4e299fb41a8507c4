/** Terms that the store keeps beside a resource and no cloud holds; of every kind, and changed in place. */
export const keptFields = ['protect', 'deletionPolicy', 'beforeDelete'] as const;

/** The address of a resource without a mark that could be written anew. */
export const keptAddress = 'address';

/** Of an adopted group: whether a rule in it that no document states is drift. */
export const keptRules = 'rules';

export const isKept = (field: string): boolean =>
  field === keptAddress || field === keptRules || keptFields.some((kept) => kept === field);
