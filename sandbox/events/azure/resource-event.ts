import { TENANT } from '../../arm/methods/subscription.ts';
import type { WireRequest } from '../../protocol.ts';
import { requesterOf } from '../requester.ts';
import type { Written } from '../written.ts';
import { claimsOf } from './claims.ts';
import { type ResourceOperation, resourceOperation } from './resource-operation.ts';

export interface Outcome {
  readonly id: string;
  readonly status: 'Succeeded' | 'Failed';
  /** On the sandbox's clock. */
  readonly at: number;
}

/** In the Event Grid event schema: https://learn.microsoft.com/azure/event-grid/event-schema-subscriptions */
export function resourceEvent({ call, request, response }: Written, { id, status, at }: Outcome): object {
  const operation = resourceOperation(request.method, request.path);
  const { name, provider, resourceUri, kind } = operation;
  const claims = claimsOf(request);
  return {
    id,
    topic: `/subscriptions/${call.account}`,
    subject: resourceUri,
    eventType: `Microsoft.Resources.Resource${kind}${status === 'Succeeded' ? 'Success' : 'Failure'}`,
    eventTime: new Date(at).toISOString(),
    data: {
      authorization: authorization(operation),
      claims,
      correlationId: response.headers['x-ms-correlation-request-id'],
      ...(response.status === 201 ? {} : { httpRequest: httpRequest(request) }),
      resourceProvider: provider,
      resourceUri,
      operationName: name,
      status,
      subscriptionId: call.account,
      tenantId: TENANT,
    },
    dataVersion: '2',
    metadataVersion: '1',
  };
}

function authorization({ resourceUri, name }: ResourceOperation): object {
  return { scope: resourceUri, action: name, evidence: { role: 'Contributor' } };
}

/** "This object is only included when updating an existing resource or deleting a resource." */
function httpRequest(request: WireRequest): object {
  return {
    clientRequestId: request.headers['x-ms-client-request-id'] ?? '',
    clientIpAddress: requesterOf(request).ip,
    method: request.method,
    url: `https://management.azure.com${request.path}`,
  };
}
