import type { Action, Batch } from '../../src/core/action.ts';
import type { Attributes } from '../../src/core/resource.ts';
import { type ActionWrites, writesOf } from '../shared/action-writes.ts';

/**
 * Requests of Resource Manager that a batch takes and that change something. A resource group that is absent costs one more, which no
 * plan knows of.
 *
 *   kind, verb          | requests
 *   --------------------+------------------------------------------------------------------------------
 *   network, create     | the NSG, the VNet
 *   subnet, any         | one PUT of the VNet for all of a batch
 *   firewall-rule, any  | one PUT of the NSG for all of a batch
 *   group, create       | one
 *   instance, create    | interface, machine, tags of the disk; an address where it is public; deallocated where it is to stand still
 *   instance, update    | one; size and disk with a stop and a start
 *   adopt, a new mark   | the object, and each of its parts
 *   replace             | a creation and a deletion
 */
export function writes({ kind, actions }: Batch): number {
  const [first] = actions;
  if (first === undefined) return 0;
  if (kind === 'subnet' || kind === 'firewall-rule') return 1;
  return actions.reduce((sum, action) => sum + writesOf(action, each), 0);
}

const each: ActionWrites = { create: creation, change: changed, delete: ({ kind }) => (kind === 'network' ? 2 : 1) };

function creation(attributes: Attributes[keyof Attributes]): number {
  if ('machine' in attributes)
    return 3 + (attributes.placement.publicIp ? 1 : 0) + (attributes.machine.power === 'stopped' ? 1 : 0);
  return 'network' in attributes ? 1 : 2;
}

function changed({ kind, verb, changes, observed }: Extract<Action, { readonly verb: 'update' | 'adopt' }>): number {
  const fields = new Set(changes.map(({ field }) => field));
  const has = (field: string): number => (fields.has(field) ? 1 : 0);
  const marks = verb === 'adopt' || fields.has('mark');
  const parts = marks ? (observed.condition.parts?.length ?? 0) : 0;
  const isTagged = marks || changes.some(({ field }) => field.startsWith('labels.')) ? 1 : 0;
  if (kind !== 'instance') return isTagged + parts + 2 * has('filter');
  const still = has('machine.size') + (fields.has('disk.size') || fields.has('disk.type') ? 1 : 0);
  const isRunning = 'machine' in observed.attributes && observed.attributes.machine.power === 'running';
  const around = still > 0 && isRunning ? 2 : has('machine.power');
  return isTagged + parts + has('groups') + has('machine.identity') + still + around;
}
