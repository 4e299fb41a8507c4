import { Refusal } from '../api/refusal.ts';

/** What is needed to know who asks is out of reach: neither let in nor turned away for good. */
export const cannotTell = (): Refusal =>
  new Refusal({
    status: 503,
    title: 'Service Unavailable',
    detail: 'What is needed to find out who asks is out of reach. Come again.',
    headers: { 'retry-after': '10' },
  });
