import { z } from 'zod';
import { guarded } from './guarded.ts';
import { LOOPBACK } from './loopback.ts';
import { name } from './name-field.ts';
import { secretRef } from './secret-ref.ts';
import { text } from './text-field.ts';

const hookName = name().meta({ description: 'The last part of its address: /v1/hooks/<estate>/<name>.' });

const signed = z.strictObject(
  {
    name: hookName,
    from: z.enum(['github', 'gitlab', 'hmac', 'eventbridge', 'eventgrid']).meta({
      description: 'Who calls: a forge when a branch moved, or a cloud when somebody changed something.',
    }),
    secret: secretRef().meta({ description: 'Where the secret is that the caller proves to know.' }),
  },
  { error: '{ name, from, secret }' },
);

const pubsub = z.strictObject(
  {
    name: hookName,
    from: z
      .literal('pubsub')
      .meta({ description: "Google audit logs, by a push subscription with Google's own token." }),
    audience: text(/^[\x21-\x7e]{1,512}$/, 'the audience of the subscription, such as its push address').meta({
      description: 'The audience that the token must name, as the subscription has it.',
    }),
    serviceAccount: text(
      /^[a-z0-9][a-z0-9._-]{0,127}@[a-z0-9][a-z0-9.-]{0,127}\.gserviceaccount\.com$/,
      'a service account, such as push@acme-prod.iam.gserviceaccount.com',
    ).meta({ description: 'The service account that the token must be of.' }),
    keys: text(LOOPBACK, "a loopback address, such as http://127.0.0.1:4566/certs; left out: Google's own")
      .register(guarded, { guards: 'address' })
      .optional()
      .meta({
        description: "Where a sandbox on this machine keeps the token's public keys; only with --allow-endpoint.",
      }),
  },
  { error: '{ name, from: pubsub, audience, serviceAccount }' },
);

/** Who may tell us to look. What they say only names what to look at, never what is there. */
export const hooks = () =>
  z
    .array(
      z.discriminatedUnion('from', [signed, pubsub], {
        error: 'github, gitlab, hmac, eventbridge, eventgrid or pubsub',
      }),
      { error: 'a list of { name, from, secret }' },
    )
    .max(50, { error: 'at most 50 hooks' });
