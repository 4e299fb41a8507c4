import type { Desired } from '../../core/desired.ts';
import type { Explanation, ModeReason, Origin, Ownership } from '../../core/inventory/ownership.ts';
import type { HeldSource } from '../../core/render/plan-json.ts';
import type { Address } from '../../core/resource.ts';
import { printable } from '../../core/text.ts';
import { Complaint } from '../complaint.ts';
import type { Client } from './client.ts';
import type { ServedEstateOption } from './option.ts';
import { query } from './query.ts';
import { Refused } from './refusal.ts';
import { action, finding, heldSource, toldBy } from './told.ts';
import { want } from './want.ts';

export interface ExplanationTold {
  readonly explanation: Explanation;
  readonly sources: readonly HeldSource[] | undefined;
}

const ownership = toldBy<Ownership>(
  want.object({ scope: want.text, observed: want.trusted(), claim: want.text, why: want.text }),
);

const answer = want.object({
  address: want.text,
  wanted: want.list(want.trusted<Desired>()),
  origins: want.list(want.trusted<Origin>()),
  mode: want.maybe(want.trusted<ModeReason>()),
  there: want.list(ownership),
  actions: want.list(action),
  findings: want.list(finding),
  sources: want.maybe(want.list(heldSource)),
});

/** All about one resource, as a server tells it by its newest looks. */
export async function explanationOn(
  client: Client,
  of: string,
  { estate }: ServedEstateOption,
): Promise<ExplanationTold> {
  const path = `/v1/explanations/${of.split('/').map(encodeURIComponent).join('/')}${query({ estate })}`;
  try {
    const { sources, mode, ...explanation } = await client.ask({ method: 'GET', path }, answer);
    return { explanation: { ...explanation, mode }, sources };
  } catch (error) {
    throw error instanceof Refused ? severalOf(of, error) : error;
  }
}

/** The whole address of what a person names by its end. */
export const addressOn = async (client: Client, given: string, asked: ServedEstateOption): Promise<Address> =>
  (await explanationOn(client, given, asked)).explanation.address;

/** A name that may be one of several is told as it is from here. */
function severalOf(given: string, refused: Refused): Complaint {
  try {
    const { addresses } = several(refused.problem.body, 'it');
    return new Complaint(`"${given}" may be one of ${addresses.length}.`, {
      next: `Write one of them whole:\n${printable(addresses).join('\n')}`,
    });
  } catch {
    return refused;
  }
}

const several = want.object({ addresses: want.list(want.text) });
