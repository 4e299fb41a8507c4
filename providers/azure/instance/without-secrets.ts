import type { Failure } from '../../../src/core/failure.ts';
import type { Call, Launch } from '../../../src/ports/provider.ts';

/** The secrets of a launch, in plain and in sent form. */
export function secretsOf({ userData, access }: Launch): readonly string[] {
  const texts = [userData, access?.password, ...(access?.sshKeys ?? [])].filter((text) => text !== undefined);
  return texts.flatMap((text) => [text, Buffer.from(text, 'utf8').toString('base64')]);
}

/** The same failure, saying nothing of these texts, nor a piece of one: the cloud may repeat what it was sent, and cut it. */
export function withoutSecrets(failure: Failure, secrets: readonly string[]): Failure {
  const message = secrets.filter((secret) => secret !== '').reduce(without, failure.message);
  return { ...failure, message };
}

/** So many signs in a row are of a secret and no word of the cloud's own; of a short secret, half. */
const telling = 12;

function without(message: string, secret: string): string {
  const least = Math.min(telling, Math.ceil(secret.length / 2));
  let told = '';
  for (let at = 0; at < message.length; ) {
    let end = at;
    while (end < message.length && secret.includes(message.slice(at, end + 1))) end++;
    const tells = end - at >= least;
    told += tells ? '…' : message.charAt(at);
    at = tells ? end : at + 1;
  }
  return told;
}

/** The same call, whose reports tell no secret. */
export const redactedCall = (call: Call, secrets: readonly string[]): Call => ({
  signal: call.signal,
  admit: (request) => call.admit(request),
  report: (request, { failure, ...answer }) =>
    call.report(request, failure ? { ...answer, failure: withoutSecrets(failure, secrets) } : answer),
  secret: (address) => call.secret(address),
  operations: call.operations,
});
