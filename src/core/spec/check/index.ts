import type { Problem } from '../problem.ts';
import type { SpecSet } from '../spec-set.ts';
import { addressSpace } from './address-space.ts';
import { adoptable } from './adoptable.ts';
import { adoptedOnce } from './adopted-once.ts';
import { cloudBlocks } from './cloud-blocks.ts';
import { cloudNames } from './cloud-names.ts';
import { estateNames } from './estate-names.ts';
import { expressible } from './expressible.ts';
import { formerNames } from './former-names.ts';
import { groups } from './groups.ts';
import { ignores } from './ignores.ts';
import { instanceFields } from './instance-fields.ts';
import { joinedNames } from './joined-names.ts';
import { labels } from './labels.ts';
import { mostRules } from './most-rules.ts';
import { oneEstate } from './one-estate.ts';
import { oneRule } from './one-rule.ts';
import { oneScope } from './one-scope.ts';
import { references } from './references.ts';
import { rollouts } from './rollouts.ts';
import { ruleFields } from './rule-fields.ts';
import { subnetFields } from './subnet-fields.ts';
import { targetFields } from './target-fields.ts';
import { teamFields } from './team-fields.ts';
import { teamGroups } from './team-groups.ts';
import { teamTrees } from './team-trees.ts';
import { uniqueNames } from './unique-names.ts';

/** One thing that is checked across documents. `today` is a day (2027-01-31): the core knows no clock. */
export type Check = (set: SpecSet, today: string) => Iterable<Problem>;

/** The registry: one file a check. */
export const checks: readonly Check[] = [
  oneEstate,
  uniqueNames,
  references,
  groups,
  targetFields,
  oneScope,
  addressSpace,
  cloudBlocks,
  subnetFields,
  ruleFields,
  oneRule,
  expressible,
  mostRules,
  instanceFields,
  cloudNames,
  joinedNames,
  labels,
  ignores,
  formerNames,
  adoptedOnce,
  adoptable,
  rollouts,
  estateNames,
  teamTrees,
  teamFields,
  teamGroups,
];
