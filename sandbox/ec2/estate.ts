import { type RegionForm, readEstate } from './estate-form.ts';
import { explained, type Loading } from './estate-loading.ts';
import { loadInstance, loadInterface } from './estate-machines.ts';
import { defaultVpc, loadVpc } from './estate-network.ts';
import type { Region } from './region.ts';
import { noTags } from './tags.ts';

/** Puts what a file says into the world, as if it had long been there. Throws a `JsonProblem` that says where. */
export function loadEstate(document: unknown, regionOf: (account: string, name: string) => Region, now: number): void {
  readEstate(document, '').regions.forEach((form, index) => {
    const region = regionOf(form.account, form.region);
    loadRegion({ region, now, path: `regions[${index}]`, ids: new Map() }, form);
  });
}

function loadRegion(loading: Loading, form: RegionForm): void {
  const { region } = loading;
  const { images = [], vpcs = [], instances = [], interfaces = [] } = form;
  for (const image of images) {
    const {
      id,
      name = id,
      architecture = 'x86_64',
      rootDevice = '/dev/xvda',
      rootSize = 8,
      owner = region.account,
    } = image;
    region.images.put({ id, tags: noTags, name, architecture, rootDevice, rootSize, ownerId: owner });
  }
  if (form.defaultVpc) loadVpc({ ...loading, path: `${loading.path}.defaultVpc` }, defaultVpc(region), true);
  vpcs.forEach((vpc, index) => {
    loadVpc({ ...loading, path: `${loading.path}.vpcs[${index}]` }, vpc, false);
  });
  instances.forEach((each, index) => {
    const here = { ...loading, path: `${loading.path}.instances[${index}]` };
    explained(here, () => loadInstance(here, each));
  });
  interfaces.forEach((each, index) => {
    const here = { ...loading, path: `${loading.path}.interfaces[${index}]` };
    explained(here, () => loadInterface(here, each));
  });
}
