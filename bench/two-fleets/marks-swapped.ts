import type { Draw } from '../../test/simulation/draw.ts';
import type { Account } from './fleet.ts';

/** For some minutes one object of each of two owners, of one type, bears the other's mark. `ids`: what each owner has. */
export async function marksSwapped(
  { clock, cloud }: Account,
  ids: readonly (readonly string[])[],
  draw: Draw,
): Promise<void> {
  const type = draw.pick(['network', 'subnet', 'group', 'instance']);
  const [one, other] = ids.map((own) =>
    draw.pick(cloud.inspect.live().filter((each) => each.type === type && own.includes(each.id))),
  );
  if (!one || !other) return;
  const restore = [one, other].map(({ id, record: { tags } }) => [id, { ...tags }] as const);
  cloud.outside.stamp(one.id, other.record.tags);
  cloud.outside.stamp(other.id, restore[0]?.[1] ?? {});
  await clock.sleep(draw.int(300_000));
  const live = new Set(cloud.inspect.live().map(({ id }) => id));
  for (const [id, tags] of restore) if (live.has(id)) cloud.outside.stamp(id, tags);
}
