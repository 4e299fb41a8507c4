import { inUse, invalid, notFound, required } from '../errors.ts';
import {
  associationMessage,
  effectiveFirewallsJson,
  firewallPolicyJson,
  firewallPolicyMessage,
  policyRule,
  policyRuleMessage,
  predefinedRules,
} from '../firewall-policy.ts';
import { list, seenIn } from '../listing.ts';
import { type Asked, type Context, get, list as listMethod, type Method, write } from '../method.ts';
import { begin } from '../operation.ts';
import { pathTo, referenceTo } from '../place.ts';
import { freshNumber } from '../project.ts';
import type { FirewallPolicy, Json, Operation, Scope } from '../records.ts';
import { checkedDescription, checkedName, mustBeFree, referenced, seen, target } from '../resource.ts';

const scopeOf = ({ at }: Asked): Scope => (at['region'] === undefined ? 'global' : `regions/${at['region']}`);

const idOf = (asked: Asked): string => `${scopeOf(asked)}/firewallPolicies/${asked.at['firewallPolicy']}`;

/**
 * https://docs.cloud.google.com/compute/docs/reference/rest/v1/networkFirewallPolicies and
 * https://docs.cloud.google.com/compute/docs/reference/rest/v1/regionNetworkFirewallPolicies
 */
export const firewallPolicyMethods: readonly Method[] = [
  get({
    id: 'compute.networks.getEffectiveFirewalls',
    path: 'global/networks/{network}/getEffectiveFirewalls',
    run: ({ project }, { at }) => {
      const network = seen(project, project.networks, `global/networks/${at['network']}`);
      return effectiveFirewallsJson(project, network, undefined);
    },
  }),
  // why: before `get`, whose path fits it too
  { ...get({ ...effectiveRow(), run: effectiveIn }), query: ['network'] },
  ...methodsAt('networkFirewallPolicies', 'global/firewallPolicies'),
  ...methodsAt('regionNetworkFirewallPolicies', 'regions/{region}/firewallPolicies'),
];

function effectiveRow() {
  return {
    id: 'compute.regionNetworkFirewallPolicies.getEffectiveFirewalls',
    path: 'regions/{region}/firewallPolicies/getEffectiveFirewalls',
  };
}

function effectiveIn({ project }: Context, { at, query }: Asked): Json {
  const value = query['network'];
  if (!value) throw required('network');
  const network = seen(project, project.networks, referenceTo(project, 'networks', { value, field: 'network' }));
  return effectiveFirewallsJson(project, network, at['region']);
}

function methodsAt(service: string, all: string): readonly Method[] {
  const one = `${all}/{firewallPolicy}`;
  const id = (method: string): string => `compute.${service}.${method}`;
  return [
    get({
      id: id('get'),
      path: one,
      run: ({ project }, asked) => firewallPolicyJson(project, seen(project, project.firewallPolicies, idOf(asked))),
    }),
    listMethod({
      id: id('list'),
      path: all,
      run: (context, asked) =>
        list(context, asked, scopeOf(asked), {
          collection: 'firewallPolicies',
          kind: 'compute#firewallPolicyList',
          records: seenIn(context.project.firewallPolicies, scopeOf(asked)),
          render: (policy) => firewallPolicyJson(context.project, policy),
        }),
    }),
    write({ id: id('insert'), verb: 'POST', path: all, run: insert }),
    write({ id: id('addRule'), verb: 'POST', path: `${one}/addRule`, run: addRule }),
    write({
      ...{ id: id('removeRule'), verb: 'POST', path: `${one}/removeRule`, run: removeRule },
      query: ['priority'],
    }),
    write({ id: id('addAssociation'), verb: 'POST', path: `${one}/addAssociation`, run: addAssociation }),
    write({
      ...{ id: id('removeAssociation'), verb: 'POST', path: `${one}/removeAssociation`, run: removeAssociation },
      query: ['name'],
    }),
    write({ id: id('delete'), verb: 'DELETE', path: one, run: remove }),
  ];
}

function insert(context: Context, asked: Asked): Operation {
  const { project, now } = context;
  const given = firewallPolicyMessage(asked.body, 'resource');
  const name = checkedName(given.name);
  const scope = scopeOf(asked);
  const id = `${scope}/firewallPolicies/${name}`;
  mustBeFree(project, project.firewallPolicies, id);
  const policy: FirewallPolicy = {
    ...{ id, name, scope, number: freshNumber(project), createdAt: now, associations: [] },
    description: checkedDescription(given.description),
    rules: [
      ...(given.rules ?? []).map((rule, index) => policyRule(rule, `resource.rules[${index}]`)),
      ...predefinedRules,
    ],
  };
  return begin(context, {
    type: 'insert',
    target: policy,
    ms: project.durations.network,
    finish: () => void project.firewallPolicies.put(policy),
  });
}

const changed = (context: Context, type: string, policy: FirewallPolicy, to: Partial<FirewallPolicy>): Operation =>
  begin(context, {
    ...{ type, target: policy, ms: context.project.durations.network },
    finish: () => void context.project.firewallPolicies.put({ ...policy, ...to }),
  });

function addRule(context: Context, asked: Asked): Operation {
  const { project } = context;
  const policy = target(project, project.firewallPolicies, idOf(asked));
  const rule = policyRule(policyRuleMessage(asked.body, 'resource'), 'resource');
  if (policy.rules.some(({ priority }) => priority === rule.priority))
    throw invalid('resource.priority', rule.priority, 'The priority is taken by another rule.');
  return changed(context, 'addRule', policy, { rules: [...policy.rules, rule] });
}

function removeRule(context: Context, asked: Asked): Operation {
  const { project } = context;
  const policy = target(project, project.firewallPolicies, idOf(asked));
  const wanted = asked.query['priority'] ?? '';
  if (!policy.rules.some(({ priority }) => `${priority}` === wanted))
    throw invalid('priority', wanted, 'The policy has no rule of this priority.');
  const rules = policy.rules.filter(({ priority }) => `${priority}` !== wanted);
  return changed(context, 'removeRule', policy, { rules });
}

/** "A VPC network can have one global policy, and one in each region": https://docs.cloud.google.com/firewall/docs/network-firewall-policies */
function addAssociation(context: Context, asked: Asked): Operation {
  const { project } = context;
  const policy = target(project, project.firewallPolicies, idOf(asked));
  const given = associationMessage(asked.body, 'resource');
  if (!given.attachmentTarget) throw required('resource.attachmentTarget');
  const field = { value: given.attachmentTarget, field: 'resource.attachmentTarget' };
  const network = referenced(project, { table: project.networks, collection: 'networks' }, field);
  const others = [...project.firewallPolicies.values()].filter(({ scope }) => scope === policy.scope);
  if (others.some(({ associations }) => associations.some((one) => one.network === network.id)))
    throw invalid(field.field, field.value, 'The network has a policy already.');
  const associations = [...policy.associations, { name: given.name ?? network.name, network: network.id }];
  return changed(context, 'addAssociation', policy, { associations });
}

function removeAssociation(context: Context, asked: Asked): Operation {
  const { project } = context;
  const policy = target(project, project.firewallPolicies, idOf(asked));
  const { name = '' } = asked.query;
  const associations = policy.associations.filter((one) => one.name !== name);
  if (associations.length === policy.associations.length)
    throw notFound(`${pathTo(project, policy.id)}/associations/${name}`);
  return changed(context, 'removeAssociation', policy, { associations });
}

function remove(context: Context, asked: Asked): Operation {
  const { project } = context;
  const policy = target(project, project.firewallPolicies, idOf(asked));
  const [held] = policy.associations;
  if (held) throw inUse('firewallPolicy', pathTo(project, policy.id), pathTo(project, held.network));
  return begin(context, {
    ...{ type: 'delete', target: policy, ms: project.durations.network },
    finish: () => project.firewallPolicies.remove(policy.id),
  });
}
