import { notFound } from '../errors.ts';
import { aggregatedList, type Listing, list, SCOPES } from '../listing.ts';
import { type MachineType, machineTypeNamed, machineTypesIn } from '../machine-types.ts';
import { aggregatedList as everywhere, get, list as inZone, type Method } from '../method.ts';
import { nameIn, pathTo } from '../place.ts';
import type { Project } from '../project.ts';
import type { Json, Resource, Scope } from '../records.ts';
import { resourceJson } from '../resource.ts';

interface Offer extends Resource {
  readonly type: MachineType;
}

/** https://docs.cloud.google.com/compute/docs/reference/rest/v1/machineTypes; custom types can be got, but are not listed. */
export const machineTypeMethods: readonly Method[] = [
  get({
    id: 'compute.machineTypes.get',
    path: 'zones/{zone}/machineTypes/{machineType}',
    run: ({ project }, { at }) => {
      const { zone = '', machineType = '' } = at;
      const type = machineTypeNamed(zone, machineType);
      if (!type) throw notFound(pathTo(project, `zones/${zone}/machineTypes/${machineType}`));
      return machineTypeJson(project, offer(`zones/${zone}`, type));
    },
  }),
  inZone({
    id: 'compute.machineTypes.list',
    path: 'zones/{zone}/machineTypes',
    run: (context, asked) => {
      const scope: Scope = `zones/${asked.at['zone']}`;
      return list(context, asked, scope, listing(context.project, 'compute#machineTypeList', [scope]));
    },
  }),
  everywhere({
    id: 'compute.machineTypes.aggregatedList',
    path: 'aggregated/machineTypes',
    run: (context, asked) =>
      aggregatedList(
        context,
        asked,
        SCOPES.zones,
        listing(context.project, 'compute#machineTypeAggregatedList', SCOPES.zones),
      ),
  }),
];

function listing(project: Project, kind: string, scopes: readonly Scope[]): Listing<Offer> {
  return {
    collection: 'machineTypes',
    kind,
    records: scopes.flatMap((scope) => machineTypesIn(nameIn(scope)).map((type) => offer(scope, type))),
    render: (each) => machineTypeJson(project, each),
  };
}

/** Google's types are as old as time. */
function offer(scope: Scope, type: MachineType): Offer {
  const { name, number, description } = type;
  return { id: `${scope}/machineTypes/${name}`, number, name, scope, createdAt: 0, description, type };
}

/** `zone` is a name here, not a link. */
function machineTypeJson(project: Project, offered: Offer): Json {
  const { scope, type } = offered;
  return {
    ...resourceJson(project, 'machineType', offered),
    guestCpus: type.cpus,
    memoryMb: type.memoryMb,
    imageSpaceGb: 0,
    maximumPersistentDisks: type.chip.shared ? 16 : 128,
    maximumPersistentDisksSizeGb: type.chip.shared ? '3072' : '263168',
    zone: nameIn(scope),
    isSharedCpu: type.chip.shared,
    architecture: type.chip.architecture,
  };
}
