import { writesBetween } from './azure-writes.ts';
import { type Figure, type Spoil, spoilNothing } from './figure.ts';

/** Requests that write 1,000 subnets into one VNet that stands. Asked: at most 2. */
export async function subnets1000(subnets = 1000, spoil: Spoil = spoilNothing): Promise<readonly Figure[]> {
  const { writes, subscription } = await writesBetween({ subnets: 0, rules: 0 }, { subnets, rules: 0 }, spoil);
  const all = [...subscription.networks.values()].flatMap((network) => network.subnets);
  const held = all.filter(({ path }) => /\/s\d+$/.test(path)).length;
  if (held !== subnets) throw new Error(`${held} subnets stand, not ${subnets}`);
  return [
    { name: 'subnets-1000', value: writes.length, unit: `writes for ${held} subnets`, floor: 1, ratio: writes.length },
  ];
}
