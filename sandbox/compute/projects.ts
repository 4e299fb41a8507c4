/** Projects that exist. Whoever shows a bearer token, whichever, may do everything in each of them. */
export interface ProjectOptions {
  readonly id: string;
  /** Default: made from the id. */
  readonly number?: string;
}

export const DEFAULT_PROJECTS: readonly ProjectOptions[] = [{ id: 'acme-prod', number: '210987654321' }];

/** From 6 characters on, says https://docs.cloud.google.com/resource-manager/docs/creating-managing-projects; here from 4. */
const ID = /^[a-z][a-z0-9-]{2,28}[a-z0-9]$/;

export function checkedProjects(options: readonly ProjectOptions[]): ReadonlyMap<string, Required<ProjectOptions>> {
  const known = new Map<string, Required<ProjectOptions>>();
  for (const { id, number = numberOf(id) } of options) {
    if (!ID.test(id))
      throw new RangeError(`project id must be 4 to 30 lower-case letters, digits and dashes, not ${id}`);
    if (!/^\d{6,19}$/.test(number)) throw new RangeError(`project number must be 6 to 19 digits, not ${number}`);
    known.set(id, { id, number });
  }
  return known;
}

function numberOf(id: string): string {
  let hash = 7;
  for (const letter of id) hash = (hash * 31 + letter.charCodeAt(0)) % 900_000_000_000;
  return String(100_000_000_000 + hash);
}
