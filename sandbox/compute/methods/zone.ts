import { notFound } from '../errors.ts';
import { page } from '../listing.ts';
import { type Asked, type Context, get, list, type Method } from '../method.ts';
import { linkTo, pathTo } from '../place.ts';
import type { Project } from '../project.ts';
import type { Json, Resource } from '../records.ts';
import { quotasOf } from '../region-quotas.ts';
import { resourceJson } from '../resource.ts';
import { type Location, REGIONS, ZONES, type Zone } from '../zones.ts';

/** Zones, or regions: places that lie in no scope but are scopes themselves. */
interface Places<T extends Location> {
  readonly collection: 'zones' | 'regions';
  readonly kind: 'zone' | 'region';
  readonly all: readonly T[];
  readonly json: (project: Project, place: T) => Json;
}

/** https://docs.cloud.google.com/compute/docs/reference/rest/v1/zones and .../regions */
export const zoneMethods: readonly Method[] = [
  ...methodsOf<Zone>({
    collection: 'zones',
    kind: 'zone',
    all: ZONES,
    json: (project, { region }) => ({ region: linkTo(project, `regions/${region}`) }),
  }),
  ...methodsOf<Location>({
    collection: 'regions',
    kind: 'region',
    all: REGIONS,
    json: (project, { name }) => ({
      quotas: quotasOf(project, name),
      zones: ZONES.filter(({ region }) => region === name).map((zone) => linkTo(project, `zones/${zone.name}`)),
    }),
  }),
];

function methodsOf<T extends Location>(places: Places<T>): readonly Method[] {
  const { collection, kind, all } = places;
  return [
    get({
      id: `compute.${collection}.get`,
      path: `${collection}/{${kind}}`,
      run: ({ project }, { at }) => {
        const found = all.find(({ name }) => name === at[kind]);
        if (!found) throw notFound(pathTo(project, `${collection}/${at[kind]}`));
        return placeJson(project, places, found);
      },
    }),
    list({
      id: `compute.${collection}.list`,
      path: collection,
      run: (context, asked) => listed(context, asked, places),
    }),
  ];
}

function listed<T extends Location>(context: Context, asked: Asked, places: Places<T>): Json {
  const { project } = context;
  const { collection, kind, all } = places;
  const { records, nextPageToken } = page(context, asked, {
    collection,
    kind: `compute#${kind}List`,
    records: all.map((place) => ({ ...recordOf(places, place), place })),
    render: ({ place }) => placeJson(project, places, place),
  });
  return {
    kind: `compute#${kind}List`,
    id: pathTo(project, collection),
    items: records.map(({ place }) => placeJson(project, places, place)),
    ...(nextPageToken === undefined ? {} : { nextPageToken }),
    selfLink: linkTo(project, collection),
  };
}

function recordOf<T extends Location>({ collection }: Places<T>, { name, number }: T): Resource {
  return { id: `${collection}/${name}`, number, name, scope: 'global', createdAt: 0, description: name };
}

function placeJson<T extends Location>(project: Project, places: Places<T>, place: T): Json {
  return {
    ...resourceJson(project, places.kind, recordOf(places, place)),
    status: 'UP',
    ...places.json(project, place),
    supportsPzs: true,
  };
}
