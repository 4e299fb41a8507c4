import { requestLimits } from '../limits.ts';
import type { Problem } from '../problem.ts';

/** The problems that a delivery is answered with. */

/** EventBridge and Pub/Sub try again after a 401, so that a secret that is being replaced loses nothing. */
export const unknown: Problem = {
  status: 401,
  title: 'Unauthorized',
  detail: 'There is no such hook, or the request is not proven as its hook asks. See docs/events.md.',
  headers: { 'www-authenticate': 'Bearer realm="hooks"' },
};

export const malformed = (detail: string): Problem => ({ status: 400, title: 'Bad Request', detail });

export const tooLarge: Problem = {
  status: 413,
  title: 'Content Too Large',
  detail: `A handshake has at most ${requestLimits.handshakeBytes} bytes.`,
};

export const onlyPost: Problem = {
  status: 405,
  title: 'Method Not Allowed',
  detail: 'Deliveries come by POST.',
  headers: { allow: 'POST, OPTIONS' },
};

export const tooMany: Problem = {
  status: 429,
  title: 'Too Many Requests',
  detail: 'This hook brings more than it may: narrow what its sender sends, or come again later.',
};

export const away: Problem = {
  status: 503,
  title: 'Service Unavailable',
  detail: 'What a delivery needs is out of reach. Come again.',
  headers: { 'retry-after': '5' },
};
