import { refused } from '../errors.ts';
import { instanceJson, instanceMessage } from '../instance.ts';
import { insertInstance } from '../instance-insert.ts';
import { beginDelete, beginReset, beginStart, beginStop, seenInstance, targetInstance } from '../instance-power.ts';
import { aggregatedList, type Listing, list, SCOPES, seenIn } from '../listing.ts';
import { type Context, aggregatedList as everywhere, get, list as inZone, type Method, write } from '../method.ts';
import type { Instance, Scope } from '../records.ts';

const INSTANCES = 'zones/{zone}/instances';

const INSTANCE = `${INSTANCES}/{instance}`;

/** https://docs.cloud.google.com/compute/docs/reference/rest/v1/instances; what changes one is in `instance-change.ts`. */
export const instanceMethods: readonly Method[] = [
  get({
    id: 'compute.instances.get',
    path: INSTANCE,
    run: (context, asked) => instanceJson(context.project, seenInstance(context, asked)),
  }),
  inZone({
    id: 'compute.instances.list',
    path: INSTANCES,
    run: (context, asked) => {
      const scope: Scope = `zones/${asked.at['zone']}`;
      return list(context, asked, scope, listing(context, 'compute#instanceList', scope));
    },
  }),
  everywhere({
    id: 'compute.instances.aggregatedList',
    path: 'aggregated/instances',
    run: (context, asked) =>
      aggregatedList(context, asked, SCOPES.zones, listing(context, 'compute#instanceAggregatedList')),
  }),
  write({
    id: 'compute.instances.insert',
    verb: 'POST',
    path: INSTANCES,
    run: (context, { at, body }) =>
      insertInstance(context, `zones/${at['zone']}`, instanceMessage(body ?? {}, 'resource')),
  }),
  write({
    id: 'compute.instances.delete',
    verb: 'DELETE',
    path: INSTANCE,
    query: ['noGracefulShutdown'],
    run: (context, asked) => {
      const instance = targetInstance(context, asked);
      // The words are those of https://github.com/hashicorp/terraform-provider-google/pull/1211
      if (instance.settings.deletionProtection)
        throw refused(
          'invalidResourceUsage',
          "Invalid resource usage: 'Resource cannot be deleted if it's protected against deletion.'.",
        );
      return beginDelete(context, instance);
    },
  }),
  write({
    id: 'compute.instances.start',
    verb: 'POST',
    path: `${INSTANCE}/start`,
    run: (context, asked) => beginStart(context, targetInstance(context, asked)),
  }),
  write({
    id: 'compute.instances.stop',
    verb: 'POST',
    path: `${INSTANCE}/stop`,
    query: ['discardLocalSsd', 'noGracefulShutdown'],
    run: (context, asked) => beginStop(context, targetInstance(context, asked)),
  }),
  write({
    id: 'compute.instances.reset',
    verb: 'POST',
    path: `${INSTANCE}/reset`,
    run: (context, asked) => beginReset(context, targetInstance(context, asked)),
  }),
];

function listing({ project }: Context, kind: string, scope?: Scope): Listing<Instance> {
  return {
    collection: 'instances',
    kind,
    records: seenIn(project.instances, scope),
    render: (instance) => instanceJson(project, instance),
  };
}
