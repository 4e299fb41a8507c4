import type { DeletionPolicy, Mode, Terms } from '../desired.ts';
import { rulesOf } from '../kinds/kinds.ts';
import type { Kind } from '../resource.ts';
import type { FirewallRuleDoc, InstanceDoc, NetworkDoc } from '../spec/document.ts';

type TermsDoc = FirewallRuleDoc | InstanceDoc | NetworkDoc;

const strictness: Readonly<Record<Mode, number>> = { observe: 0, plan: 1, enforce: 2 };

/** The strictest of those that are set; `plan` where none is. */
export function strictest(modes: readonly (Mode | undefined)[]): Mode {
  const set = modes.filter((mode) => mode !== undefined);
  return set.toSorted((a, b) => strictness[a] - strictness[b])[0] ?? 'plan';
}

/** What a person writes under `ignore`, and where that stands in our attributes. Labels and disk keep their names. */
const fields: Readonly<Record<string, string>> = {
  image: 'machine.image',
  size: 'machine.size',
  identity: 'machine.identity',
  power: 'machine.power',
  subnet: 'placement.subnet',
  publicIp: 'placement.publicIp',
  userData: 'boot.userData',
  access: 'boot.access',
  priority: 'order.priority',
  disabled: 'order.disabled',
  log: 'order.log',
};

/** What holds for every resource that a document makes. `today` (2027-01-31) decides which `ignore` still holds. */
export function termsOf(
  document: TermsDoc,
  kind: Kind,
  context: { readonly mode: Mode; readonly today: string },
): Terms {
  const { protect, deletionPolicy, ignore } = document.spec;
  const ignored = ignore.filter(({ until }) => until >= context.today).map(({ field }) => attributeOf(field));
  return {
    mode: context.mode,
    protect,
    deletionPolicy: deletionPolicy ?? defaultPolicy(kind),
    ...(ignored.length > 0 ? { ignore: ignored } : {}),
  };
}

const defaultPolicy = (kind: Kind): DeletionPolicy => rulesOf(kind).deletionPolicy;
const attributeOf = (field: string): string => fields[field] ?? field;
