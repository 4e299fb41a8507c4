import type { Action, Batch } from '../../src/core/action.ts';
import type { Attributes } from '../../src/core/resource.ts';
import { type ActionWrites, writesOf } from '../shared/action-writes.ts';

/**
 * Requests of Compute Engine that a batch takes and that change something: it takes one thing at a time, so a batch goes side by side.
 *
 *   kind, verb       | requests
 *   -----------------+-----------------------------------------------------------------------------
 *   network, create  | networks.insert; without a way to the internet the default route goes
 *   instance, create | instances.insert; instances.stop where it is to stand still
 *   instance, update | setLabels, setTags, disks.resize once; size and identity with a stop and a start
 *   replace          | a creation and a deletion
 *   adopt            | its changes; labels for an instance's mark, as no other mark can be written
 *   any other        | one for each action
 */
export const writes = ({ actions }: Batch): number => actions.reduce((sum, action) => sum + writesOf(action, each), 0);

const each: ActionWrites = {
  create: creation,
  change: changed,
  delete: ({ kind, observed }) => (kind === 'network' ? 1 + (observed.condition.parts?.length ?? 0) : 1),
};

function creation(attributes: Attributes[keyof Attributes]): number {
  if ('machine' in attributes) return attributes.machine.power === 'stopped' ? 2 : 1;
  return 'internet' in attributes && !('network' in attributes) && attributes.internet === false ? 2 : 1;
}

function changed({ kind, changes, observed }: Extract<Action, { readonly verb: 'update' | 'adopt' }>): number {
  if (kind === 'network') return changes.some(({ field }) => field === 'internet') ? 1 : 0;
  if (kind !== 'instance') return kind === 'firewall-rule' ? 1 : 0;
  const fields = new Set(changes.map(({ field }) => field));
  const has = (field: string): number => (fields.has(field) ? 1 : 0);
  const isTagged = changes.some(({ field }) => field === 'mark' || field.startsWith('labels.'));
  const still = has('machine.size') + has('machine.identity');
  const isRunning = 'machine' in observed.attributes && observed.attributes.machine.power === 'running';
  const around = still > 0 && isRunning ? 2 : has('machine.power');
  return (isTagged ? 1 : 0) + has('groups') + has('disk.size') + still + around;
}
