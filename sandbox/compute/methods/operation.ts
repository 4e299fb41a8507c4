import { notFound } from '../errors.ts';
import { aggregatedList, list, SCOPES, seenIn } from '../listing.ts';
import {
  type Asked,
  aggregatedList as aggregated,
  type Context,
  get,
  list as listMethod,
  type Method,
} from '../method.ts';
import { operationJson } from '../operation.ts';
import { pathTo } from '../place.ts';
import type { Operation, Scope } from '../records.ts';

/** "waits for up to 2 minutes": https://docs.cloud.google.com/compute/docs/reference/rest/v1/globalOperations/wait */
const LONGEST_WAIT_MS = 120_000;

export const operationMethods: readonly Method[] = [
  ...methodsOf('compute.globalOperations', 'global', () => 'global'),
  ...methodsOf('compute.regionOperations', 'regions/{region}', ({ at }) => `regions/${at['region']}`),
  ...methodsOf('compute.zoneOperations', 'zones/{zone}', ({ at }) => `zones/${at['zone']}`),
  aggregated({
    id: 'compute.globalOperations.aggregatedList',
    path: 'aggregated/operations',
    run: (context, asked) =>
      aggregatedList(context, asked, [...SCOPES.global, ...SCOPES.regions, ...SCOPES.zones], {
        collection: 'operations',
        kind: 'compute#operationAggregatedList',
        records: seenIn(context.project.operations),
        render: (operation) => operationJson(context.project, context.now, operation),
      }),
  }),
];

function methodsOf(service: string, path: string, scopeOf: (asked: Asked) => Scope): readonly Method[] {
  return [
    {
      ...get({
        id: `${service}.get`,
        path: `${path}/operations/{operation}`,
        run: (context, asked) =>
          operationJson(context.project, context.now, operationOf(context, scopeOf(asked), asked)),
      }),
      quota: 'operation-read',
    },
    listMethod({
      id: `${service}.list`,
      path: `${path}/operations`,
      run: (context, asked) =>
        list(context, asked, scopeOf(asked), {
          collection: 'operations',
          kind: 'compute#operationList',
          records: context.project.operations.of(scopeOf(asked)),
          render: (operation) => operationJson(context.project, context.now, operation),
        }),
    }),
    {
      id: `${service}.wait`,
      verb: 'POST',
      path: `${path}/operations/{operation}/wait`,
      mutates: false,
      quota: 'operation-wait',
      query: [],
      run: async (context, asked) => {
        const { time, done } = operationOf(context, scopeOf(asked), asked);
        const ms = Math.min(Math.max(0, time.end - context.now), LONGEST_WAIT_MS);
        if (!done) await context.wait(ms);
        return operationJson(context.project, context.now + ms, operationOf(context, scopeOf(asked), asked));
      },
    },
  ];
}

function operationOf({ project }: Context, scope: Scope, { at }: Asked): Operation {
  const id = `${scope}/operations/${at['operation']}`;
  const operation = project.operations.get(id);
  if (!operation) throw notFound(pathTo(project, id));
  return operation;
}
