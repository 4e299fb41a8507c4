import type { Finding } from '../../../src/core/action.ts';
import { isAddress } from '../../../src/core/resource.ts';
import type { PlannedObservation } from '../../../src/engine/converge.ts';

/** What is left to do or to tell, a line each: `update instance/web-0`, `blocked name-taken network/core`. */
export function leftOf(last: PlannedObservation | undefined): readonly string[] {
  if (!last) return ['nothing was seen'];
  const { actions, findings } = last.plan;
  return [
    ...actions.map(({ verb, address }) => `${verb} ${short(address)}`),
    ...findings.map((one) => [one.type, ...('code' in one ? [one.code] : []), short(aboutOf(one))].join(' ')),
  ];
}

function aboutOf(finding: Finding): string {
  if ('address' in finding) return finding.address;
  return 'id' in finding ? finding.id : finding.why;
}

/** Its kind and its name; a cloud's own id as it is. */
const short = (about: string): string => (isAddress(about) ? about.split('/').slice(-2).join('/') : about);
