import type { RateLimit } from '../budget-table.ts';
import { errorBody } from '../errors.ts';
import { type Asked, type Method, method, type Reply } from '../method.ts';
import { operationBody, operationHeaders, operationOf, retryAfter } from '../operation.ts';

/**
 * Following an operation: `operations` is the URL of `Azure-AsyncOperation`, `operationResults` that of `Location`.
 * https://learn.microsoft.com/azure/azure-resource-manager/management/async-operations
 */
export const operationMethods: readonly Method[] = [
  ...following('Microsoft.Network', 'none'),
  ...following('Microsoft.Compute', 'GetOperation'),
  ...following('Microsoft.Resources', 'none'),
];

function following(namespace: string, rateLimit: RateLimit): readonly Method[] {
  return [
    method({
      verb: 'GET',
      path: `/providers/${namespace}/locations/{location}/operations/{operation}`,
      action: 'operations.get',
      rateLimit,
      answer: (asked) => {
        const operation = operationOf(asked.subscription, asked.parameters.operation);
        const headers = operation.outcome.status === 'InProgress' ? retryAfter(asked) : {};
        return { status: 200, body: operationBody(operation), headers };
      },
    }),
    method({
      verb: 'GET',
      path: `/providers/${namespace}/locations/{location}/operationResults/{operation}`,
      action: 'operationResults.get',
      rateLimit,
      answer: (asked) => result(asked, asked.parameters.operation),
    }),
  ];
}

/** 202 while it runs, then that it is done, or the failure with its own status. Network ends with 204, the others with 200. */
function result(asked: Asked, id: string): Reply {
  const operation = operationOf(asked.subscription, id);
  switch (operation.outcome.status) {
    case 'InProgress':
      return { status: 202, headers: operationHeaders(asked, operation) };
    case 'Succeeded':
      return { status: operation.place.namespace === 'Microsoft.Network' ? 204 : 200 };
    case 'Failed':
      return { status: operation.outcome.refusal.status, body: errorBody(operation.outcome.refusal) };
  }
}
