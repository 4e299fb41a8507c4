import type { Converged } from '../src/engine/converge.ts';
import { type Shape, specFiles } from './estate/specs.ts';
import { type Figure, type Spoil, spoilNothing } from './figure.ts';
import { openStage, type Stage } from './world/stage.ts';

/** 500 groups, each named by an instance document that asks for none yet, and 20 rules for each. */
export const additions: Shape = {
  networks: 5,
  subnets: 1,
  groups: 100,
  rulesPerGroup: 20,
  machines: { documents: 100, replicas: 0 },
};

/** AuthorizeSecurityGroupIngress: https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-throttling.html#throttling-limits-rate-based */
const budget = { capacity: 50, perSecond: 5 };

/**
 * Rules added to standing groups, in seconds of the sandbox's virtual time, its published budgets full at first and none
 * of them reserved; against the least that the budget allows with one call a group. Asked: at most 1.1 ×, no throttles.
 */
export async function rules10k(shape: Shape = additions, spoil: Spoil = spoilNothing): Promise<readonly Figure[]> {
  const stage = await openStage();
  try {
    console.error('rules-10k: making the groups');
    await converged(stage, { ...shape, rulesPerGroup: 0 });
    await stage.time.run(() => stage.time.clock.sleep(fillingMs));
    stage.sandbox.control.log.clear();
    await spoil(stage.sandbox.control);
    console.error('rules-10k: adding the rules');
    const from = stage.time.clock.now();
    await converged(stage, shape);
    return figuresOf(stage, shape, (stage.time.clock.now() - from) / 1000);
  } finally {
    await stage.close();
  }
}

/** The slowest bucket of all is full again by then. */
const fillingMs = 600_000;

async function converged({ apply, place }: Stage, shape: Shape): Promise<Converged> {
  const end = await apply(specFiles(shape, place));
  if (end.outcome !== 'done') throw new Error(`it ended as ${end.outcome}`);
  return end;
}

function figuresOf({ sandbox: { control }, place }: Stage, shape: Shape, seconds: number): readonly Figure[] {
  const groups = shape.networks * shape.groups;
  const { groups: all, rules } = control.ec2.region(place.account, place.region);
  const ours = [...all.values()].filter(({ name }) => name !== 'default');
  const added = ours.flatMap(({ id }) => [...rules.of(id)]).filter(({ egress }) => !egress).length;
  if (added !== groups * shape.rulesPerGroup) throw new Error(`${added} rules stand, not all`);
  console.error(`rules-10k: ${JSON.stringify(control.log.counts())}`);
  const floor = Math.max(0, groups - budget.capacity) / budget.perSecond;
  const throttles = control.log.entries({ errorCode: 'RequestLimitExceeded' }).length;
  return [
    { name: 'rules-10k', value: seconds, unit: 's of virtual time', floor, ratio: seconds / floor },
    { name: 'rules-10k-throttles', value: throttles, unit: 'calls', floor: 0 },
  ];
}
