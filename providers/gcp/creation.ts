import type { Failure, Result } from '../../src/core/failure.ts';
import type { Mark, Observed } from '../../src/core/observed.ts';
import type { CloudId, Kind } from '../../src/core/resource.ts';
import type { Call, Creation } from '../../src/ports/provider.ts';
import { each } from '../shared/each.ts';
import { type Named, numberOf } from './cloud-id.ts';
import { isSameTry } from './marks.ts';
import type { Operation } from './messages.ts';
import { settle } from './operations.ts';
import { requestId } from './request-id.ts';
import type { Scope } from './scope.ts';

/** The creation of one kind. */
export interface Making<K extends Kind, T extends Named> {
  /** The path of the new object: `projects/acme/global/networks/core`. */
  path(item: Creation<K>): string;
  insert(item: Creation<K>, requestId: string): Promise<Result<Operation>>;
  /** The existing object of that name. */
  get(item: Creation<K>): Promise<Result<T>>;
  markOf(existing: T): Mark | undefined;
  /** As it was asked for, which is how it was made. */
  made(item: Creation<K>, id: CloudId): Observed<K>;
}

/**
 * Makes each of a batch, side by side, and awaits them together. A name is taken once, and a request that comes again with its
 * id answers the first one's operation; so a request that is sent twice creates one resource.
 *
 *   answer                                   | result
 *   -----------------------------------------+------------------------------------------------------
 *   the operation ends                       | the requested resource, with its new number
 *   the name is taken, with this try's mark  | what stands
 *   the name is taken otherwise              | conflict
 */
export async function createEach<K extends Kind, T extends Named>(
  batch: readonly Creation<K>[],
  making: Making<K, T>,
  scope: Scope,
  call: Call,
): Promise<readonly Result<Observed<K>>[]> {
  const begun = await each(batch, (item) => making.insert(item, tryOf(item, scope)));
  const ended = await settle(begun, scope, call);
  return each([...batch.entries()], async ([index, item]): Promise<Result<Observed<K>>> => {
    const result = ended[index] ?? unanswered;
    if (!result.ok) return refused(item, result.failure, begun[index]?.ok === true, { making, scope });
    const number = numberOf(result.value?.targetId);
    if (number === undefined) return existingOne(item, unanswered.failure, making);
    return { ok: true, value: making.made(item, `${making.path(item)}#${number}`) };
  });
}

const unanswered = {
  ok: false,
  failure: {
    kind: 'ambiguous',
    code: 'Unanswered',
    message: 'the cloud did not return the created resource',
  } satisfies Failure,
} as const;

/**
 * The request's id, until its operation failed: the cloud would answer that failure again. Another attempt is another request,
 * as its mark says which it is, and the cloud may refuse what differs under one id; the name keeps it from being made twice.
 */
function tryOf<K extends Kind>({ token, desired, mark }: Creation<K>, { known }: Scope): string {
  const spent = known.spent.get(failedRequestKey(token, desired.address)) ?? 0;
  const again = spent === 0 ? [] : [`${spent}`];
  return requestId(token, desired.kind, desired.address, `${mark.attempt ?? 1}`, ...again);
}

const failedRequestKey = (token: string, address: string): string => `${token} ${address}`;

async function refused<K extends Kind, T extends Named>(
  item: Creation<K>,
  failure: Failure,
  wasBegun: boolean,
  { making, scope }: { readonly making: Making<K, T>; readonly scope: Scope },
): Promise<Result<Observed<K>>> {
  const key = failedRequestKey(item.token, item.desired.address);
  if (wasBegun && failure.kind !== 'ambiguous') scope.known.spent.set(key, (scope.known.spent.get(key) ?? 0) + 1);
  return isTaken(failure) ? existingOne(item, failure, making) : { ok: false, failure };
}

const isTaken = ({ code }: Failure): boolean =>
  code === 'alreadyExists' || code === 'RESOURCE_ALREADY_EXISTS' || code === 'Http409';

/** The name is taken: by an earlier try of ours, which then is the answer, or by somebody else. */
async function existingOne<K extends Kind, T extends Named>(
  item: Creation<K>,
  failure: Failure,
  making: Making<K, T>,
): Promise<Result<Observed<K>>> {
  const found = await making.get(item);
  if (!found.ok) return found.failure.kind === 'not-found' ? { ok: false, failure } : found;
  const id = `${making.path(item)}#${numberOf(found.value.id) ?? ''}`;
  if (isSameTry(item.mark, making.markOf(found.value))) return { ok: true, value: making.made(item, id) };
  const message = `${id} already exists there and is not from this create: adopt it (metadata: adopt: { <target>: ${id} }), or give the new one another name`;
  return { ok: false, failure: { ...failure, kind: 'conflict', message } };
}
