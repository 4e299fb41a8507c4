import type { Asked } from './method.ts';
import type { Operation, OperationPlace } from './subscription.ts';

/** What the answer that starts an operation carries: where to follow it, and when. */
export function operationHeaders(asked: Asked, { id, place }: Operation): Readonly<Record<string, string>> {
  const url = (collection: string): string => operationUrl(asked, place, `${collection}/${id}`);
  return {
    'azure-asyncoperation': url('operations'),
    location: url('operationResults'),
    ...retryAfter(asked),
  };
}

/** When to poll next, as the first answer and each poll say it. */
export function retryAfter({ subscription }: Asked): Readonly<Record<string, string>> {
  return subscription.retryAfter > 0 ? { 'retry-after': String(subscription.retryAfter) } : {};
}

export function operationUrl(
  { subscription, request }: Asked,
  { namespace, location }: OperationPlace,
  rest: string,
): string {
  const version = request.query['api-version'] ?? '';
  return `${request.origin}/subscriptions/${subscription.id}/providers/${namespace}/locations/${location}/${rest}?api-version=${version}`;
}
