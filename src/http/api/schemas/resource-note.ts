import { z } from 'zod';
import { assignmentJson, commentJson } from '../../../core/render/resource-note.ts';
import type { ResourceNoteLists } from '../../../ports/fleet-state.ts';
import { exampleOf, examples, story } from './examples.ts';
import { timestamp } from './timestamp.ts';

export const assignmentSchema = z
  .object({ address: z.string(), actor: z.string(), at: timestamp, reason: z.string().optional() })
  .meta({ id: 'Assignment', description: 'The person who takes a resource on, until it is in sync again' })
  .register(examples, {
    example: { address: story.address, actor: story.person, at: story.askedAt, reason: 'I know this change' },
  });

export const commentSchema = z
  .object({ address: z.string(), actor: z.string(), at: timestamp, text: z.string() })
  .meta({ id: 'Comment', description: 'A comment of a person on a resource' })
  .register(examples, {
    example: { address: story.address, actor: story.person, at: story.askedAt, text: 'from the load test' },
  });

/** The newest comments of one resource, or of each of several. */
export const commentsField = z
  .array(commentSchema)
  .meta({ description: 'The newest 5 of each resource, newest first; the ledger has all' });

export const resourceNotesAnswer = ({ assignments, comments }: ResourceNoteLists) => ({
  assignments: assignments.map(assignmentJson),
  comments: comments.map(commentJson),
});

export const newAssignmentSchema = z
  .object({
    estate: z.string(),
    assignment: assignmentSchema,
    replaced: assignmentSchema.optional().meta({ description: 'The earlier assignment; absent: there was none' }),
  })
  .meta({ id: 'NewAssignment' })
  .register(examples, { example: { estate: story.estate, assignment: exampleOf(assignmentSchema) } });

export const endedAssignmentSchema = z
  .object({
    estate: z.string(),
    ended: assignmentSchema.optional().meta({ description: 'Absent: nobody had taken it on' }),
  })
  .meta({ id: 'EndedAssignment' })
  .register(examples, { example: { estate: story.estate, ended: exampleOf(assignmentSchema) } });

export const newCommentSchema = z
  .object({ estate: z.string(), comment: commentSchema })
  .meta({ id: 'NewComment' })
  .register(examples, { example: { estate: story.estate, comment: exampleOf(commentSchema) } });
