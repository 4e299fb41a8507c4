import type { Provider } from '../../src/ports/provider.ts';
import { dialect } from './dialect.ts';
import { batches } from './rate-limits.ts';
import { touches } from './touches.ts';

/** Amazon EC2. The SDK loads when a session is opened. */
export const aws: Provider = {
  cloud: 'aws',
  dialect,
  batches,
  touches,
  load: async () => void (await import('./session.ts')),
  open: async (access, clock) => (await import('./session.ts')).openSession(access, clock),
};
