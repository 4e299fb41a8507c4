import type { Action, Batch } from '../../src/core/action.ts';
import type { Desired } from '../../src/core/desired.ts';
import type { FieldChange } from '../../src/core/diff.ts';
import type { Observed } from '../../src/core/observed.ts';
import { namesAddress } from '../../src/core/plan/marks.ts';
import { namesParts, partsMarked } from './marks.ts';
import { nameKey } from './tags.ts';

/**
 * Requests of EC2 that a batch takes and that change something. See network.ts, subnet.ts, group.ts, retag.ts and instance/.
 *
 *   kind, verb            | requests
 *   ----------------------+------------------------------------------------------------------------------------------
 *   network, create       | CreateVpc; with a way to the internet two for the gateway, one for the table, one for the route
 *   subnet, create        | CreateSubnet; with a way to the internet AssociateRouteTable
 *   group, create         | CreateSecurityGroup; where egress is denied RevokeSecurityGroupEgress
 *   firewall-rule, any    | one a group and direction
 *   instance, create      | RunInstances; a name for each of several; StopInstances where they are to stand still
 *   instance, update      | tags once, size thrice for one that runs, each other field once
 *   adopt, an equal mark  | CreateTags
 *   a mark of its own     | CreateTags for the object, and for each sort of its parts
 *   replace               | a creation and a deletion
 */
export function writes({ kind, verb, actions }: Batch): number {
  const [first] = actions;
  if (first === undefined) return 0;
  switch (verb) {
    case 'create':
      return 'desired' in first ? creation(first.desired, actions.length) : 1;
    case 'replace':
      return 'desired' in first ? creation(first.desired, 1) + 1 : 2;
    case 'update':
    case 'adopt':
      return kind === 'firewall-rule' ? 1 : sumOf(actions);
    case 'delete':
      return kind === 'network' && 'observed' in first ? 1 + partsRemoved(first.observed) : 1;
    case 'forget':
      return 0;
  }
}

function creation({ attributes }: Desired, count: number): number {
  if ('machine' in attributes) {
    const isNamed = count === 1 || attributes.labels[nameKey] !== undefined;
    return 1 + (isNamed ? 0 : count) + (attributes.machine.power === 'stopped' ? 1 : 0);
  }
  if ('match' in attributes) return 1;
  if ('defaultEgress' in attributes) return attributes.defaultEgress === 'deny' ? 2 : 1;
  const hasInternet = 'internet' in attributes && attributes.internet === true;
  if ('network' in attributes) return hasInternet ? 2 : 1;
  return hasInternet ? 5 : 1;
}

/** Tags that are alike go in one request, so those of a batch count once; all else goes by itself. */
function sumOf(actions: readonly Action[]): number {
  const all = actions.flatMap((action) => ('changes' in action && 'observed' in action ? [action] : []));
  const [first] = all;
  if (first === undefined) return 1;
  return tagging(first) + all.reduce((sum, one) => sum + others(one), 0);
}

interface Changed {
  readonly observed: Observed;
  readonly changes: readonly FieldChange[];
  readonly verb: string;
}

function tagging({ observed, changes, verb }: Changed): number {
  const labels = changes.filter(({ field }) => field.startsWith('labels.'));
  const marks = verb === 'adopt' || changes.some(({ field }) => field === 'mark');
  const change = changes.find(({ field }) => field === 'mark');
  const hasAddress = change === undefined ? observed.signs.mark?.address !== undefined : namesAddress(change);
  const address = hasAddress ? { address: '' } : {};
  const sorts = new Set(partsMarked(observed, address).map(({ part }) => part));
  const partSets = namesParts(observed, address) ? sorts.size : 0;
  const drops = labels.some(({ to }) => to === undefined) ? 1 : 0;
  if (marks) return 1 + partSets + drops + (observed.signs.first === undefined ? 0 : 1 + partSets - drops);
  return (labels.some(({ to }) => to !== undefined) ? 1 : 0) + drops;
}

function others({ observed, changes }: Changed): number {
  const fields = new Set(changes.map(({ field }) => field));
  const isRunning = 'machine' in observed.attributes && observed.attributes.machine.power === 'running';
  const resizes = fields.has('machine.size');
  const disk = fields.has('disk.size') || fields.has('disk.type');
  const internet = changes.find(({ field }) => field === 'internet');
  return (
    (resizes ? 1 + (isRunning ? 2 : 0) : 0) +
    (fields.has('machine.power') && !resizes ? 1 : 0) +
    (fields.has('groups') ? 1 : 0) +
    (fields.has('machine.identity') ? 1 : 0) +
    (disk ? 1 : 0) +
    (internet === undefined ? 0 : internetWrites(observed, internet.to === true))
  );
}

/** A subnet moves from one table to another; a network gains its missing gateway, table and route, or loses them. */
function internetWrites(observed: Observed, opens: boolean): number {
  if (observed.kind !== 'network') return 1;
  const parts = observed.condition.parts?.length ?? 0;
  return opens ? Math.max(1, 4 - 2 * parts) : partsRemoved(observed);
}

/** A gateway is detached and deleted; a table is deleted. */
const partsRemoved = ({ condition: { parts = [] } }: Observed): number =>
  parts.reduce((sum, { part }) => sum + (part === 'internet-gateway' ? 2 : 1), 0);
