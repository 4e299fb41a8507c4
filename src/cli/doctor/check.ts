import { Complaint } from '../complaint.ts';

/** `note`: not wrong, worth knowing. */
export interface Check {
  readonly name: string;
  readonly state: 'good' | 'note' | 'bad';
  readonly detail: string;
  readonly next?: string;
}

/** What went wrong, with its advice. */
export function bad(name: string, error: unknown): Check {
  const message = error instanceof Error ? error.message : String(error);
  const next = error instanceof Complaint ? error.advice.next : undefined;
  const why = error instanceof Complaint && error.advice.why !== undefined ? ` ${error.advice.why}` : '';
  return { name, state: 'bad', detail: `${message}${why}`, ...(next === undefined ? {} : { next }) };
}
