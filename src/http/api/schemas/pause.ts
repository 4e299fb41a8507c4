import { z } from 'zod';
import type { PauseSubject } from '../../../core/pause.ts';
import type { Pause, StoppedRollout } from '../../../ports/fleet-state.ts';
import { examples, story } from './examples.ts';
import { timestamp } from './timestamp.ts';

export const pauseModeSchema = z.enum(['healing', 'rollout', 'all']);

export const incidentName = z
  .string()
  .regex(/^[A-Za-z0-9][\w.-]{0,62}$/)
  .meta({ description: 'The name of an incident: 1 to 63 letters, digits, ., - or _' });

/** Strict in its parts too, as people send it: an estate with the name of a target would hold the whole estate still. */
export const subjectSchema = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('estate') }),
    z.strictObject({ type: z.enum(['address', 'owner', 'target']), name: z.string().min(1).max(1000) }),
  ])
  .meta({ id: 'PauseSubject' });

export const pauseSchema = z
  .object({
    id: z.int(),
    mode: pauseModeSchema,
    subject: subjectSchema,
    reason: z.string(),
    actor: z.string(),
    at: timestamp,
    until: timestamp,
    incident: z.string().optional().meta({ description: 'The name of the incident that it is a part of' }),
    holdNarrowing: z.boolean().meta({
      description: 'Whether it also stops healing that only narrows traffic',
    }),
  })
  .meta({ id: 'Pause', description: 'An order to stop healing, rollouts or both until a time' })
  .register(examples, {
    example: {
      id: 1,
      mode: 'healing',
      subject: { type: 'target', name: story.target },
      reason: 'a game day',
      actor: story.person,
      at: story.askedAt,
      until: '2027-02-01T08:00:40.000Z',
      holdNarrowing: true,
    },
  });

/** Of a person's word that holds calls. */
export const pendingCallsField = z.int().meta({
  description: 'Calls that Setpoint sent before and that have no answer yet. It sends no other call that this forbids',
});

/** `document`: of a target's rollout it is the scope. */
export const stoppedRolloutSchema = z.object({ document: z.string(), generation: z.int(), reason: z.string() });

export const stoppedRolloutAnswer = ({ document, generation, why }: StoppedRollout) => ({
  document,
  generation,
  reason: why,
});

export const pauseAnswer = ({ id, what, of, reason, person, at, until, incident, letsNarrow = false }: Pause) => ({
  id,
  mode: what,
  subject: of.by === 'estate' ? { type: of.by } : { type: of.by, name: of.name },
  reason,
  actor: person,
  at,
  until,
  ...(incident === undefined ? {} : { incident }),
  holdNarrowing: !letsNarrow,
});

/** A subject as a caller sends it. */
export const subjectOf = (subject: z.output<typeof subjectSchema>): PauseSubject =>
  subject.type === 'estate' ? { by: subject.type } : { by: subject.type, name: subject.name };
