import { addressNumber, addressText } from '../address.ts';
import { parseCidr } from '../cidr.ts';
import { invalid, required } from './errors.ts';
import { orNone } from './firewall-traffic.ts';
import { referenceTo } from './place.ts';
import type { Project } from './project.ts';
import type { NextHop, Route } from './records.ts';
import { checkedDescription } from './resource.ts';
import { INTERNET_GATEWAY } from './route-json.ts';
import { listOf } from './wire/collection.ts';
import { type Message, message } from './wire/message.ts';
import { text, whole } from './wire/scalar.ts';

const fields = {
  name: text,
  description: text,
  network: text,
  destRange: text,
  priority: whole,
  tags: listOf(text),
  nextHopGateway: text,
  nextHopIp: text,
  nextHopInstance: text,
} as const;

/** https://docs.cloud.google.com/compute/docs/reference/rest/v1/routes */
export const routeMessage = message(fields, {
  outputs: [
    'kind',
    'id',
    'creationTimestamp',
    'selfLink',
    'selfLinkWithId',
    'asPaths',
    'nextHopHub',
    'nextHopInterRegionCost',
    'nextHopInterconnectAttachment',
    'nextHopMed',
    'nextHopOrigin',
    'nextHopPeering',
    'routeStatus',
    'routeType',
    'warnings',
  ],
  unmodelled: ['nextHopIlb', 'nextHopNetwork', 'nextHopVpnTunnel', 'params'],
});

export type RouteMessage = Message<typeof fields>;

export type RouteContent = Pick<Route, 'description' | 'destination' | 'priority' | 'tags' | 'next'>;

export function routeContent(project: Project, asked: RouteMessage): RouteContent {
  const { destRange, priority = 1000 } = asked;
  if (!destRange) throw required('resource.destRange');
  const cidr = parseCidr(destRange, destRange.includes(':') ? 'ipv6' : 'ipv4');
  if (!cidr) throw invalid('resource.destRange', destRange, 'Must be a valid CIDR address range.');
  if (priority < 0 || priority > 65_535)
    throw invalid('resource.priority', priority, 'Must be between 0 and 65535, inclusive.');
  return {
    description: checkedDescription(asked.description),
    destination: cidr.text,
    priority,
    tags: orNone(asked.tags),
    next: nextHop(project, asked),
  };
}

function nextHop(project: Project, { nextHopGateway, nextHopIp, nextHopInstance }: RouteMessage): NextHop {
  const given = [nextHopGateway, nextHopIp, nextHopInstance].filter((hop) => hop !== undefined);
  if (given.length !== 1) throw invalid('resource', '', 'Exactly one next hop must be specified.');
  if (nextHopIp !== undefined) {
    const parsed = addressNumber(nextHopIp);
    if (!parsed) throw invalid('resource.nextHopIp', nextHopIp, 'Must be a valid IP address.');
    return { kind: 'ip', address: addressText(parsed.number, parsed.family) };
  }
  if (nextHopInstance !== undefined) {
    const field = 'resource.nextHopInstance';
    return { kind: 'instance', instance: referenceTo(project, 'instances', { value: nextHopInstance, field }) };
  }
  const field = 'resource.nextHopGateway';
  const gateway = referenceTo(project, 'gateways', { value: nextHopGateway ?? '', field });
  if (gateway !== INTERNET_GATEWAY)
    throw invalid(field, nextHopGateway, 'There is no other than the default internet gateway.');
  return { kind: 'internet' };
}
