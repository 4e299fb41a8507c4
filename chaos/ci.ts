import type { Figure } from '../bench/figure.ts';
import { kill } from './kill.ts';
import { random } from './random.ts';
import { restarts } from './restarts.ts';
import { takeover } from './takeover.ts';

/** The short form of each, for a machine that is shared: what is timed is told under another name and not judged, or has long. */
export async function ci(): Promise<readonly Figure[]> {
  const figures = [
    ...(await kill(['--fewer', '--at-once', '6'])),
    ...(await random(['--kills', '8', '--resources', '100'])),
    ...(await restarts(['--times', '1', '--within', '300'])),
    ...(await takeover(['--kills', '2', '--fleets', '1'])),
  ];
  return figures.map((figure) => (figure.unit === 's' ? { ...figure, name: `${figure.name}-here` } : figure));
}
