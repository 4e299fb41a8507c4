import type { Figure } from './figure.ts';

/** The most that a figure may be, in its own unit or over its floor. */
export interface Bound {
  readonly of: 'value' | 'ratio';
  readonly most: number;
}

/** What is asked of each figure. One that is not named here is told and not judged. */
export const bounds: Readonly<Record<string, Bound>> = {
  'observe-calls': { of: 'ratio', most: 1 },
  'observe-calls-gcp': { of: 'ratio', most: 1 },
  'observe-calls-azure': { of: 'ratio', most: 1 },
  'second-pass': { of: 'value', most: 0 },
  'rules-10k': { of: 'ratio', most: 1.1 },
  'rules-10k-throttles': { of: 'value', most: 0 },
  'growth-limiter': { of: 'value', most: 1.15 },
  'growth-order': { of: 'value', most: 1.15 },
  'growth-order-waits': { of: 'value', most: 40 },
  makespan: { of: 'value', most: 1 },
  'nsg-1000': { of: 'value', most: 2 },
  'subnets-1000': { of: 'value', most: 2 },
  'scopes-1000': { of: 'value', most: 180 },
  'plan-100k': { of: 'ratio', most: 2 },
  'plan-100k-peak': { of: 'value', most: 512 },
  'vs-terraform-plan-calls': { of: 'value', most: 8 },
  'vs-terraform-plan-peak': { of: 'value', most: 250 },
  'vs-terraform-create-calls': { of: 'value', most: 175 },
  'cold-plan-aws': { of: 'ratio', most: 1.5 },
  'cold-plan-gcp': { of: 'ratio', most: 1.5 },
  'cold-plan-azure': { of: 'ratio', most: 1.5 },
  'unchanged-world': { of: 'value', most: 0 },
  'second-store': { of: 'value', most: 0 },
  'lost-store': { of: 'value', most: 0 },
  'two-fleets': { of: 'value', most: 0 },
  'two-fleets-aws': { of: 'value', most: 0 },
  'same-start': { of: 'value', most: 0 },
  'fleet-budget-ec2-over': { of: 'value', most: 0 },
  'fleet-budget-ec2-unused': { of: 'value', most: 5 },
  'fleet-budget-ec2-behind': { of: 'value', most: 50 },
  'fleet-budget-gcp-over': { of: 'value', most: 0 },
  'fleet-budget-gcp-unused': { of: 'value', most: 5 },
  'fleet-budget-gcp-behind': { of: 'value', most: 50 },
  'throttle-storm': { of: 'ratio', most: 1.3 },
  'throttle-storm-failed': { of: 'value', most: 0 },
  'throttle-storm-twice': { of: 'value', most: 0 },
  'throttle-storm-recovery': { of: 'value', most: 60 },
  'commit-to-converged': { of: 'value', most: 5 },
  'commit-to-converged-polled': { of: 'value', most: 5 },
  'event-to-heal': { of: 'value', most: 3 },
  preempt: { of: 'value', most: 5 },
  normalisation: { of: 'value', most: 0 },
  sse: { of: 'value', most: 0 },
  'sse-latency': { of: 'value', most: 500 },
  'sse-memory': { of: 'value', most: 5 },
  'sse-resident': { of: 'value', most: 10 },
  'hostile-events': { of: 'value', most: 0 },
  'hostile-events-valid': { of: 'value', most: 1 },
  'hostile-spec-requests': { of: 'value', most: 0 },
  'hostile-spec-values': { of: 'value', most: 0 },
  'hostile-spec-planned': { of: 'value', most: 0 },
  'loop-delay': { of: 'value', most: 50 },
  'hostile-git': { of: 'value', most: 0 },
  'hostile-git-taken': { of: 'value', most: 0 },
  tokens: { of: 'value', most: 0 },
  secrets: { of: 'value', most: 0 },
  'api-100k-page': { of: 'ratio', most: 3 },
  'api-100k-page-ms': { of: 'value', most: 25 },
  'api-100k-text': { of: 'value', most: 60 },
  'api-100k-one': { of: 'value', most: 15 },
  'api-100k-as-of': { of: 'ratio', most: 2 },
  'fuzz-specs': { of: 'value', most: 0 },
  kill: { of: 'value', most: 0 },
  takeover: { of: 'value', most: 15 },
  restarts: { of: 'value', most: 0 },
  paused: { of: 'value', most: 0 },
  'silent-link': { of: 'value', most: 0 },
  'dead-at-boot': { of: 'value', most: 0 },
  'dead-at-boot-first-write': { of: 'value', most: 15 },
  held: { of: 'value', most: 0 },
  'held-first-write': { of: 'value', most: 15 },
  skew: { of: 'value', most: 0 },
  'full-disk': { of: 'value', most: 0 },
  'full-disk-first-write': { of: 'value', most: 15 },
  'full-disk-not-ready': { of: 'value', most: 10 },
  'full-redis': { of: 'value', most: 0 },
  'full-redis-first-write': { of: 'value', most: 15 },
  'full-redis-not-ready': { of: 'value', most: 10 },
  'random-kills': { of: 'value', most: 0 },
  'fuzz-specs-slowest': { of: 'value', most: 250 },
};

/** Why the figure is not what was asked; undefined where it is, or nothing is asked. */
export function missed(figure: Figure, bound = bounds[figure.name]): string | undefined {
  if (bound === undefined) return undefined;
  const got = figure[bound.of];
  if (got !== undefined && got <= bound.most) return undefined;
  return `${figure.name}: ${bound.of} ${got} is over ${bound.most}`;
}
