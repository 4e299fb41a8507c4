/**
 * Checks a size for instance store volumes, which a stop empties
 * (https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instance-store-lifetime.html). DescribeInstances does not list them, so the
 * name of the size decides. Undefined: unknown; it may have some.
 *
 *   size                                        | instance store
 *   --------------------------------------------+-----------------------------------------------------------
 *   `d` behind the generation: m5d, c6gd, p4d   | yes: https://docs.aws.amazon.com/ec2/latest/instancetypes/instance-type-names.html
 *   storage optimized: i*, is*, im*, d*, h1     | yes: https://docs.aws.amazon.com/ec2/latest/instancetypes/so.html
 *   t*, a1, mac*, u-*; c, m, r from 4 on        | no: https://docs.aws.amazon.com/ec2/latest/instancetypes/gp.html, co.html, mo.html
 *   all others (x1, g5, trn1, c3, …)            | some have, so it is not known
 */
export function hasInstanceStore(size: string): boolean | undefined {
  const [family = ''] = size.split('.');
  if (/^(?:mac|u-|t\d|a1$)/.test(family)) return false;
  const [, series = '', generation = '', options = ''] = /^([a-z]+)(\d+)([a-z]*)/.exec(family) ?? [];
  if (/^(?:i|is|im|d|h)$/.test(series) || options.includes('d')) return true;
  return /^[cmr]$/.test(series) && Number(generation) >= 4 ? false : undefined;
}
