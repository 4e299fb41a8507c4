import type { Observed } from '../../src/core/observed.ts';
import type { Kind } from '../../src/core/resource.ts';
import type { Actuator, Call } from '../../src/ports/provider.ts';

/** A listing from its first page to its last, as one list. */
export async function everyPage<K extends Kind>(actuator: Actuator<K>, call: Call): Promise<readonly Observed<K>[]> {
  const found: Observed<K>[] = [];
  for await (const page of actuator.list(call)) found.push(...page);
  return found;
}
