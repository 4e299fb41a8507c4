import { randomUUID } from 'node:crypto';
import type { ScopePlan } from '../../core/action.ts';
import { planDigest } from '../../core/digest.ts';
import type { Kind } from '../../core/resource.ts';
import { sha256 } from '../../estate/sha256.ts';
import type { Approval } from '../../ports/fleet-state.ts';
import type { RequiredApproval, ShownRefusal } from '../../ports/queries.ts';
import { exitCodes, UserError } from '../errors.ts';
import type { EstateOptions } from '../options.ts';
import type { PendingApprovals } from '../output/approval-text.ts';
import { ApiError } from './api-error.ts';
import { type ApiClient, queryString } from './client.ts';
import { DecodeError, type Decoder, decode } from './decode.ts';
import { decodePlan } from './plans.ts';
import type { ServerEstateOption } from './server-option.ts';

/**
 * Pending approvals of a server. `unseen`: reasons that the list is incomplete. `refused`: the reason that the caller may not
 * approve.
 */
interface ServerPendingApprovals {
  readonly offer: PendingApprovals;
  readonly unseen: readonly ScopePlan[];
  readonly refused?: string;
  readonly authorsUnknown: boolean;
}

type Asked = ServerEstateOption &
  Pick<EstateOptions, 'target'> & { readonly address?: string | undefined; readonly breakGlass?: boolean | undefined };

export async function fetchPendingApprovals(
  client: ApiClient,
  { estate, target, address, breakGlass }: Asked,
): Promise<ServerPendingApprovals> {
  const path = `/v1/approvals${queryString({ estate, target, address, ...(breakGlass === true ? { breakGlass: 'true' } : {}) })}`;
  return client.request({ method: 'GET', path }, decodePending);
}

const requiredObject = decode.object({
  address: decode.string,
  action: decode.oneOf('create', 'update', 'replace', 'delete', 'adopt', 'forget'),
  digest: decode.string,
  people: decode.number,
  role: decode.optional(decode.string),
  reason: decode.string,
  approvals: decode.list(decode.object({ actor: decode.string, until: decode.timestamp })),
});

const decodeRequired: Decoder<RequiredApproval> = (value, at) => {
  const { action: verb, role, approvals, ...rest } = requiredObject(value, at);
  const by = approvals.map(({ actor: person, until }) => ({ person, until }));
  return { ...rest, verb, by, ...(role === undefined ? {} : { role }) };
};

const refusalObject = decode.object({
  scope: decode.string,
  seq: decode.optional(decode.number),
  generation: decode.number,
  digest: decode.optional(decode.string),
  actions: decode.list(decode.string),
  actor: decode.string,
  reason: decode.optional(decode.string),
  at: decode.timestamp,
});

const decodeRefusal =
  (estate: string): Decoder<ShownRefusal> =>
  (value, at) => {
    const { actor: person, reason, seq, digest, ...refusal } = refusalObject(value, at);
    const by = { person, ...(reason === undefined ? {} : { reason }) };
    const whole = { ...(seq === undefined ? {} : { seq }), ...(digest === undefined ? {} : { digest }) };
    return { estate, ...refusal, ...whole, by };
  };

const waiting = decode.object({
  required: decode.list(decodeRequired),
  generation: decode.number,
  digest: decode.string,
  unapproved: decode.number,
  authors: decode.object({ denialReason: decode.optional(decode.string), unknown: decode.boolean }),
  scopes: decode.list(
    decode.object({
      scope: decode.string,
      observed: decode.object({
        gaps: decode.list(decode.object({ kind: decode.string, code: decode.string, reason: decode.string })),
      }),
    }),
  ),
});

const decodePending: Decoder<ServerPendingApprovals> = (value, at) => {
  const { bound, plans } = decodePlan(value, at);
  const { generation, digest, unapproved: free, authors, scopes, required } = waiting(value, at);
  const { refusals, refusalsTruncated = false } = decode.object({
    refusals: decode.list(decodeRefusal(bound.estate)),
    refusalsTruncated: decode.optional(decode.boolean),
  })(value, at);
  // why: the word of a person is bound to what they are shown, and not to what somebody says that they were
  if (planDigest(plans, sha256) !== digest) throw new DecodeError(`${at}.digest`, 'the digest of its actions');
  return {
    offer: {
      ...{ estate: bound.estate, revision: bound.revision, plans, free, digest, generation, required },
      ...{ refusals, refusalsTruncated },
    },
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
    refused: authors.denialReason,
    authorsUnknown: authors.unknown,
  };
};

const decodeApproval: Decoder<Approval> = (value, at) => {
  const { actor, reason, destructiveCount, createCount, closureCount, executed, ...given } = outside(value, at);
  const { authorsUnknown, onStore, roles = [], breakGlass, ...rest } = given;
  return {
    ...{ ...rest, destroys: destructiveCount, ran: executed },
    ...(createCount === undefined ? {} : { creates: createCount }),
    ...(closureCount === undefined ? {} : { closures: closureCount }),
    by: { person: actor, reason, ...(authorsUnknown === true ? { authorsUnknown } : {}) },
    // why: a server answers neither the names of a credential nor the actions that a role covers
    ...(onStore ? {} : { approver: { names: [], roles: Object.fromEntries(roles.map((role) => [role, []])) } }),
    ...(breakGlass === true ? { breakGlass } : {}),
  };
};

const outside = decode.object({
  estate: decode.string,
  scope: decode.string,
  seq: decode.number,
  generation: decode.number,
  digest: decode.string,
  actions: decode.list(decode.string),
  destructiveCount: decode.number,
  createCount: decode.optional(decode.number),
  closureCount: decode.optional(decode.number),
  executed: decode.number,
  authorsUnknown: decode.optional(decode.boolean),
  onStore: decode.boolean,
  roles: decode.optional(decode.list(decode.string)),
  breakGlass: decode.optional(decode.boolean),
  actor: decode.string,
  reason: decode.string,
  until: decode.timestamp,
});

interface ApprovalRequest extends Asked {
  readonly digest: string;
  readonly reason: string;
  readonly expiresMs: number;
}

const decodeWithdrawn = decode.object({ estate: decode.string, approval: decodeApproval, inFlight: decode.number });

export const withdrawOnServer = (
  client: ApiClient,
  body: ServerEstateOption & { readonly seq: number; readonly reason: string },
): Promise<ReturnType<typeof decodeWithdrawn>> =>
  client.request({ method: 'POST', path: '/v1/approvals/withdraw', body, key: randomUUID() }, decodeWithdrawn);

/** Records that the caller refuses exactly that. Who may not is refused as by a limit. */
export async function refuseOnServer(
  client: ApiClient,
  { target, address, breakGlass, ...word }: Omit<ApprovalRequest, 'expiresMs'>,
): Promise<readonly ShownRefusal[]> {
  const body = { ...word, ...partOf({ target, address, breakGlass }) };
  const given = decode.object({ refusals: decode.list(decodeRefusal(word.estate ?? '')) });
  const path = '/v1/approvals/refuse';
  const send = client.request({ method: 'POST', path, body, key: randomUUID() }, given);
  return (await send.catch(refusedWith('Nothing was refused.'))).refusals;
}

/** The part of the pending actions, as the body of a decision has it. */
const partOf = ({ target, address, breakGlass }: Pick<Asked, 'target' | 'address' | 'breakGlass'>): object => ({
  ...(target.length === 0 ? {} : { targets: target }),
  ...(address === undefined ? {} : { address }),
  ...(breakGlass === true ? { breakGlass } : {}),
});

const refusedWith =
  (message: string) =>
  (error: unknown): never => {
    if (!(error instanceof ApiError) || error.status !== 403) throw error;
    throw new UserError(message, { ...error.details, code: exitCodes.refused, cause: error });
  };

/** `missing`: requirements that they do not meet. */
export interface GivenApprovals {
  readonly given: readonly Approval[];
  readonly missing: readonly RequiredApproval[];
}

/** Lets exactly that reconcile. Who may not is refused as by a limit. */
export async function approveOnServer(client: ApiClient, approval: ApprovalRequest): Promise<GivenApprovals> {
  const { estate, target, address, breakGlass, digest, reason, expiresMs } = approval;
  const expiresInSeconds = Math.ceil(expiresMs / 1000);
  const body = { estate, digest, reason, expiresInSeconds, ...partOf({ target, address, breakGlass }) };
  const given = decode.object({ approvals: decode.list(decodeApproval), missing: decode.list(decodeRequired) });
  const path = '/v1/approvals';
  const send = client.request({ method: 'POST', path, body, key: randomUUID() }, given);
  const { approvals, missing } = await send.catch(refusedWith('Nothing was approved.'));
  return { given: approvals, missing };
}
