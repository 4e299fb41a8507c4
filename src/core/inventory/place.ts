import { prefixIn } from '../address.ts';
import type { PlanInput } from '../plan/plan-input.ts';
import type { Place } from './row.ts';
import type { Subject } from './subjects.ts';

/**
 * Where a subject is: its address says it, or the place that its name takes, or its scope.
 *
 *   text                                    | region
 *   ----------------------------------------+-------------
 *   aws/111122223333/eu-west-1              | eu-west-1
 *   gcp/acme/europe-west1-b/instance/web-0  | europe-west1-b
 *   gcp/acme/global/network/core            | '': global
 *   gcp/acme                                | ''
 */
export function placeOf({ kind, address, observed }: Subject, input: PlanInput): Omit<Place, 'targets'> {
  const { scope } = input.observation;
  const slot = observed?.signs.slot;
  const named = address ?? slot;
  const [, account = ''] = scope.split('/');
  const [, , region = zoneOf(observed?.attributes)] = (named === undefined ? scope : prefixIn(named, kind)).split('/');
  return { scope, cloud: input.dialect.cloud, account, region: region === 'global' ? '' : region, kind };
}

function zoneOf(attributes: object | undefined): string {
  const placement: unknown = attributes && Reflect.get(attributes, 'placement');
  const zone: unknown = Reflect.get(
    typeof placement === 'object' && placement !== null ? placement : (attributes ?? {}),
    'zone',
  );
  return typeof zone === 'string' ? zone : '';
}
