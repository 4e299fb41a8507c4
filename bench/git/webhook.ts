import { randomUUID } from 'node:crypto';
import { hmacHeaders } from '../../src/http/senders/hmac.ts';

/** Rings as a script does after a push: see docs/events.md. Throws where it is not taken. */
export async function ringHook(url: string, secret: string): Promise<void> {
  const body = JSON.stringify({ ref: 'refs/heads/main' });
  const signed = hmacHeaders(secret, { delivery: randomUUID(), at: Date.now(), body });
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...signed },
    body,
  });
  if (!answer.ok) throw new Error(`the hook said ${answer.status}: ${await answer.text()}`);
}
