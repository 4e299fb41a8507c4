import { Refused } from '../protocol.ts';
import { hexDigits } from '../random.ts';
import { notReady } from './errors.ts';
import type { Context } from './method.ts';
import { linkTo, pathTo } from './place.ts';
import { freshNumber, type Project } from './project.ts';
import type { Failure, Json, Operation, Scope } from './records.ts';
import { timestamp } from './resource.ts';

export interface Work {
  /** The field `operationType`: `insert`, `delete`, `patch`, `setLabels`. */
  readonly type: string;
  /** The operation lies in the scope of its target. */
  readonly target: { readonly id: string; readonly number: string; readonly scope: Scope };
  /** Its duration on the sandbox's clock. */
  readonly ms: number;
  /** Ids that no other operation may hold meanwhile; default: the target's. */
  readonly holds?: readonly string[];
  /** Runs when the time has come. The operation fails with the `Refused` that it throws. */
  readonly finish: () => void;
  /** Takes back what was shown in advance, when the operation failed. */
  readonly undo?: () => void;
}

/**
 * Begins an operation. What is refused at once must be refused before: by then the request is accepted. What others may
 * see from now on (an instance being staged) is put by the caller, the rest by `finish`.
 */
export function begin({ project, now, answerFaults, user }: Context, work: Work): Operation {
  const { durations, operations, timeline } = project;
  const holds = work.holds ?? [work.target.id];
  const ms = answerFaults.atOnce ? 0 : work.ms;
  for (const id of holds) if (project.held.has(id)) throw notReady(pathTo(project, id));
  const name = `operation-${now}-${hexDigits(project.random, 13)}-${hexDigits(project.random, 8)}-${hexDigits(project.random, 8)}`;
  const operation: Operation = {
    id: `${work.target.scope}/operations/${name}`,
    number: freshNumber(project),
    name,
    scope: work.target.scope,
    createdAt: now,
    description: undefined,
    type: work.type,
    target: { link: linkTo(project, work.target.id), number: work.target.number },
    asked: { by: user, requestId: undefined },
    time: { start: now + Math.min(durations.pending, ms), end: now + ms },
    done: false,
    failure: undefined,
  };
  operations.put(operation);
  for (const id of holds) project.held.set(id, operation.id);
  const end = (): void => {
    for (const id of holds) project.held.delete(id);
    const failure = answerFaults.failure ?? failureOf(work.finish);
    if (failure) work.undo?.();
    const known = operations.get(operation.id) ?? operation;
    operations.put({ ...known, done: true, failure: failure && spelled(failure) });
  };
  if (ms > 0) timeline.schedule(now + ms, end);
  else end();
  return operations.get(operation.id) ?? operation;
}

/** An operation as the API shows it. */
export function operationJson(project: Project, now: number, operation: Operation): Json {
  const { scope, time, done, failure, asked } = operation;
  const started = now >= time.start || done;
  return {
    kind: 'compute#operation',
    id: operation.number,
    name: operation.name,
    ...(scope === 'global' ? {} : { [scope.startsWith('zones/') ? 'zone' : 'region']: linkTo(project, scope) }),
    ...(asked.requestId === undefined ? {} : { clientOperationId: asked.requestId }),
    operationType: operation.type,
    targetLink: operation.target.link,
    targetId: operation.target.number,
    status: statusOf(started, done),
    user: asked.by,
    progress: done ? 100 : 0,
    insertTime: timestamp(operation.createdAt),
    ...(started ? { startTime: timestamp(time.start) } : {}),
    ...(done ? { endTime: timestamp(time.end) } : {}),
    ...(failure ? failureJson(failure) : {}),
    selfLink: linkTo(project, operation.id),
  };
}

function statusOf(started: boolean, done: boolean): string {
  if (done) return 'DONE';
  return started ? 'RUNNING' : 'PENDING';
}

const MESSAGES: Readonly<Record<number, string>> = {
  400: 'BAD REQUEST',
  403: 'FORBIDDEN',
  404: 'NOT FOUND',
  409: 'CONFLICT',
  412: 'PRECONDITION FAILED',
  503: 'SERVICE UNAVAILABLE',
};

function failureJson({ code, message, status }: Failure): Json {
  return {
    error: { errors: [{ code, message }] },
    httpErrorStatusCode: status,
    httpErrorMessage: MESSAGES[status] ?? 'INTERNAL SERVER ERROR',
  };
}

function failureOf(finish: () => void): Failure | undefined {
  try {
    finish();
    return undefined;
  } catch (error) {
    if (error instanceof Refused) return error.refusal;
    throw error;
  }
}

/** `resourceInUseByAnotherResource` is `RESOURCE_IN_USE_BY_ANOTHER_RESOURCE` in an operation. */
function spelled({ code, message, status }: Failure): Failure {
  return { code: code.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase(), message, status };
}
