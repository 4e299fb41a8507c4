import type { FirewallRuleDoc, TargetDoc } from './document.ts';
import type { Located } from './located.ts';
import type { SpecSet } from './spec-set.ts';

/** What a provider lists, locks and limits together. Azure takes any case for one: its names have none. */
export function scopeOf({ spec }: TargetDoc): string {
  const { provider, account, region } = spec;
  if (provider === 'gcp') return `gcp/${account}`;
  return provider === 'azure' ? `azure/${account}/${region}`.toLowerCase() : `${provider}/${account}/${region}`;
}

/** Where a network's name is unique: on GCP in the project, on Azure in the resource group. */
export const placeOf = (target: TargetDoc): string =>
  target.spec.provider === 'azure' ? `${scopeOf(target)}/${target.spec.resourceGroup}`.toLowerCase() : scopeOf(target);

/** Where a subnet's name is unique, and whose machines it serves: on GCP the zones of its region. */
export const subnetPlaceOf = (target: TargetDoc): string =>
  target.spec.provider === 'gcp' ? `${scopeOf(target)}/${target.spec.region}` : placeOf(target);

/** The targets by these names that the specs have; unknown ones are another check's finding. */
export const targetsOf = (set: SpecSet, names: readonly string[]): readonly Located<TargetDoc>[] =>
  names.flatMap((name) => set.targets.get(name) ?? []);

/** Where a rule stands: where its network does, or on fewer targets if it says so. */
export function targetsOfRule(set: SpecSet, { spec }: FirewallRuleDoc): readonly Located<TargetDoc>[] {
  const names = set.networks.get(spec.network)?.value.spec.targets ?? [];
  return targetsOf(
    set,
    names.filter((name) => spec.targets?.includes(name) ?? true),
  );
}
