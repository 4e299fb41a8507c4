import { z } from 'zod';

const inputError = z
  .object({
    in: z.enum(['path', 'query', 'header', 'body']),
    at: z.string().meta({ description: 'As `filter.limit`; empty: all of it' }),
    expected: z.string(),
  })
  .meta({ id: 'InputError' });

/** What every refusal looks like: https://www.rfc-editor.org/rfc/rfc9457. Loose: a problem may say more of its own kind. */
export const problemShape = z
  .looseObject({
    status: z.int(),
    title: z.string(),
    detail: z.string().meta({ description: 'What to do' }),
    errors: z.array(inputError).optional().meta({ description: 'What of the request does not fit' }),
    permission: z.string().optional().meta({ description: 'What you lack' }),
  })
  .meta({ id: 'Problem', description: 'RFC 9457' });
