import { createHash } from 'node:crypto';
import type { Carrier } from '../carrier.ts';
import type { GcpDestination } from '../destination.ts';
import type { Signer } from './signer.ts';

const HOUR_S = 3600;

/** What acknowledges a message; it is sent again after any other: https://docs.cloud.google.com/pubsub/docs/push#receive_push */
const ACKNOWLEDGED: ReadonlySet<number> = new Set([102, 200, 201, 202, 204]);

/** https://docs.cloud.google.com/pubsub/docs/push, with https://docs.cloud.google.com/pubsub/docs/authenticate-push-subscriptions */
export function pushSubscription({ audience, serviceAccount }: GcpDestination, signer: Signer): Carrier {
  const subject = BigInt(`0x${createHash('sha256').update(serviceAccount).digest('hex').slice(0, 16)}`);
  const sub = `1${String(subject).padStart(20, '0').slice(0, 20)}`;
  return {
    post: async (event) => {
      // Receivers compare it with their own clock, so it is real time whatever the sandbox's clock says.
      const iat = Math.floor(Date.now() / 1000);
      const token = await signer.sign({
        aud: audience,
        azp: sub,
        email: serviceAccount,
        email_verified: true,
        exp: iat + HOUR_S,
        iat,
        iss: 'https://accounts.google.com',
        sub,
      });
      return {
        headers: {
          'content-type': 'application/json',
          'user-agent': 'CloudPubSub-Google',
          authorization: `Bearer ${token}`,
        },
        body: JSON.stringify(event),
      };
    },
    verdict: (status) => (ACKNOWLEDGED.has(status) ? 'taken' : 'again'),
  };
}
