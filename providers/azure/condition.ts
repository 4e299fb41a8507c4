import type { Condition } from '../../src/core/observed.ts';

/**
 * What Azure is about to do with a thing. One that failed stands all the same: what it holds is compared, and written again.
 * https://learn.microsoft.com/azure/networking/troubleshoot-failed-state
 */
export function stateOf(provisioningState: string | undefined): Condition['state'] {
  switch (provisioningState?.toLowerCase()) {
    case 'updating':
    case 'creating':
      return 'pending';
    case 'deleting':
      return 'deleting';
    default:
      return 'ready';
  }
}
