import { invalid, refused } from '../errors.ts';
import { type FirewallMessage, firewallContent, firewallJson, firewallMessage } from '../firewall.ts';
import { globalList } from '../listing.ts';
import { type Asked, type Context, get, list, type Method, write } from '../method.ts';
import { begin } from '../operation.ts';
import { referenceTo } from '../place.ts';
import { freshNumber, type Project } from '../project.ts';
import type { Firewall, Operation } from '../records.ts';
import { checkedName, mustBeFree, referenced, seen, target } from '../resource.ts';

const idOf = ({ at }: Asked): string => `global/firewalls/${at['firewall']}`;

const ONE = 'global/firewalls/{firewall}';

/** https://docs.cloud.google.com/compute/docs/reference/rest/v1/firewalls */
export const firewallMethods: readonly Method[] = [
  get({
    id: 'compute.firewalls.get',
    path: ONE,
    run: ({ project }, asked) => firewallJson(project, seen(project, project.firewalls, idOf(asked))),
  }),
  list({
    id: 'compute.firewalls.list',
    path: 'global/firewalls',
    run: globalList('firewall', ({ firewalls }) => firewalls, firewallJson),
  }),
  write({ id: 'compute.firewalls.insert', verb: 'POST', path: 'global/firewalls', run: insert }),
  write({
    id: 'compute.firewalls.patch',
    verb: 'PATCH',
    path: ONE,
    run: (context, asked) => {
      const { project } = context;
      const before = target(project, project.firewalls, idOf(asked));
      const known = firewallMessage(firewallJson(project, before), 'resource');
      return change(context, 'patch', { before, wanted: { ...known, ...firewallMessage(asked.body, 'resource') } });
    },
  }),
  write({
    id: 'compute.firewalls.update',
    verb: 'PUT',
    path: ONE,
    run: (context, asked) => {
      const before = target(context.project, context.project.firewalls, idOf(asked));
      return change(context, 'update', { before, wanted: firewallMessage(asked.body, 'resource') });
    },
  }),
  write({
    id: 'compute.firewalls.delete',
    verb: 'DELETE',
    path: ONE,
    run: (context, asked) => {
      const { project } = context;
      const firewall = target(project, project.firewalls, idOf(asked));
      return begin(context, {
        type: 'delete',
        target: firewall,
        ms: project.durations.network,
        finish: () => project.firewalls.remove(firewall.id),
      });
    },
  }),
];

function insert(context: Context, asked: Asked): Operation {
  const { project, now } = context;
  const given = firewallMessage(asked.body, 'resource');
  const name = checkedName(given.name);
  const content = firewallContent(given);
  const id = `global/firewalls/${name}`;
  const field = { value: given.network || 'global/networks/default', field: 'resource.network' };
  const network = referenced(project, { table: project.networks, collection: 'networks' }, field);
  mustBeFree(project, project.firewalls, id);
  mustFit(project);
  const firewall: Firewall = {
    id,
    number: freshNumber(project),
    name,
    scope: 'global',
    createdAt: now,
    network: network.id,
    ...content,
  };
  return begin(context, {
    type: 'insert',
    target: firewall,
    ms: project.durations.network,
    finish: () => void project.firewalls.put(firewall),
  });
}

interface Change {
  readonly before: Firewall;
  /** The whole of what it shall be, name, network and direction included if they are given. */
  readonly wanted: FirewallMessage;
}

function change(context: Context, type: string, { before, wanted }: Change): Operation {
  const { project } = context;
  mustKeep(project, before, wanted);
  const after: Firewall = { ...before, ...firewallContent({ direction: before.direction, ...wanted }) };
  return begin(context, {
    type,
    target: before,
    ms: project.durations.network,
    finish: () => void project.firewalls.put(after),
  });
}

/** A rule's name, network and direction are for life: https://docs.cloud.google.com/firewall/docs/using-firewalls#updating_firewall_rules */
function mustKeep(project: Project, before: Firewall, { name, network, direction }: FirewallMessage): void {
  if (name !== undefined && name !== before.name)
    throw invalid('resource.name', name, `Cannot be changed from '${before.name}'.`);
  if (direction !== undefined && direction !== before.direction)
    throw invalid('resource.direction', direction, 'Direction cannot be changed.');
  if (network && referenceTo(project, 'networks', { value: network, field: 'resource.network' }) !== before.network)
    throw invalid('resource.network', network, 'Network cannot be changed.');
}

function mustFit(project: Project): void {
  const { firewalls } = project.quotas;
  if ([...project.firewalls.values()].length >= firewalls)
    throw refused('quotaExceeded', `Quota 'FIREWALLS' exceeded.  Limit: ${firewalls.toFixed(1)} globally.`);
}
