/**
 * What may be said of a lane to those who collect: `aws/111122223333/eu-west-1/RunInstances` is an account's, and there
 * may be any number of these. Every cloud's key begins with the cloud and ends with what it counts.
 */
export const laneLabels = (key: string): { readonly cloud: string; readonly action: string } => ({
  cloud: cloudOf(key),
  action: key.slice(key.lastIndexOf('/') + 1),
});

/** The cloud is the first segment of scopes, addresses and lanes. */
export const cloudOf = (key: string): string => key.split('/', 1).join('');
