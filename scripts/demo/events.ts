/** The demo clouds' events about clients' writes: each cloud sends its own form to its subscribers. */
const secret = 'the-demo-has-no-secrets';
const audience = 'https://setpoint.acme.example';
const serviceAccount = 'push@acme-prod.iam.gserviceaccount.com';

/** The secrets that a worker needs to verify events. */
export const eventSecrets = { SETPOINT_SECRET_EVENTS: secret };

/** `spec.hooks` of the estate; Google's tokens are the sandbox's, which keeps its keys beside its clouds. */
export const hooks = (endpoint: string): string => `
    - { name: trail, from: eventbridge, secret: { env: SETPOINT_SECRET_EVENTS } }
    - { name: grid, from: eventgrid, secret: { env: SETPOINT_SECRET_EVENTS } }
    - { name: audit, from: pubsub, audience: "${audience}", serviceAccount: ${serviceAccount}, keys: "${endpoint}/_sandbox/jwks" }`;

/** A busy machine may not answer for minutes. The clouds retry for a day: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-rule-retry-policy.html */
const attempts = 100;

/** Has the sandbox send the events of all clouds from now on to a process that listens on `port` of 127.0.0.1. */
export async function sendEventsTo(port: number, endpoint: string): Promise<void> {
  const hook = `http://127.0.0.1:${port}/v1/hooks/acme`;
  const subscribe = [
    { cloud: 'aws', url: `${hook}/trail`, apiKey: secret, attempts },
    { cloud: 'gcp', url: `${hook}/audit`, audience, serviceAccount, attempts },
    { cloud: 'azure', url: `${hook}/grid?code=${secret}`, attempts },
  ];
  const answer = await fetch(`${endpoint}/_sandbox/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ subscribe }),
  });
  if (!answer.ok) throw new Error(`the sandbox refused the destinations of events: ${await answer.text()}`);
}
