/** How the clouds of the demo tell of what clients write: each in its own way, to whoever listens. */
const secret = 'the-demo-has-no-secrets';
const audience = 'https://setpoint.acme.example';
const serviceAccount = 'push@acme-prod.iam.gserviceaccount.com';

/** What a worker must have to know events for genuine. */
export const eventSecrets = { SETPOINT_SECRET_EVENTS: secret };

/** `spec.hooks` of the estate; Google's tokens are the sandbox's, which keeps its keys beside its clouds. */
export const hooks = (endpoint: string): string => `
    - { name: trail, from: eventbridge, secret: { env: SETPOINT_SECRET_EVENTS } }
    - { name: grid, from: eventgrid, secret: { env: SETPOINT_SECRET_EVENTS } }
    - { name: audit, from: pubsub, audience: "${audience}", serviceAccount: ${serviceAccount}, keys: "${endpoint}/_sandbox/jwks" }`;

/** For the sandbox. Nobody listens at first: what is not taken at once is sent once more, for one that was slow, and given up. */
export function destinationsAt(port: number): readonly object[] {
  const hook = `http://127.0.0.1:${port}/v1/hooks/acme`;
  return [
    { cloud: 'aws', url: `${hook}/trail`, apiKey: secret, attempts: 2 },
    { cloud: 'gcp', url: `${hook}/audit`, audience, serviceAccount, attempts: 2 },
    { cloud: 'azure', url: `${hook}/grid?code=${secret}`, attempts: 2 },
  ];
}
