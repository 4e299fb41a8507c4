import { Complaint } from '../complaint.ts';
import type { Context } from '../context.ts';
import type { EstateOptions } from '../estate/options.ts';
import { tellHeldSources } from '../estate/source-words.ts';
import type { Client } from './client.ts';
import type { ServedEstateOption } from './option.ts';
import { planned, type ServerTold, type Told } from './planned.ts';
import { query } from './query.ts';

/** What drifted, as a server tells it by its newest looks. */
export async function driftOn(
  client: Client,
  { estate, target }: ServedEstateOption & Pick<EstateOptions, 'target'>,
  context: Context,
): Promise<Told> {
  const path = `/v1/drift${query({ estate, target })}`;
  const told = await client.ask({ method: 'GET', path }, planned);
  refuseUnknown(target, told, client.url);
  tellHeldSources(told.bound.sources ?? [], context);
  return told;
}

/** A name that is none must not pass for a target in which nothing drifted. */
export function refuseUnknown(asked: readonly string[], { targets }: Pick<ServerTold, 'targets'>, url: string): void {
  const unknown = asked.filter((name) => !targets.includes(name));
  if (unknown.length > 0)
    throw new Complaint(`${url} has no target ${unknown.join(', ')}, or none that you may see.`, {
      next: 'Leave --target away for all that there are.',
    });
}
