import type { MapNode, TrafficMap } from '../effect/map.ts';
import { nameIn } from '../resource.ts';
import { servicesJson } from './effect.ts';
import { ruleJson } from './reach.ts';

export const mapNodeKinds = [
  'internet',
  'block',
  'scope',
  'network',
  'subnet',
  'group',
  'instance',
  'rest',
] as const satisfies readonly MapNode['kind'][];

const mostUnknown = 100;

/** The map as data, for the API. */
export const mapJson = ({ nodes, edges, hidden, unknown }: TrafficMap) => ({
  nodes: nodes.map(nodeJson),
  edges: edges.map(({ open, maybe, rules, ...edge }) => ({
    ...edge,
    open: open.map(servicesJson),
    maybe: maybe.map(servicesJson),
    rules: rules.map((rule) => ({ ...ruleJson(rule), violates: rule.violates })),
  })),
  hidden,
  unknown: unknown.slice(0, mostUnknown),
  unknownCount: unknown.length,
});

const nodeJson = ({ id, kind, name, parent, scope, address, cidrs, memberships, machines, ...node }: MapNode) => ({
  ...{ id, kind, name, parent, scope, address, cidrs },
  groups: memberships.map((ref) => nameIn(ref, 'group')),
  instances: machines,
  status: node.condition?.status,
  violations: node.condition?.violations ?? 0,
  exposed: node.exposure?.answer,
  exposedReason: node.exposure?.reason,
  counts: node.trouble,
  collapsed: node.isCollapsed,
  unknown: node.doubts,
});
