import type { Figure } from '../bench/figure.ts';
import { deadAtBoot } from './dead-at-boot.ts';
import { fullDisk, fullRedis } from './full.ts';
import { held } from './held.ts';
import { kill } from './kill.ts';
import { paused } from './paused.ts';
import { random } from './random.ts';
import { restarts } from './restarts.ts';
import { silentLink } from './silent-link.ts';
import { skew } from './skew.ts';
import { takeover } from './takeover.ts';

/** The short form of each, for a machine that is shared: what is timed is told under another name and not judged, or has long. */
export async function ci(): Promise<readonly Figure[]> {
  const figures = [
    ...(await kill(['--fewer', '--at-once', '6'])),
    ...(await random(['--kills', '8', '--resources', '100'])),
    ...(await restarts(['--times', '1', '--within', '300'])),
    ...(await paused(['--times', '1'])),
    ...(await silentLink(['--times', '1'])),
    ...(await held(['--times', '1', '--watch-ms', '5000', '--only', 'estate'])),
    ...(await skew(['--times', '1', '--lag-ms', '10000', '--lost', 'CreateInternetGateway,RunInstances'])),
    ...(await deadAtBoot(['--only', 'dies', '--watch-ms', '5000'])),
    ...(await fullDisk(['--times', '1'])),
    ...(await fullRedis(['--times', '1'])),
    ...(await takeover(['--kills', '2', '--fleets', '1'])),
  ];
  return figures.map((figure) => (figure.unit === 's' ? { ...figure, name: `${figure.name}-here` } : figure));
}
