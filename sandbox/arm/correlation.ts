import { createHash } from 'node:crypto';

/**
 * What ARM calls a write in its activity log and its events. `x-ms-request-id` is the resource provider's own, and another:
 * https://learn.microsoft.com/azure/azure-monitor/platform/activity-log-schema has `correlationId` alone. A client may send
 * its own, as Terraform's providers do.
 */
export function correlationId(requestId: string, sent: string | undefined): string {
  if (sent) return sent;
  const digits = createHash('sha256').update(requestId).digest('hex');
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-a${digits.slice(17, 20)}-${digits.slice(20, 32)}`;
}
