import { conditionNotMet, inUse, invalid, required } from '../errors.ts';
import { utilizationOf } from '../instance.ts';
import { aggregatedList, type Listing, list, SCOPES, seenIn } from '../listing.ts';
import { flag, message, text } from '../message.ts';
import {
  type Asked,
  aggregatedList as aggregated,
  type Context,
  get,
  list as listMethod,
  type Method,
  write,
} from '../method.ts';
import { begin } from '../operation.ts';
import { refreshPeeringRoutes } from '../peering.ts';
import { nameIn, pathTo } from '../place.ts';
import { freshNumber, type Project } from '../project.ts';
import type { Operation, Scope, Subnetwork } from '../records.ts';
import { checkedDescription, checkedName, mustBeFree, referenced, seen, target } from '../resource.ts';
import { addSubnetworkRoutes, removeSubnetworkRoutes } from '../route.ts';
import {
  checkedRange,
  knownSubnetwork,
  logOf,
  mustGrow,
  mustNotOverlap,
  secondaryOf,
  subnetworkFingerprint,
  subnetworkJson,
  subnetworkMessage,
} from '../subnetwork.ts';

const scopeOf = ({ at }: Asked): Scope => `regions/${at['region']}`;

const idOf = (asked: Asked): string => `${scopeOf(asked)}/subnetworks/${asked.at['subnetwork']}`;

const ONE = 'regions/{region}/subnetworks/{subnetwork}';

const access = message({ privateIpGoogleAccess: flag });

const expansion = message({ ipCidrRange: text });

/** https://docs.cloud.google.com/compute/docs/reference/rest/v1/subnetworks */
export const subnetworkMethods: readonly Method[] = [
  {
    ...get({
      id: 'compute.subnetworks.get',
      path: ONE,
      run: ({ project }, asked) => {
        const subnetwork = seen(project, project.subnetworks, idOf(asked));
        const shown = subnetworkJson(project, subnetwork);
        if (!wantsUtilization(asked)) return shown;
        const { taken, free } = utilizationOf(project, subnetwork);
        const primary = { rangeName: '', totalAllocatedIp: String(taken), totalFreeIp: String(free) };
        return { ...shown, utilizationDetails: { ipv4Utilizations: [primary] } };
      },
    }),
    query: ['views'],
  },
  listMethod({
    id: 'compute.subnetworks.list',
    path: 'regions/{region}/subnetworks',
    run: (context, asked) => list(context, asked, scopeOf(asked), listing(context, 'List', scopeOf(asked))),
  }),
  aggregated({
    id: 'compute.subnetworks.aggregatedList',
    path: 'aggregated/subnetworks',
    run: (context, asked) => aggregatedList(context, asked, SCOPES.regions, listing(context, 'AggregatedList')),
  }),
  write({ id: 'compute.subnetworks.insert', verb: 'POST', path: 'regions/{region}/subnetworks', run: insert }),
  write({
    id: 'compute.subnetworks.patch',
    verb: 'PATCH',
    path: ONE,
    run: (context, asked) => {
      const before = target(context.project, context.project.subnetworks, idOf(asked));
      return change(context, 'patch', patched(context.project, before, asked.body));
    },
  }),
  write({
    id: 'compute.subnetworks.setPrivateIpGoogleAccess',
    verb: 'POST',
    path: `${ONE}/setPrivateIpGoogleAccess`,
    run: (context, asked) => {
      const before = target(context.project, context.project.subnetworks, idOf(asked));
      const { privateIpGoogleAccess: privateGoogleAccess } = access(asked.body, 'request');
      if (privateGoogleAccess === undefined) throw required('privateIpGoogleAccess');
      return change(context, 'setPrivateIpGoogleAccess', { ...before, privateGoogleAccess });
    },
  }),
  write({
    id: 'compute.subnetworks.expandIpCidrRange',
    verb: 'POST',
    path: `${ONE}/expandIpCidrRange`,
    run: (context, asked) => {
      const before = target(context.project, context.project.subnetworks, idOf(asked));
      const cidr = checkedRange(expansion(asked.body, 'request').ipCidrRange);
      mustGrow(before, cidr);
      return change(context, 'expandIpCidrRange', { ...before, cidr: cidr.text });
    },
  }),
  write({
    id: 'compute.subnetworks.delete',
    verb: 'DELETE',
    path: ONE,
    run: (context, asked) => {
      const { project } = context;
      const subnetwork = target(project, project.subnetworks, idOf(asked));
      mustBeUnused(project, subnetwork);
      return begin(context, {
        type: 'delete',
        target: subnetwork,
        ms: project.durations.network,
        finish: () => {
          mustBeUnused(project, subnetwork);
          removeSubnetworkRoutes(project, subnetwork);
          project.subnetworks.remove(subnetwork.id);
          refreshPeers(project, subnetwork);
        },
      });
    },
  }),
];

/** https://docs.cloud.google.com/compute/docs/reference/rest/v1/subnetworks/get: `views` */
function wantsUtilization({ query: { views = 'DEFAULT' } }: Asked): boolean {
  if (views !== 'DEFAULT' && views !== 'WITH_UTILIZATION')
    throw invalid('views', views, 'Supported values are DEFAULT and WITH_UTILIZATION.');
  return views === 'WITH_UTILIZATION';
}

function listing({ project }: Context, kind: string, scope?: Scope): Listing<Subnetwork> {
  return {
    collection: 'subnetworks',
    kind: `compute#subnetwork${kind}`,
    records: seenIn(project.subnetworks, scope),
    render: (subnetwork) => subnetworkJson(project, subnetwork),
  };
}

function insert(context: Context, asked: Asked): Operation {
  const { project, now } = context;
  const scope = scopeOf(asked);
  const given = subnetworkMessage(asked.body, 'resource');
  const name = checkedName(given.name);
  const id = `${scope}/subnetworks/${name}`;
  if (given.region && nameIn(given.region) !== nameIn(scope))
    throw invalid('resource.region', given.region, `The request is for ${nameIn(scope)}.`);
  if (!given.network) throw required('resource.network');
  const cidr = checkedRange(given.ipCidrRange);
  const field = { value: given.network, field: 'resource.network' };
  const network = referenced(project, { table: project.networks, collection: 'networks' }, field);
  mustBeFree(project, project.subnetworks, id);
  const subnetwork: Subnetwork = {
    id,
    number: freshNumber(project),
    name,
    scope,
    createdAt: now,
    description: checkedDescription(given.description),
    network: network.id,
    cidr: cidr.text,
    secondary: secondaryOf(given),
    ipv6: { internal: undefined, external: undefined },
    privateGoogleAccess: given.privateIpGoogleAccess ?? false,
    log: logOf(given),
  };
  return begin(context, {
    type: 'insert',
    target: subnetwork,
    ms: project.durations.network,
    finish: () => {
      mustNotOverlap(project, subnetwork);
      addSubnetworkRoutes(project, project.subnetworks.put(subnetwork));
      refreshPeers(project, subnetwork);
    },
  });
}

function change(context: Context, type: string, after: Subnetwork): Operation {
  const { project } = context;
  return begin(context, {
    type,
    target: after,
    ms: project.durations.network,
    finish: () => {
      mustNotOverlap(project, after);
      const before = project.subnetworks.get(after.id);
      project.subnetworks.put(after);
      if (before?.cidr === after.cidr && before.secondary === after.secondary) return;
      removeSubnetworkRoutes(project, after);
      addSubnetworkRoutes(project, after);
      refreshPeers(project, after);
    },
  });
}

/** The networks that a network is peered with have routes to its subnetworks. */
function refreshPeers(project: Project, { network }: Subnetwork): void {
  if (project.networks.get(network)?.peerings.length) refreshPeeringRoutes(project);
}

/** `patch` changes only the fields whose description allows it. A request may send the others unchanged. */
function patched(project: Project, before: Subnetwork, body: unknown): Subnetwork {
  const patch = subnetworkMessage(body, 'resource');
  const known = knownSubnetwork(project, before);
  for (const key of ['name', 'description', 'network', 'ipCidrRange', 'region', 'privateIpGoogleAccess'] as const)
    if (key in patch && patch[key] !== known[key])
      throw invalid(`resource.${key}`, patch[key], 'This field of a subnetwork cannot be changed by patch.');
  if (patch.fingerprint !== subnetworkFingerprint(before)) throw conditionNotMet('Invalid fingerprint.');
  const { logConfig, enableFlowLogs } = patch;
  const after = 'secondaryIpRanges' in patch ? { ...before, secondary: secondaryOf(patch) } : before;
  if (logConfig === undefined && enableFlowLogs === undefined) return after;
  const enable = logConfig?.enable ?? enableFlowLogs ?? known.logConfig?.enable ?? false;
  return { ...after, log: logOf({ logConfig: { ...known.logConfig, ...logConfig, enable } }) };
}

/** Refused at once: https://docs.cloud.google.com/vpc/docs/create-modify-vpc-networks#delete-subnet */
function mustBeUnused(project: Project, subnetwork: Subnetwork): void {
  for (const instance of project.instances.values())
    if (instance.nic.subnetwork === subnetwork.id)
      throw inUse('subnetwork', pathTo(project, subnetwork.id), pathTo(project, instance.id));
}
