import { z } from 'zod';
import type { StoredEvent } from '../../../ports/events.ts';
import { shownOutcome } from '../../../ports/telemetry.ts';
import { examples, story } from './examples.ts';

/** The types that the API shows, by the types that the store keeps. */
const shownTypes = {
  resource: 'resource',
  pass: 'reconcile',
  generation: 'generation',
  word: 'audit',
  fight: 'fight',
} as const satisfies Record<StoredEvent['type'], string>;

/** A type of events as the API shows it; as the store keeps it where an unknown version wrote it. */
export const shownEventType = (type: StoredEvent['type']): string => shownTypes[type] ?? type;

/** The fields of `about` that the API names otherwise than the store. Version 0.1 stored `nextPassAt`. */
const shownFields: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  pass: { nextPassAt: 'nextReconcileAt' },
  word: { word: 'decision', person: 'actor', what: 'mode', of: 'subject' },
} satisfies Partial<Record<StoredEvent['type'], object>>;

/** `about` in the words of the API. */
export function shownAbout(type: StoredEvent['type'], about: StoredEvent['about']): StoredEvent['about'] {
  const names = new Map(Object.entries(shownFields[type] ?? {}));
  const renamed = Object.fromEntries(Object.entries(about).map(([field, value]) => [names.get(field) ?? field, value]));
  if (type === 'pass' && about['outcome'] === 'partly') return { ...renamed, outcome: shownOutcome('partly') };
  return type === 'word' && about['of'] !== undefined ? { ...renamed, subject: shownSubject(about['of']) } : renamed;
}

/** The subject of a decision in the words of the API. The ledger has its type as `by`. */
function shownSubject(of: unknown): unknown {
  if (typeof of !== 'object' || of === null || !('by' in of)) return of;
  const { by, ...rest } = of;
  return { type: by, ...rest };
}

/** The types that a caller may ask for, as the store keeps them. */
export const eventTypeSchema = z
  .enum(['resource', 'reconcile', 'generation', 'audit', 'fight'])
  .transform((shown) => storedTypes.find((type) => shownTypes[type] === shown) ?? 'resource');

const storedTypes = ['resource', 'pass', 'generation', 'word', 'fight'] as const;

/** The `data` of one event of /v1/events; its `event` repeats the type, and its `id` is the place to come back to. */
export const eventSchema = z
  .object({
    at: z.iso.datetime().meta({ description: 'The time of the event.' }),
    estate: z.string(),
    type: z.enum(['resource', 'reconcile', 'generation', 'audit', 'fight']).meta({
      description:
        'resource: a resource of the inventory changed; reconcile: one began or ended; generation: Setpoint accepted specs; audit: the ledger has a new decision of a person; fight: Setpoint healed a field that somebody else writes again and again.',
    }),
    targets: z.array(z.string()).optional().meta({ description: 'The targets that it concerns; absent: all of them.' }),
    owner: z
      .string()
      .optional()
      .meta({ description: 'The owner; empty: none; absent: the event concerns all owners.' }),
    about: z.record(z.string(), z.unknown()).meta({
      description:
        'The subject and the change; small. `gone`: you may not see the resource any more. It vanished, or has another owner or other targets now.',
    }),
  })
  .meta({ id: 'Event' })
  .register(examples, {
    example: {
      at: story.appliedAt,
      estate: story.estate,
      type: 'generation',
      about: { number: 7, revision: story.revision },
    },
  });
