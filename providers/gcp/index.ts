import type { Provider } from '../../src/ports/provider.ts';
import { dialect } from './dialect.ts';
import { batches } from './rate-limits.ts';
import { touches } from './touches.ts';

/** Google Compute Engine. The SDK loads when a session is opened, and silenced: see `disableSdkLogging`. */
export const gcp: Provider = {
  cloud: 'gcp',
  dialect,
  batches,
  touches,
  load: async () => {
    disableSdkLogging();
    await import('./session.ts');
    await (await import('./sdk.ts')).prepareSdk();
  },
  open: async (access, clock) => {
    disableSdkLogging();
    return (await import('./session.ts')).openSession(access, clock);
  },
};

/**
 * With this variable set, the SDK writes every request to stderr, including user data; no secret may reach a log.
 * https://github.com/googleapis/google-cloud-node-core/tree/main/packages/logging-utils
 */
function disableSdkLogging(): void {
  delete process.env['GOOGLE_SDK_NODE_LOGGING'];
}
