import type { FieldChange } from '../diff.ts';
import type { FieldCategory } from '../remediation.ts';
import type { Attributes, Kind, Ref } from '../resource.ts';
import { firewallRule } from './firewall-rule.ts';
import { group } from './group.ts';
import { instance } from './instance.ts';
import { isKept } from './kept-fields.ts';
import { network } from './network.ts';
import type { ChangeEffect, KindRules } from './rules.ts';
import { subnet } from './subnet.ts';

/** The registry: a kind that is missing here does not compile. */
export const kinds: { readonly [K in Kind]: KindRules<K> } = {
  network,
  subnet,
  group,
  'firewall-rule': firewallRule,
  instance,
};

export const kindNames = ['network', 'subnet', 'group', 'firewall-rule', 'instance'] as const satisfies readonly Kind[];

/** The rules of a kind known only at run time. */
// why: `kinds[kind]` is the entry of exactly this kind; TypeScript cannot tie the two unions together
export const rulesOf = (kind: Kind): KindRules => kinds[kind] as unknown as KindRules;

/** The effect of this change. */
export function effectOf(kind: Kind, change: FieldChange): ChangeEffect {
  if (isKept(change.field)) return 'in-place';
  const effect = longestMatch(rulesOf(kind).effects, change.field) ?? 'blocked';
  return typeof effect === 'function' ? effect(change) : effect;
}

/** The category of a field; `ours` where it is no matter of others. `nameLabel`: the label that bears names, where one does. */
export function categoryOf(kind: Kind, field: string, nameLabel?: string): FieldCategory | 'ours' {
  if (isKept(field)) return 'ours';
  if (nameLabel !== undefined && field === `labels.${nameLabel}`) return 'name';
  return longestMatch(rulesOf(kind).categories, field) ?? 'ours';
}

/** Of the field or its longest dotted beginning. */
function longestMatch<T>(table: Readonly<Record<string, T>>, named: string): T | undefined {
  for (let field = named; field !== ''; field = field.slice(0, Math.max(0, field.lastIndexOf('.')))) {
    const found = table[field];
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Every Ref of a resource, in stated order. */
export function refsOf(kind: Kind, attributes: Attributes[Kind]): readonly Ref[] {
  const refs: Ref[] = [];
  rulesOf(kind).mapRefs(attributes, (ref) => {
    refs.push(ref);
    return ref;
  });
  return refs;
}
