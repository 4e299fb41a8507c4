import { convergence } from './convergence.ts';
import { countedCost } from './counted-cost.ts';
import { destructiveDrift } from './destructive-drift.ts';
import { emptyTree } from './empty-tree.ts';
import { foreignSafe } from './foreign-safe.ts';
import { held } from './held.ts';
import type { Invariant } from './invariant.ts';
import { ledgerVerifies } from './ledger-verifies.ts';
import { monotone } from './monotone.ts';
import { noDuplicate } from './no-duplicate.ts';
import { noLeak } from './no-leak.ts';
import { noOpening } from './no-opening.ts';
import { noSecret } from './no-secret.ts';
import { noTrafficGap } from './no-traffic-gap.ts';
import { promptStop } from './prompt-stop.ts';
import { samePlan } from './same-plan.ts';
import { singleWriter } from './single-writer.ts';
import { withinBudget } from './within-budget.ts';
import { writeAhead } from './write-ahead.ts';

export const invariants: readonly Invariant[] = [
  noDuplicate,
  noLeak,
  writeAhead,
  foreignSafe,
  monotone,
  singleWriter,
  convergence,
  withinBudget,
  ledgerVerifies,
  noSecret,
  emptyTree,
  samePlan,
  noTrafficGap,
  noOpening,
  destructiveDrift,
  promptStop,
  held,
  countedCost,
];
