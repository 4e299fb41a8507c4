import { Refusal } from '../../providers/memory/cloud/refusal.ts';
import type { MemoryCloud } from '../../providers/memory/cloud.ts';
import { canary } from '../support/canary.ts';

/** The machines' boot data and people's logins; only the cloud may learn them. */
export const bootsWith = {
  userData: `#!/bin/sh\nexport TOKEN=${canary}\n`,
  access: { user: 'ops', sshKeys: [], password: canary },
} as const;

/** A cloud that quotes in every refusal all that it was sent, as clouds, proxies and their debug modes do. */
export const gossiping = (cloud: MemoryCloud): MemoryCloud => ({
  ...cloud,
  serve: async (caller, action, input) => {
    try {
      return await cloud.serve(caller, action, input);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { code, message, retryAfterMs, requestId } = error;
      // biome-ignore lint/style/useErrorCause: a cloud's refusal knows no cause
      throw new Refusal(code, `${message}; the request was ${JSON.stringify(input)}`, { retryAfterMs, requestId });
    }
  },
});
