import { sha256 } from '../../sha256.ts';
import { header, type RawRequest, type WebhookAdapter } from '../adapter.ts';
import { isSameSecret, isStandardSecret, verifyStandard } from '../signatures.ts';

/**
 * https://docs.gitlab.com/user/project/integrations/webhooks/ and, for the signing token,
 * https://gitlab.com/gitlab-org/gitlab/-/merge_requests/230944
 *
 *   the hook's secret  | GitLab calls it | what proves a request
 *   -------------------+-----------------+----------------------------------------------------------
 *   `whsec_<base64>`   | signing token   | `webhook-signature` over id, time and body; a token is ignored
 *   anything else      | secret token    | `X-Gitlab-Token` is the secret itself, and covers nothing
 *
 * `Idempotency-Key` (from 17.4) stays the same when GitLab tries again. `X-Gitlab-Event-UUID` is shared by an event and those
 * that a hook of it set off, so it counts with the body.
 */
export const gitlab: WebhookAdapter<string> = {
  verify: (request, secret) => {
    if (isStandardSecret(secret)) return verifyStandard(request, secret);
    return isSameSecret(header(request.headers, 'x-gitlab-token'), secret) ? 'genuine' : 'forged';
  },
  read: (request) => ({ as: 'deliveries', deliveries: [{ id: idOf(request) }] }),
};

function idOf({ headers, body }: RawRequest): string {
  const id = header(headers, 'webhook-id') ?? header(headers, 'idempotency-key');
  if (id !== undefined) return id;
  const uuid = header(headers, 'x-gitlab-event-uuid') ?? '';
  return `${uuid}.${sha256(body)}`;
}
