import { z } from 'zod';
import { examples, story } from './examples.ts';
import { timestamp } from './timestamp.ts';

const entry = {
  seq: z.int().meta({
    description:
      'Unique in its estate, and rising in each chain. Scopes write in parallel, so numbers can be missing. With `order=oldest`, an entry appears once no lower number can follow.',
  }),
  type: z.enum(['intent', 'settlement', 'note']).meta({
    description:
      'intent: an action before its call; settlement: its outcome; note: a decision of a person, such as a pause',
  }),
  body: z.record(z.string(), z.json()).meta({
    description:
      'Intents and settlements have scope, verb, kind, address, authority (revision, generation, plan, approver), reconcileId, details, outcome, and calls with their request ids. A note has one member, named after the decision. Secrets appear only as hashes.',
  }),
  chain: z
    .object({
      of: z.string().optional().meta({ description: 'The scope, or `people` for notes' }),
      number: z.int().optional().meta({ description: 'The number in its chain, from 1 without a gap' }),
      previous: z.string(),
      hash: z.string(),
    })
    .meta({
      description:
        'Each hash covers the entry and the hash before it. Entries of version 0.1 can lack `of` and `number`: an estate had one chain then.',
    }),
} as const;

const noteExample = {
  seq: 30,
  type: 'note',
  body: {
    estate: story.estate,
    note: {
      pause: {
        id: 1,
        of: { by: 'target', name: story.target },
        person: story.person,
        reason: 'a game day',
        until: 1_801_468_840_000,
        what: 'healing',
      },
    },
  },
  chain: {
    of: 'people',
    number: 4,
    previous: '2547c51c37f5222d42ec20774c4c1b5792ff45cf558f6c4183fee3770dd1989f',
    hash: '9e49df0ff29b7ea7432532b075ccce94592d6d7babdaaf39ee2ee178b4e1b5ae',
  },
} satisfies Omit<z.output<z.ZodObject<typeof entry>>, 'at'>;

/** An entry as the ledger has it: its body is what was hashed, and is not declared further here. */
export const ledgerEntrySchema = z
  .object({ ...entry, at: timestamp })
  .meta({ id: 'LedgerEntry' })
  .register(examples, { example: { ...noteExample, at: story.askedAt } });

const origin = { store: z.string(), estate: z.string() } as const;
const at = z.int().meta({ description: 'Milliseconds since 1970' });

const seal = z
  .object({ ...origin, seq: z.int(), hash: z.string(), at, key: z.string(), signature: z.string() })
  .meta({ description: 'The signed end of the chain that the estate had in the first version; `seq` 0: it had none' });

/** Hashed content stays as it was, times too. */
export const exportedEntrySchema = z
  .union([z.object({ ...origin, ...entry, at }), z.object({ ...origin, seal })])
  .meta({ id: 'ExportedEntry', description: 'One line: an entry, or once the seal of the estate' })
  .register(examples, {
    example: {
      store: '7263d056-258a-4d32-9e64-e09c22be97cf',
      estate: story.estate,
      ...noteExample,
      at: Date.parse(story.askedAt),
    },
  });

export const ledgerVerdictSchema = z
  .discriminatedUnion('ok', [
    z.object({
      ok: z.literal(true),
      entries: z.int(),
      checkpoints: z.int().meta({ description: 'The number of valid signed checkpoints' }),
      head: z.object({ seq: z.int(), hash: z.string() }).meta({ description: 'The newest entry' }),
      signedAt: timestamp.optional().meta({ description: 'The time of the newest signature' }),
      chains: z
        .array(
          z.object({
            chain: z.string().meta({ description: 'A scope, `people`, or `estate` for entries of the first version' }),
            entries: z.int(),
            signed: z.int().meta({ description: 'The number of its entries that signatures cover, from the first' }),
          }),
        )
        .meta({ description: 'The signed part of each chain' }),
      unsigned: z
        .object({ entries: z.int(), seq: z.int(), at: timestamp })
        .optional()
        .meta({ description: 'Entries behind the newest signature; `seq` and `at` are of the oldest one' }),
    }),
    z.object({
      ok: z.literal(false),
      problem: z.enum(['tampered', 'unverified']).meta({
        description:
          'tampered: somebody changed the ledger; unverified: entries have had no signature for five minutes',
      }),
      seq: z.int().optional().meta({ description: 'The first bad entry; absent if a checkpoint is bad' }),
      reason: z.string(),
    }),
  ])
  .meta({ id: 'LedgerVerdict' })
  .register(examples, {
    example: {
      ok: true,
      entries: 30,
      checkpoints: 3,
      head: { seq: noteExample.seq, hash: noteExample.chain.hash },
      signedAt: '2027-01-31T08:00:42.000Z',
      chains: [
        { chain: story.scope, entries: 26, signed: 26 },
        { chain: 'people', entries: 4, signed: 4 },
      ],
    },
  });

export const signatureReachSchema = z
  .object({
    estate: z.string(),
    head: z.int().meta({ description: 'The newest entry; 0: there is none' }),
    signedUpTo: z.int().meta({ description: 'Signatures cover each entry up to this one; 0: they cover none' }),
    checkpoint: z
      .object({ number: z.int(), at: timestamp })
      .optional()
      .meta({ description: 'The newest signed checkpoint' }),
    unsigned: z
      .object({ entries: z.int(), seq: z.int(), at: timestamp })
      .optional()
      .meta({ description: 'Entries that no signature covers; `seq` and `at` are of the oldest one' }),
    lostCheckpoint: z.int().optional().meta({
      description: 'The database lost checkpoints up to this one: see `setpoint ledger accept-loss`',
    }),
  })
  .meta({ id: 'SignatureReach' })
  .register(examples, {
    example: {
      estate: story.estate,
      head: 33,
      signedUpTo: noteExample.seq,
      checkpoint: { number: 3, at: '2027-01-31T08:00:28.000Z' },
      unsigned: { entries: 3, seq: 31, at: '2027-01-31T08:00:30.000Z' },
    },
  });
