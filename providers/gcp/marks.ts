import type { DeletionPolicy } from '../../src/core/desired.ts';
import type { Mark } from '../../src/core/observed.ts';

/**
 * Our mark, written in the creating call.
 *
 *   object                                | where
 *   --------------------------------------+---------------------------------------------------------------------------
 *   network, subnetwork, firewall, route  | the description: the user's text and then, as its last line,
 *                                         | {"setpoint":{"estate":…,"store":…,"address":…,"deletion":…,"intent":…}}
 *   instance, disk                        | labels setpoint-estate, -store, -name, -policy, -intent, -attempt; the
 *                                         | address follows from the place it stands in and `name`
 *
 * The folder marks/ has the code for each form.
 */
export interface MarkLine {
  readonly mark: Mark;
  /** The part of the marked network. */
  readonly part?: string;
}

/** True where `other` was written by an earlier try of the very creation that `mark` is for. */
export const isSameTry = (mark: Mark, other: Mark | undefined): boolean =>
  isSameOwner(mark, other) && other?.intent === mark.intent;

/** True where both name one resource of one estate and store. */
export const isSameOwner = (mark: Mark | undefined, other: Mark | undefined): boolean =>
  mark !== undefined && other?.estate === mark.estate && other.store === mark.store && other.address === mark.address;

export function writeLine(
  { estate, store, address, deletionPolicy: deletion, intent, attempt }: Mark,
  part?: string,
): string {
  return JSON.stringify({ setpoint: { estate, store, address, deletion, intent, attempt, part } });
}

/** Anybody may write a description: a line that is not our mark is text. */
export function readLine(line: string): MarkLine | undefined {
  const fields = fieldsIn(line);
  const mark = fields && readMark(fields);
  if (!mark) return undefined;
  const { part } = fields;
  return { mark, ...(typeof part === 'string' ? { part } : {}) };
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsIn(line: string): Fields | undefined {
  if (!line.startsWith('{"setpoint":')) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== 'object' || value === null || !('setpoint' in value)) return undefined;
    const { setpoint } = value;
    return typeof setpoint === 'object' && setpoint !== null ? { ...setpoint } : undefined;
  } catch {
    return undefined;
  }
}

const policies: readonly DeletionPolicy[] = ['retain', 'delete'];

export function readMark({ estate, store, address, deletion, intent, attempt }: Fields): Mark | undefined {
  if (typeof estate !== 'string' || typeof store !== 'string' || typeof address !== 'string') return undefined;
  const policy = policies.find((name) => name === deletion);
  return {
    estate,
    store,
    address,
    ...(policy === undefined ? {} : { deletionPolicy: policy }),
    ...(typeof intent === 'string' ? { intent } : {}),
    ...(typeof attempt === 'number' && Number.isInteger(attempt) ? { attempt } : {}),
  };
}
