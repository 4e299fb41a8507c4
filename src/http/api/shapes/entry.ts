import { z } from 'zod';
import { moment } from './moment.ts';

const entry = {
  seq: z.int().meta({ description: 'From 1, without a gap' }),
  type: z.enum(['intent', 'settlement', 'note']).meta({
    description: 'intent: what was about to be done; settlement: what came of it; note: a word of a person, as a pause',
  }),
  body: z.record(z.string(), z.json()).meta({
    description:
      'Of intents and settlements: scope, verb, kind, address, authority (revision, generation, plan, approver), reconcileId, details, outcome, calls with their request ids. Of notes: one member, named after the word. Secrets stand here as hashes only.',
  }),
  chain: z
    .object({ previous: z.string(), hash: z.string() })
    .meta({ description: 'Each hash is over the entry and the hash before it' }),
} as const;

/** An entry as the ledger has it: its body is what was hashed, and is not declared further here. */
export const entryShape = z.object({ ...entry, at: moment }).meta({ id: 'LedgerEntry' });

/** What was hashed stays as it was, times too. */
export const exportedShape = z
  .object({ store: z.string(), estate: z.string(), ...entry, at: z.int().meta({ description: 'In ms since 1970' }) })
  .meta({ id: 'ExportedEntry', description: 'One line' });

export const verdictShape = z
  .discriminatedUnion('ok', [
    z.object({
      ok: z.literal(true),
      entries: z.int(),
      checkpoints: z.int().meta({ description: 'That were signed, and fit' }),
      head: z.object({ seq: z.int(), hash: z.string() }),
    }),
    z.object({
      ok: z.literal(false),
      seq: z.int().meta({ description: 'Of the first entry that is not as it was written' }),
      reason: z.string(),
    }),
  ])
  .meta({ id: 'LedgerVerdict' });
