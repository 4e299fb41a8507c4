import type { Provider } from '../../src/ports/provider.ts';
import { dialect } from './dialect.ts';
import { batches } from './rate-limits.ts';
import { touches } from './touches.ts';

/** Microsoft Azure. The SDKs load when a session is opened. */
export const azure: Provider = {
  cloud: 'azure',
  dialect,
  batches,
  touches,
  load: async () => void (await import('./session.ts')),
  open: async (access, clock) => (await import('./session.ts')).openSession(access, clock),
};
