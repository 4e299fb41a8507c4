import { randomUUID } from 'node:crypto';
import type { ScopePlan } from '../../core/action.ts';
import { planDigest } from '../../core/digest.ts';
import type { Kind } from '../../core/resource.ts';
import { sha256 } from '../../estate/sha256.ts';
import type { Approval } from '../../ports/fleet-state.ts';
import { Complaint } from '../complaint.ts';
import type { EstateOptions } from '../estate/options.ts';
import { exitCodes } from '../exit-code.ts';
import type { Offer } from '../output/approval-text.ts';
import type { Client } from './client.ts';
import type { ServedEstateOption } from './option.ts';
import { planned } from './planned.ts';
import { query } from './query.ts';
import { Refused } from './refusal.ts';
import { Unexpected, type Want, want } from './want.ts';

/** What waits on a server. `unseen`: what keeps it from being the whole truth. `refused`: why whoever asks may not let it pass. */
export interface ServerOffer {
  readonly offer: Offer;
  readonly unseen: readonly ScopePlan[];
  readonly refused?: string;
  readonly authorsUnknown: boolean;
}

type Asked = ServedEstateOption & Pick<EstateOptions, 'target'> & { readonly address?: string | undefined };

export async function offerOn(client: Client, { estate, target, address }: Asked): Promise<ServerOffer> {
  const path = `/v1/approvals${query({ estate, target, address })}`;
  return client.ask({ method: 'GET', path }, offered);
}

const waiting = want.object({
  generation: want.number,
  digest: want.text,
  free: want.number,
  authors: want.object({ refused: want.maybe(want.text), unknown: want.truth }),
  scopes: want.list(
    want.object({
      scope: want.text,
      observed: want.object({
        gaps: want.list(want.object({ kind: want.text, code: want.text, reason: want.text })),
      }),
    }),
  ),
});

const offered: Want<ServerOffer> = (value, at) => {
  const { bound, plans } = planned(value, at);
  const { generation, digest, free, authors, scopes } = waiting(value, at);
  // why: the word of a person is bound to what they are shown, and not to what somebody says that they were
  if (planDigest(plans, sha256) !== digest) throw new Unexpected(`${at}.digest`, 'that of its actions');
  return {
    offer: { estate: bound.estate, revision: bound.revision, plans, free, digest, generation },
    unseen: scopes.map(({ scope, observed }) => ({
      scope,
      actions: [],
      findings: observed.gaps.map(({ kind, code, reason }) => ({
        type: 'incomplete' as const,
        kind: kind as Kind, // why: shown by its name only
        code,
        scope,
        why: `${kind}: ${reason}`,
      })),
      calls: { observed: 0, predicted: 0 },
    })),
    ...(authors.refused === undefined ? {} : { refused: authors.refused }),
    authorsUnknown: authors.unknown,
  };
};

const approval: Want<Approval> = (value, at) => {
  const { person, reason, ...given } = outside(value, at);
  return { ...given, by: { person, reason } };
};

const outside = want.object({
  estate: want.text,
  scope: want.text,
  seq: want.number,
  generation: want.number,
  digest: want.text,
  actions: want.list(want.text),
  destroys: want.number,
  ran: want.number,
  person: want.text,
  reason: want.text,
  until: want.moment,
});

export interface ApprovalWish extends Asked {
  readonly digest: string;
  readonly reason: string;
  readonly expiresMs: number;
}

const withdrawn = want.object({ estate: want.text, approval, onTheWay: want.number });

export const withdrawOn = (
  client: Client,
  body: ServedEstateOption & { readonly seq: number; readonly reason: string },
): Promise<ReturnType<typeof withdrawn>> =>
  client.ask({ method: 'POST', path: '/v1/approvals/withdraw', body, key: randomUUID() }, withdrawn);

/** Lets exactly that pass. Who may not is refused as by a limit. */
export async function approveOn(client: Client, wish: ApprovalWish): Promise<readonly Approval[]> {
  const { estate, target, address, digest, reason, expiresMs } = wish;
  const targets = target.length === 0 ? {} : { targets: target };
  const named = address === undefined ? {} : { address };
  const body = { estate, digest, reason, expiresInSeconds: Math.ceil(expiresMs / 1000), ...targets, ...named };
  const given = want.object({ approvals: want.list(approval) });
  try {
    const path = '/v1/approvals';
    return (await client.ask({ method: 'POST', path, body, key: randomUUID() }, given)).approvals;
  } catch (error) {
    if (!(error instanceof Refused) || error.status !== 403) throw error;
    throw new Complaint('Nothing was approved.', { ...error.advice, code: exitCodes.refused, cause: error });
  }
}
