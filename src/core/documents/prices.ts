import { z } from 'zod';
import { clouds } from '../resource.ts';
import { day, plainMetadata, text, token, whole } from './fields.ts';

const amount = (description: string) =>
  z.number({ error: 'a number, 0 or more' }).min(0, { error: '0 or more' }).optional().meta({ description });

type RowInput = z.output<typeof fields>;

/**
 *   of        | its price
 *   ----------+---------------------------------------------------------
 *   size      | perHour
 *   publicIp  | perHour
 *   diskType  | perGbMonth; or perMonth of a disk of at most `upToGb`
 */
function isPriced({ size, publicIp, diskType, perHour, perGbMonth, perMonth, upToGb }: RowInput): boolean {
  const subjects = [size, publicIp, diskType].filter((one) => one !== undefined).length;
  const byHour = perHour !== undefined && [perGbMonth, perMonth, upToGb].every((one) => one === undefined);
  const byGb = perGbMonth !== undefined && [perHour, perMonth, upToGb].every((one) => one === undefined);
  const byTier = perMonth !== undefined && upToGb !== undefined && perHour === undefined && perGbMonth === undefined;
  return subjects === 1 && (diskType === undefined ? byHour : byGb || byTier);
}

const rowForm =
  '{ provider, size, perHour }, { provider, publicIp: true, perHour }, { provider, diskType, perGbMonth } or { provider, diskType, upToGb, perMonth }, each with source and read';

const fields = z.strictObject(
  {
    provider: z.enum(clouds, { error: `a cloud: ${clouds.join(', ')}` }).meta({ description: 'The cloud.' }),
    region: token('a region, such as eu-west-1')
      .optional()
      .meta({ description: 'The region of the price. Default: every region without a price of its own.' }),
    size: token('a machine size, such as t3.small').optional().meta({ description: 'The size of the machine.' }),
    diskType: token('a disk type, such as gp3').optional().meta({ description: 'The type of the disk.' }),
    publicIp: z
      .literal(true, { error: 'true' })
      .optional()
      .meta({ description: 'A public address of a running machine, or a reserved one.' }),
    perHour: amount('The price of an hour of a machine or an address.'),
    perGbMonth: amount('The price of a month of one GB of the disk.'),
    upToGb: whole(1, 1_000_000).optional().meta({ description: 'The largest disk of a tier with one price.' }),
    perMonth: amount('The price of a month of a whole disk of this tier.'),
    source: text(/^https:\/\/[\x21-\x7e]{1,500}$/, 'the https URL of the price page').meta({
      description: 'The page that the price was read from.',
      examples: ['https://aws.amazon.com/ec2/pricing/on-demand/'],
    }),
    read: day.meta({ description: 'The day on which somebody read the price.' }),
  },
  { error: rowForm },
);

/** A month has 8,760 / 12 hours. */
export const hoursPerMonth = 730;

export const pricesSchema = z
  .strictObject({
    apiVersion: z.literal('setpoint.dev/v1'),
    kind: z.literal('Prices'),
    metadata: plainMetadata(),
    spec: z.strictObject(
      {
        currency: text(/^[A-Z]{3}$/, 'a currency of ISO 4217, such as USD').meta({
          description: 'The currency of all prices.',
        }),
        prices: z
          .array(fields.refine(isPriced, { error: rowForm }), { error: 'a list of prices' })
          .max(5000, { error: 'at most 5000 prices' })
          .meta({ description: 'The prices. What has none here is listed as not priced, and never guessed.' }),
      },
      { error: 'a map with currency and prices' },
    ),
  })
  .meta({ title: 'Prices', description: 'A table of prices, for the monthly cost of plans and idle resources.' });
