import { sha256 } from '../sha256.ts';
import { header } from './header.ts';
import { isSameSecret } from './same-secret.ts';
import type { Arrival, Sender } from './sender.ts';
import { isStandardKey, verifyStandard } from './standard-webhook.ts';

/**
 * https://docs.gitlab.com/user/project/integrations/webhooks/ and, for the signing token,
 * https://gitlab.com/gitlab-org/gitlab/-/merge_requests/230944
 *
 *   the hook's secret  | GitLab calls it | what proves a request
 *   -------------------+-----------------+----------------------------------------------------------
 *   `whsec_<base64>`   | signing token   | `webhook-signature` over id, time and body; a token is not looked at
 *   anything else      | secret token    | `X-Gitlab-Token` is the secret itself, and covers nothing
 *
 * `Idempotency-Key` (from 17.4) stays the same when GitLab tries again. `X-Gitlab-Event-UUID` is shared by an event and those
 * that a hook of it set off, so it counts with the body.
 */
export const gitlab: Sender<string> = {
  verify: (arrival, secret) => {
    if (isStandardKey(secret)) return verifyStandard(arrival, secret);
    return isSameSecret(header(arrival.headers, 'x-gitlab-token'), secret) ? 'genuine' : 'forged';
  },
  read: (arrival) => ({ as: 'deliveries', deliveries: [{ id: idOf(arrival) }] }),
};

function idOf({ headers, body }: Arrival): string {
  const told = header(headers, 'webhook-id') ?? header(headers, 'idempotency-key');
  if (told !== undefined) return told;
  const uuid = header(headers, 'x-gitlab-event-uuid') ?? '';
  return `${uuid}.${sha256(body)}`;
}
