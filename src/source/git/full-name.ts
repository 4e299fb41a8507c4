/** Nothing but an object's full name, as git reads other words as expressions or options. */
export function fullName(id: string): string {
  if (!/^[0-9a-f]{40}$/.test(id)) throw new RangeError(`no full name of a commit: ${JSON.stringify(id.slice(0, 100))}`);
  return id;
}
