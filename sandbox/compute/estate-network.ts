import { type Cidr, overlaps } from '../cidr.ts';
import { JsonProblem } from '../json-problem.ts';
import { addInternetRoute, addSubnetworkRoute } from './default-routes.ts';
import type { NetworkForm } from './estate-form.ts';
import { explained, type Loading, within } from './estate-loading.ts';
import { firewallContent, firewallMessage } from './firewall-message.ts';
import { networkContent } from './network-message.ts';
import { freshNumber } from './project.ts';
import type { Network } from './records.ts';
import { mustBeFree } from './resource.ts';
import { checkedName } from './resource-name.ts';
import { routeContent, routeMessage } from './route-message.ts';
import { checkedRange } from './subnetwork-message.ts';

export function loadNetwork(loading: Loading, form: NetworkForm): void {
  const { project, now } = loading;
  const { name, description, mtu, routingMode } = form;
  const id = `global/networks/${name}`;
  const network = explained(loading, (): Network => {
    mustBeFree(project, project.networks, id);
    const content = networkContent({
      autoCreateSubnetworks: false,
      ...(description === undefined ? {} : { description }),
      ...(mtu === undefined ? {} : { mtu }),
      ...(routingMode === undefined ? {} : { routingConfig: { routingMode } }),
    });
    return { id, number: freshNumber(project), name, scope: 'global', createdAt: now, ...content };
  });
  project.networks.put(network);
  if (form.internet ?? true) addInternetRoute(project, network);
  loadSubnetworks(loading, network, form.subnetworks ?? []);
  form.firewalls?.forEach((each, index) => {
    loadFirewall(within(loading, `firewalls[${index}]`), network, each);
  });
  form.routes?.forEach((each, index) => {
    loadRoute(within(loading, `routes[${index}]`), network, each);
  });
}

/** Overlaps are looked for once over all, in order of range: one by one they would cost the square of thousands. */
function loadSubnetworks(loading: Loading, network: Network, forms: NonNullable<NetworkForm['subnetworks']>): void {
  const { project, now } = loading;
  const ranges = forms.map(({ name, region, cidr, description }, index) => {
    const here = within(loading, `subnetworks[${index}]`);
    const scope = `regions/${region}` as const;
    const id = `${scope}/subnetworks/${name}`;
    const range = explained(here, () => {
      mustBeFree(project, project.subnetworks, id);
      return checkedRange(cidr);
    });
    const subnetwork = project.subnetworks.put({
      id,
      number: freshNumber(project),
      name,
      scope,
      createdAt: now,
      description,
      network: network.id,
      cidr: range.text,
      privateGoogleAccess: false,
      log: undefined,
    });
    addSubnetworkRoute(project, subnetwork);
    return { range, path: here.path };
  });
  mustNotOverlap(ranges);
}

function mustNotOverlap(ranges: readonly { readonly range: Cidr; readonly path: string }[]): void {
  const sorted = ranges.toSorted((a, b) => (a.range.first < b.range.first ? -1 : 1));
  for (const [index, { range, path }] of sorted.entries()) {
    const before = sorted[index - 1];
    if (before && overlaps(before.range, range))
      throw new JsonProblem(`${path}.cidr: ${range.text} overlaps ${before.range.text} of ${before.path}`);
  }
}

function loadFirewall(loading: Loading, network: Network, form: unknown): void {
  const { project, now } = loading;
  explained(loading, () => {
    const given = firewallMessage(form, 'firewall');
    const name = checkedName(given.name);
    const id = `global/firewalls/${name}`;
    mustBeFree(project, project.firewalls, id);
    const content = firewallContent(given);
    const place = { id, number: freshNumber(project), name, scope: 'global', createdAt: now } as const;
    project.firewalls.put({ ...place, network: network.id, ...content });
  });
}

function loadRoute(loading: Loading, network: Network, form: unknown): void {
  const { project, now } = loading;
  explained(loading, () => {
    const given = routeMessage(form, 'route');
    const name = checkedName(given.name);
    const id = `global/routes/${name}`;
    mustBeFree(project, project.routes, id);
    const content = routeContent(project, given);
    const place = { id, number: freshNumber(project), name, scope: 'global', createdAt: now } as const;
    project.routes.put({ ...place, network: network.id, ...content });
  });
}
