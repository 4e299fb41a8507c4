import type { Condition } from '../../src/core/observed.ts';

/**
 * The state of Azure's work on a resource. A failed resource exists all the same: it is compared, and written again.
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
