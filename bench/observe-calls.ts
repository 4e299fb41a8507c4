import { join } from 'node:path';
import { type Sandbox, startSandbox } from '../sandbox/index.ts';
import { compiled } from './estate/compiled.ts';
import { bootScript, type Place, type Shape, specFiles } from './estate/specs.ts';
import { standing } from './estate/standing.ts';
import { type Figure, type Spoil, spoilNothing } from './figure.ts';
import { listingsFloor } from './observe-calls/listings.ts';
import { inScratch, writeFiles } from './process/scratch.ts';
import { expectCode, planned, setpoint } from './process/setpoint.ts';

/** 10,000 instances, 10,000 subnets, 10,000 rules in 500 groups. */
export const observed: Shape = {
  networks: 50,
  subnets: 200,
  groups: 10,
  rulesPerGroup: 20,
  machines: { documents: 4, replicas: 50, furnished: true },
  internet: true,
};

const place: Omit<Place, 'endpoint'> = {
  account: '111122223333',
  region: 'eu-west-1',
  image: 'ami-0abcdef1234567890',
};

/**
 * Calls that `setpoint plan` makes to look at a whole scope that stands as wanted, from the sandbox's own log, against what
 * paging through every listing takes. Asked: at most the floor, with no throttle answered.
 */
export async function observeCalls(shape: Shape = observed, spoil: Spoil = spoilNothing): Promise<readonly Figure[]> {
  const sandbox = await startSandbox();
  try {
    await inScratch(async (cwd) => planEmpty(sandbox, { shape, spoil, cwd }));
    return [figureOf(sandbox)];
  } finally {
    await sandbox.close();
  }
}

interface Scene {
  readonly shape: Shape;
  readonly spoil: Spoil;
  readonly cwd: string;
}

/** Everything stands before the plan, marked as ours, so that whatever is not seen shows as something to do. */
async function planEmpty({ url, control }: Sandbox, { shape, spoil, cwd }: Scene): Promise<void> {
  const files = specFiles(shape, { ...place, endpoint: url });
  const { desired } = compiled(files).wanted;
  control.ec2.load(standing(desired, { ...place, estate: 'bench', store: 'an-earlier-store' }));
  await spoil(control);
  await writeFiles(join(cwd, 'specs'), [...files, bootScript]);
  console.error(`observe-calls: planning ${desired.length} resources and atoms`);
  const ended = await setpoint(['plan', '--allow-endpoint', '--json'], { cwd });
  const { summary, actions } = planned(expectCode(ended, 0, 'setpoint plan'));
  const todo = actions.length + summary.blocked + summary.withheld + summary.orphan;
  if (todo > 0) throw new Error(`all stands as wanted, and yet: ${JSON.stringify(summary)} ${actions[0]?.address}`);
}

function figureOf({ control: { log, ec2 } }: Sandbox): Figure {
  const entries = log.entries();
  const refused = entries.filter(({ status }) => status !== 200);
  if (refused.length > 0) throw new Error(`${refused.length} calls were refused, first ${refused[0]?.errorCode}`);
  if (entries.some(({ mutating }) => mutating)) throw new Error('a plan wrote');
  const floor = listingsFloor(ec2.region(place.account, place.region));
  console.error(`observe-calls: ${JSON.stringify(log.counts())}`);
  return { name: 'observe-calls', value: entries.length, unit: 'calls', floor, ratio: entries.length / floor };
}
