import { endsWithin, timedIn } from '../ttl.ts';
import { adoptable, adoptedOnce } from './checks/adoption.ts';
import { changeWindows } from './checks/change-windows.ts';
import { cloudNames, labels } from './checks/cloud-names.ts';
import { expressible } from './checks/expressible.ts';
import { groupDocuments, groupNames } from './checks/groups.ts';
import { instanceFields } from './checks/instances.ts';
import { machineNames } from './checks/machine-names.ts';
import { estateNames, formerNames, joinedNames, oneEstate, uniqueNames } from './checks/names.ts';
import { networkSettings } from './checks/network-settings.ts';
import { exemptions, policyRules } from './checks/policies.ts';
import { costLimit, prices } from './checks/prices.ts';
import { groups, ignores, references } from './checks/references.ts';
import { mostRules, oneRule, ruleFields, unmanagedFilters } from './checks/rules.ts';
import { addressSpace, cloudBlocks, subnetFields } from './checks/subnets.ts';
import { oneScope, rollouts, targetFields } from './checks/targets.ts';
import { teamFields, teamGroups, teamTrees } from './checks/teams.ts';
import { lifetimes } from './checks/ttl.ts';
import type { Document } from './document.ts';
import { error, type Problem, sortProblems } from './problem.ts';
import { readDocument } from './read-document.ts';
import { type SpecSet, specSet } from './spec-set.ts';
import type { Located, Tree } from './tree.ts';

/**
 * A checked tree of specs. `documents` are valid one by one; only without errors among the problems are they valid together.
 */
export interface Specs {
  readonly documents: readonly Located<Document>[];
  /** Documents whose lifetime is over, and that are left out; absent: none. */
  readonly ended?: readonly Located<Document>[];
  readonly problems: readonly Problem[];
}

/**
 * Every document by its schema, then all of them together. Broken trees are known by name only: referring to one is no
 * second error. Pure: the same trees on the same day give the same answer.
 */
export function checkSpecs(trees: readonly Tree[], broken: readonly Tree[], today: string): Specs {
  const documents: Located<Document>[] = [];
  const problems: Problem[] = [];
  for (const tree of trees) {
    const reading = readDocument(tree);
    if (reading.document) documents.push(reading.document);
    else problems.push(...reading.problems);
  }
  const set = specSet(documents, [...trees, ...broken]);
  for (const check of checks) problems.push(...check(set, today));
  problems.push(...neededEnds({ documents, trees, broken, problems }, today));
  return { documents, problems: sortProblems(problems) };
}

interface Checked extends Specs {
  readonly trees: readonly Tree[];
  readonly broken: readonly Tree[];
}

/** The errors of the other documents once every lifetime is over. With them a worker could end none of these documents. */
function* neededEnds({ documents, trees, broken, problems }: Checked, today: string): Iterable<Problem> {
  const timed = timedIn(documents).map(({ document }) => document);
  const gone = new Set<Located<Document>>(endsWithin(documents, timed));
  if (gone.size === 0 || problems.some(isError)) return;
  const goneTrees = new Set([...gone].map(({ tree }) => tree));
  const left = documents.filter((one) => !gone.has(one));
  const lasting = trees.filter((tree) => !goneTrees.has(tree));
  const set = specSet(left, [...lasting, ...broken]);
  for (const found of checks.flatMap((check) => [...check(set, today)]).filter(isError))
    yield error('needs-end', found.at, `invalid once \`ttl\` ends ${timed.join(', ')}: ${found.message}`, found.hint);
}

const isError = ({ severity }: Problem): boolean => severity === 'error';

/** One thing that is checked across documents. `today` is a day (2027-01-31): the core knows no clock. */
type Check = (set: SpecSet, today: string) => Iterable<Problem>;

/** The registry of checks. */
export const checks: readonly Check[] = [
  oneEstate,
  uniqueNames,
  references,
  groups,
  groupDocuments,
  groupNames,
  targetFields,
  oneScope,
  addressSpace,
  cloudBlocks,
  subnetFields,
  networkSettings,
  ruleFields,
  oneRule,
  expressible,
  mostRules,
  unmanagedFilters,
  instanceFields,
  cloudNames,
  machineNames,
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
  policyRules,
  prices,
  costLimit,
  exemptions,
  changeWindows,
  lifetimes,
];
