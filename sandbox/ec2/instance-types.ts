import { refused } from './errors.ts';

/** The families that a region of the sandbox has: https://docs.aws.amazon.com/ec2/latest/instancetypes/instance-types.html */
const FAMILIES: ReadonlySet<string> = new Set(
  't1 t2 t3 t3a t4g m1 m3 m4 m5 m5a m6a m6g m6i m7a m7g m7i c1 c3 c4 c5 c5a c6a c6g c6i c7a c7g c7i r3 r4 r5 r5a r6a r6g r6i r7g r7i x1 x1e i2 i3 i4i d2 d3 g4dn g5 p3 p4d p5 inf2'.split(
    ' ',
  ),
);

/** "not all instance types are available in every zone"; here the rare ones are in the first zone alone: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instance-discovery.html */
const FIRST_ZONE_ALONE: ReadonlySet<string> = new Set(['p3', 'p4d', 'p5', 'x1e', 'inf2']);

const SIZES = 'nano micro small medium large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge metal'.split(
  ' ',
);

/** Every type that the sandbox knows. */
export const TYPES: readonly string[] = [...FAMILIES].flatMap((family) => SIZES.map((size) => `${family}.${size}`));

const known: ReadonlySet<string> = new Set(TYPES);

const familyOf = (type: string): string => type.slice(0, type.indexOf('.'));

/** Zones of `zones` that offer the type; none where nobody knows it. */
export function zonesOffering(type: string, zones: readonly string[]): readonly string[] {
  if (!known.has(type)) return [];
  return FIRST_ZONE_ALONE.has(familyOf(type)) ? zones.slice(0, 1) : zones;
}

/** EC2's default is m1.small: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_RunInstances.html */
export function checkedType(type = 'm1.small'): string {
  if (!known.has(type)) throw refused('InvalidParameterValue', `Invalid value '${type}' for InstanceType.`);
  return type;
}

/** https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html: Unsupported */
export function checkOffered(type: string, zone: string, zones: readonly string[]): void {
  const offering = zonesOffering(type, zones);
  if (offering.includes(zone)) return;
  throw refused(
    'Unsupported',
    `Your requested instance type (${type}) is not supported in your requested Availability Zone (${zone}). Please retry your request by not specifying an Availability Zone or choosing ${offering.join(', ')}.`,
  );
}

/** "burstable performance instances are the T4g, T3a, T3, and T2 instance types": https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/burstable-performance-instances.html */
export const isBurstable = (type: string): boolean => /^t(?:2|3a?|4g)\./.test(type);

/**
 * The credit option: "Default: standard (T2 instances) or unlimited (T3/T3a/T4g instances)". Undefined for other types.
 * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreditSpecificationRequest.html
 */
export function checkedCredits(type: string, asked?: string): string | undefined {
  if (asked !== undefined && asked !== 'standard' && asked !== 'unlimited')
    throw refused('InvalidParameterValue', `Invalid value '${asked}' for CpuCredits.`);
  if (!isBurstable(type)) {
    if (asked === undefined) return undefined;
    throw refused('InvalidParameterCombination', `The CPU credit option is not supported for ${type}.`);
  }
  return asked ?? (type.startsWith('t2.') ? 'standard' : 'unlimited');
}
