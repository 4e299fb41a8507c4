import type { Route, RouteTable } from './records.ts';
import type { Region } from './region.ts';

/** A route whose target is gone, or no longer attached here, stays and swallows what it matches. */
export function routeState(region: Region, table: RouteTable, route: Route): 'active' | 'blackhole' {
  if (route.target === 'local') return 'active';
  const alive = route.target.startsWith('eni-')
    ? region.interfaces.get(route.target)?.attachment
    : region.gateways.get(route.target)?.vpcId === table.vpcId;
  return alive ? 'active' : 'blackhole';
}
