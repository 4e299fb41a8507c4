import { randomUUID } from 'node:crypto';
import type { ApiClient } from './client.ts';
import { type Decoder, decode } from './decode.ts';
import type { ServerEstateOption } from './server-option.ts';

const assignment = decode.object({
  address: decode.string,
  actor: decode.string,
  at: decode.timestamp,
  reason: decode.optional(decode.string),
});

export interface SaidAssignment {
  readonly address: string;
  readonly person: string;
  readonly at: number;
  readonly reason?: string;
}

const decodeAssignment: Decoder<SaidAssignment> = (value, at) => {
  const { actor: person, reason, ...rest } = assignment(value, at);
  return { ...rest, person, ...(reason === undefined ? {} : { reason }) };
};

const decodeAssigned = decode.object({ assignment: decodeAssignment, replaced: decode.optional(decodeAssignment) });
const decodeEnded = decode.object({ ended: decode.optional(decodeAssignment) });
const decodeCommented = decode.object({
  comment: decode.object({ address: decode.string, actor: decode.string, at: decode.timestamp, text: decode.string }),
});

interface AssignmentRequest extends ServerEstateOption {
  readonly address: string;
  readonly reason?: string | undefined;
}

export const assignOnServer = (
  client: ApiClient,
  body: AssignmentRequest,
): Promise<{ readonly assignment: SaidAssignment; readonly replaced?: SaidAssignment | undefined }> =>
  client.request({ method: 'POST', path: '/v1/assignments', body, key: randomUUID() }, decodeAssigned);

export const endAssignmentOnServer = async (
  client: ApiClient,
  body: AssignmentRequest,
): Promise<SaidAssignment | undefined> =>
  (await client.request({ method: 'POST', path: '/v1/assignments/end', body, key: randomUUID() }, decodeEnded)).ended;

export async function commentOnServer(
  client: ApiClient,
  body: ServerEstateOption & { readonly address: string; readonly text: string },
) {
  const { comment } = await client.request(
    { method: 'POST', path: '/v1/comments', body, key: randomUUID() },
    decodeCommented,
  );
  const { actor: person, ...rest } = comment;
  return { ...rest, person };
}
