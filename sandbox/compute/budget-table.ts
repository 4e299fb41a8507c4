import type { WindowCharge } from '../budgets.ts';
import type { QuotaGroup } from './method.ts';
import type { Scope } from './records.ts';
import { zoneNamed } from './zones.ts';

/**
 * Google's quota groups, per project and minute, global methods apart from those of each region. Minutes are
 * synchronised to the clock: a limit reached at 10:00:15 is back at 10:01:00.
 * https://docs.cloud.google.com/compute/api-quota names the metrics, but prints no figures any more.
 * https://cloud.google.com/compute/docs/api-rate-limits?hl=zh-CN still gives 1500 a minute for each global group. The same
 * figure for regions is an assumption.
 */
const PER_MINUTE = 1500;

const METRICS: Readonly<
  Record<QuotaGroup, { readonly global: string; readonly regional: string; readonly name: string }>
> = {
  read: { global: 'global_reads', regional: 'reads_per_region', name: 'Read requests' },
  write: { global: 'global_writes', regional: 'writes_per_region', name: 'Write requests' },
  'operation-read': {
    global: 'operation_read_requests',
    regional: 'operation_read_requests_per_region',
    name: 'Operation read requests',
  },
  'operation-wait': {
    global: 'heavy_weight_read_requests',
    regional: 'heavy_weight_read_requests_per_region',
    name: 'Heavy-weight read requests',
  },
};

export interface Demand {
  readonly project: string;
  readonly scope: Scope;
  readonly quota: QuotaGroup;
}

export function chargesOf(demand: Demand): readonly WindowCharge[] {
  const { metric, location } = metricOf(demand);
  const rateLimit = `${demand.project}/${location}/${metric}`;
  return [{ kind: 'window', rateLimit, capacity: PER_MINUTE, windowMs: 60_000, tokens: 1 }];
}

export interface Metric {
  readonly metric: string;
  readonly name: string;
  /** `global` or a region. */
  readonly location: string;
  readonly perMinute: number;
}

export function metricOf({ scope, quota }: Omit<Demand, 'project'>): Metric {
  const { global, regional, name } = METRICS[quota];
  const location = locationOf(scope);
  return { metric: location === 'global' ? global : regional, name, location, perMinute: PER_MINUTE };
}

function locationOf(scope: Scope): string {
  const [kind, place = ''] = scope.split('/');
  if (kind === 'zones') return zoneNamed(place)?.region ?? place;
  return kind === 'regions' ? place : 'global';
}
