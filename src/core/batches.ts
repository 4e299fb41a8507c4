import type { Action, Batch } from './action.ts';
import { isKept } from './kinds/kept-fields.ts';
import { documentOfReplica, type Kind, type RuleAttributes } from './resource.ts';

/** Most actions of one call, by kind and what is done; what is not named goes singly. Data of each provider. */
export type BatchLimits = Readonly<Partial<Record<`${Kind}/${Sent | 'adopt'}`, number>>>;

/** The type of a request to a cloud: adoption is an update, a replacement is a delete and then a create. */
export type Sent = 'create' | 'update' | 'delete';

/** Forgetting calls no cloud: this bounds a transaction only. */
const forgotten = 1000;

/**
 * Actions that may run now as calls that may carry them, in order of first appearance, none larger than `limits` allow.
 *
 *   kind          | create                             | update, adopt         | delete
 *   --------------+------------------------------------+-----------------------+------------------
 *   firewall-rule | same container and direction       | the same              | the same
 *   instance      | one document, equal, ordinals in   | equal labels, marks   | any
 *                 | a row (`first` + launch index)     |                       |
 *   others        | any, as far as the limits go       | equal labels, marks   | any
 */
export function pack(actions: readonly Action[], limits: BatchLimits): readonly Batch[] {
  const batches: Growing[] = [];
  const open = new Map<string, Growing>();
  for (const { action, key } of inRows(actions)) {
    const last = open.get(key);
    if (last && last.actions.length < limitOf(action, limits) && follows(last.actions.at(-1), action)) {
      last.actions.push(action);
      continue;
    }
    const batch: Growing = { kind: action.kind, verb: action.verb, actions: [action] };
    batches.push(batch);
    open.set(key, batch);
  }
  return batches;
}

interface Growing extends Batch {
  readonly actions: Action[];
}

/** An action, and what is equal of all that may share its call. */
interface Keyed {
  readonly action: Action;
  readonly key: string;
}

/** In the order given, but that launches of one document change places among themselves: in text `web-10` comes before `web-2`. */
function inRows(actions: readonly Action[]): readonly Keyed[] {
  const keyed = actions.map((action) => ({ action, key: `${action.verb} ${action.kind} ${companionsOf(action)}` }));
  const rows = new Map(
    [
      ...Map.groupBy(
        keyed.filter(({ action }) => isLaunch(action)),
        ({ key }) => key,
      ),
    ].map(([key, launches]) => [
      key,
      launches.toSorted((a, b) => ordinalOf(a.action.address) - ordinalOf(b.action.address)).values(),
    ]),
  );
  return keyed.map((one) => (isLaunch(one.action) ? (rows.get(one.key)?.next().value ?? one) : one));
}

const isLaunch = ({ kind, verb }: Action): boolean => kind === 'instance' && verb === 'create';

function limitOf({ kind, verb }: Action, limits: BatchLimits): number {
  switch (verb) {
    case 'forget':
      return forgotten;
    case 'replace':
      return 1;
    case 'create':
    case 'adopt':
    case 'update':
    case 'delete':
      return limits[`${kind}/${verb}`] ?? 1;
  }
}

/** Equal text: may share a call. */
function companionsOf(action: Action): string {
  switch (action.verb) {
    case 'create':
      if (action.kind === 'instance') {
        return `${documentOfReplica(action.address)} ${JSON.stringify(action.desired.attributes)}`;
      }
      return ruleOf(action.desired);
    case 'update':
      return action.kind === 'firewall-rule' ? ruleOf(action.desired) : changesOf(action);
    case 'delete':
      return ruleOf(action.observed);
    case 'adopt':
      return changesOf(action);
    case 'replace':
      return action.address;
    case 'forget':
      return '';
  }
}

function ruleOf({ kind, attributes }: { readonly kind: Kind; readonly attributes: object }): string {
  if (kind !== 'firewall-rule') return '';
  // why: `kind` was just checked
  const { group, network, match } = attributes as RuleAttributes;
  return `${group ?? network} ${match.direction}`;
}

/** The new values, without those that they replace; a change of what a cloud holds goes by itself, but for labels and marks. */
function changesOf({ address, changes }: Extract<Action, { verb: 'update' | 'adopt' }>): string {
  const tagsOnly = changes.every(({ field }) => field.startsWith('labels.') || field === 'mark' || isKept(field));
  return tagsOnly ? JSON.stringify(changes.map(({ field, to }) => [field, to])) : address;
}

/** A launch is marked with its first ordinal, so its machines are numbered in a row. */
function follows(last: Action | undefined, next: Action): boolean {
  if (!isLaunch(next) || last === undefined) return true;
  return ordinalOf(next.address) === ordinalOf(last.address) + 1;
}

const ordinalOf = (address: string): number => Number(/-(\d+)$/.exec(address)?.[1] ?? Number.NaN);
