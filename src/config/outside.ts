import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { loadProvider } from '../../providers/index.ts';
import { dayOf } from '../core/render/wording.ts';
import type { Outside } from '../fleet/worker-context.ts';
import type { Clock } from '../ports/clock.ts';
import type { Secrets } from '../ports/secrets.ts';
import { parseKeptAside } from '../source/kept-tree.ts';

/** The ways out of this process. `as`: what others see who wait for its leases: worker, API. */
export const outsideOf = (
  as: string,
  allowEndpoint: boolean,
  { clock, secrets }: { readonly clock: Clock; readonly secrets: Secrets },
): Outside => ({
  cloud: loadProvider,
  specs: (kept, revision) => parseKeptAside(kept, revision, dayOf(clock.now())),
  secrets,
  allowEndpoint,
  // why: in containers every host has the same name and every process is the first
  holder: `${as}@${hostname()} (process ${process.pid}, ${randomUUID().slice(0, 8)})`,
});
