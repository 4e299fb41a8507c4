/** What the hooks of this bench are proven by. */
export const secret = 'a secret of at least thirty-two letters';
export const signing = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';
export const push = { audience: 'https://setpoint.acme.example', serviceAccount: 'push@acme.iam.gserviceaccount.com' };
