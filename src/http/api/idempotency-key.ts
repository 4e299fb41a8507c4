import { z } from 'zod';

const key = /^[\w.:~+/=-]{1,64}$/;

/** https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/ */
export const idempotencyKey = {
  name: 'idempotency-key',
  /** For the document. */
  header: z.object({
    'idempotency-key': z.string().regex(key).optional().meta({
      description:
        'Any text of your own, new for each thing you do: sent again within 24 h it is not done twice, and answers as before',
    }),
  }),
  expected: '1 to 64 letters, digits and . _ : ~ + / = -',
  isSound: (sent: string): boolean => key.test(sent),
} as const;
