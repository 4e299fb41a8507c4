import type { Knowledge } from '../core/knowledge.ts';
import type { Observation } from '../core/observed.ts';
import { mostAsked, strangeIntents } from '../core/plan/lost-commits.ts';
import type { Inventory } from '../ports/inventory.ts';

/**
 * The knowledge, with the intents named on strange objects that the store has no record of. One query, and none where nothing strange
 * stands. To be called with what was read last: an intent is recorded before its object can stand.
 */
export async function withUnrecorded(
  knowledge: Knowledge,
  observation: Observation,
  inventory: Pick<Inventory, 'unrecorded'>,
): Promise<Knowledge> {
  const strange = strangeIntents(observation, knowledge);
  if (strange.length === 0) return knowledge;
  const asked = await inventory.unrecorded(strange.slice(0, mostAsked));
  return { ...knowledge, unrecorded: new Set([...asked, ...strange.slice(mostAsked)]) };
}
