import { DISK_TYPES, type DiskType, diskTypeNamed } from '../disk.ts';
import { notFound } from '../errors.ts';
import { aggregatedList, type Listing, list, SCOPES } from '../listing.ts';
import { aggregatedList as everywhere, get, list as inZone, type Method } from '../method.ts';
import { linkTo, pathTo } from '../place.ts';
import type { Project } from '../project.ts';
import type { Json, Resource, Scope } from '../records.ts';
import { resourceJson } from '../resource.ts';

interface Offer extends Resource {
  readonly type: DiskType;
}

/** https://docs.cloud.google.com/compute/docs/reference/rest/v1/diskTypes; the same in every zone of the sandbox. */
export const diskTypeMethods: readonly Method[] = [
  get({
    id: 'compute.diskTypes.get',
    path: 'zones/{zone}/diskTypes/{diskType}',
    run: ({ project }, { at }) => {
      const { zone, diskType = '' } = at;
      const type = diskTypeNamed(diskType);
      if (!type) throw notFound(pathTo(project, `zones/${zone}/diskTypes/${diskType}`));
      return diskTypeJson(project, offer(`zones/${zone}`, type));
    },
  }),
  inZone({
    id: 'compute.diskTypes.list',
    path: 'zones/{zone}/diskTypes',
    run: (context, asked) => {
      const scope: Scope = `zones/${asked.at['zone']}`;
      return list(context, asked, scope, listing(context.project, 'compute#diskTypeList', [scope]));
    },
  }),
  everywhere({
    id: 'compute.diskTypes.aggregatedList',
    path: 'aggregated/diskTypes',
    run: (context, asked) =>
      aggregatedList(
        context,
        asked,
        [...SCOPES.regions, ...SCOPES.zones],
        listing(context.project, 'compute#diskTypeAggregatedList', SCOPES.zones),
      ),
  }),
];

function listing(project: Project, kind: string, scopes: readonly Scope[]): Listing<Offer> {
  return {
    collection: 'diskTypes',
    kind,
    records: scopes.flatMap((scope) => DISK_TYPES.map((type) => offer(scope, type))),
    render: (each) => diskTypeJson(project, each),
  };
}

function offer(scope: Scope, type: DiskType): Offer {
  const { name, number, description } = type;
  return { id: `${scope}/diskTypes/${name}`, number, name, scope, createdAt: 0, description, type };
}

function diskTypeJson(project: Project, offered: Offer): Json {
  const { scope, type } = offered;
  return {
    ...resourceJson(project, 'diskType', offered),
    validDiskSize: `${type.smallestGb}GB-${type.largestGb}GB`,
    zone: linkTo(project, scope),
    defaultDiskSizeGb: String(type.defaultGb),
  };
}
