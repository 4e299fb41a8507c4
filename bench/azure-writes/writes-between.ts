import { azure } from '../../providers/azure/index.ts';
import type { Subscription } from '../../sandbox/arm/subscription.ts';
import type { Logged } from '../../sandbox/request-log.ts';
import type { Spoil } from '../figure.ts';
import { type Ground, openStage, type Stage } from '../virtual/stage.ts';
import { type NetworkShape, networkSpecs } from './network-specs.ts';

const account = '0b1f6471-1bf0-4dda-aec3-cb9272f09590';
const ground: Ground = { provider: azure, account, region: 'westeurope' };

export interface Written {
  /** Mutating requests that were sent once the first shape stood. */
  readonly writes: readonly Logged[];
  /** As it truly is at the end. */
  readonly subscription: Subscription;
}

/** Converges a network to one shape and then to another, with all budgets on; each time to the end. */
export async function writesBetween(first: NetworkShape, then: NetworkShape, spoil: Spoil): Promise<Written> {
  const stage = await openStage({ arm: { subscriptions: [account] } }, ground);
  const { control } = stage.sandbox;
  try {
    await converged(stage, first);
    control.log.clear();
    await spoil(control);
    await converged(stage, then);
    const writes = control.log.entries({ mutating: true });
    console.error(`writes: ${JSON.stringify(control.log.counts())}`);
    return { writes, subscription: control.arm.subscription(account) };
  } finally {
    await stage.close();
  }
}

async function converged({ apply, place }: Stage, shape: NetworkShape): Promise<void> {
  const { outcome, last } = await apply(networkSpecs(shape, place));
  const left = last?.plan.actions.length ?? -1;
  if (outcome !== 'done' || left !== 0) throw new Error(`it ended as ${outcome}, with ${left} actions left`);
}
