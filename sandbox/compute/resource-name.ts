import { invalid, required } from './errors.ts';

/** RFC 1035, as the discovery document has it for the name of every resource. */
const NAME = /^[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?$/;

/** `field` as errors name it: `resource.name`. */
export function checkedName(name: string | undefined, field = 'resource.name'): string {
  if (!name) throw required(field);
  if (!NAME.test(name)) throw invalid(field, name, "Must be a match of regex '(?:[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?)'");
  return name;
}
