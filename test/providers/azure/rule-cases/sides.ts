import { lb, report, web } from './report.ts';
import type { RuleRow } from './rule-row.ts';

const { sourceAddressPrefix: _, ...fromNowhere } = report();

/** How the two ends are written: groups, blocks, service tags, anyone. */
export const sideCases: readonly RuleRow[] = [
  {
    id: 'Z07',
    name: 'groups with an empty prefix beside them',
    spec: { peers: [`group:${lb}`] },
    cloud: report({
      sourceAddressPrefix: '',
      sourceAddressPrefixes: [],
      sourceApplicationSecurityGroups: [{ id: lb }],
      destinationAddressPrefix: '',
    }),
    want: 'same',
  },
  {
    id: 'Z07',
    name: 'groups with a prefix beside them',
    spec: { peers: [`group:${lb}`] },
    cloud: report({ sourceAddressPrefix: '10.0.0.0/8', sourceApplicationSecurityGroups: [{ id: lb }] }),
    want: 'drift',
  },
  {
    id: 'Z08',
    name: 'ids of groups in another case',
    spec: { peers: [`group:${lb}`] },
    cloud: {
      ...fromNowhere,
      sourceApplicationSecurityGroups: [{ id: lb.toUpperCase() }],
      destinationApplicationSecurityGroups: [{ id: web.replace('rg-hc', 'RG-HC') }],
    },
    want: 'same',
  },
  {
    id: 'Z08',
    name: 'another group',
    spec: { peers: [`group:${lb}`] },
    cloud: { ...fromNowhere, sourceApplicationSecurityGroups: [{ id: web }] },
    want: 'drift',
  },
  {
    id: 'Z08',
    name: 'for another group',
    spec: {},
    cloud: report({ destinationApplicationSecurityGroups: [{ id: lb }] }),
    want: 'drift',
  },
  {
    id: 'Z10',
    name: 'a bare address is a block of one',
    spec: { peers: ['38.122.226.210/32'] },
    cloud: report({ sourceAddressPrefix: '38.122.226.210' }),
    want: 'same',
  },
  {
    id: 'Z10',
    name: 'a bare IPv6 address too',
    spec: { peers: ['2001:db8::1/128'] },
    cloud: report({ sourceAddressPrefix: '2001:DB8:0::1' }),
    want: 'same',
  },
  {
    id: 'Z10',
    name: 'host bits',
    spec: { peers: ['10.1.0.0/16'] },
    cloud: report({ sourceAddressPrefix: '10.1.2.3/16' }),
    want: 'same',
  },
  {
    id: 'blocks',
    name: 'a list in another order, one of them alone',
    spec: { peers: ['10.1.0.0/16', '10.2.0.0/16'] },
    cloud: report({ sourceAddressPrefix: '10.2.0.0/16', sourceAddressPrefixes: ['10.1.0.0/16'] }),
    want: 'same',
  },
  {
    id: 'blocks',
    name: 'a block inside another is kept apart',
    spec: { peers: ['10.0.0.0/8', '10.1.0.0/16'] },
    cloud: report(),
    want: 'drift',
  },
  {
    id: 'Z11',
    name: 'service tags in any case',
    spec: { peers: ['service-tag:virtualnetwork'] },
    cloud: report({ sourceAddressPrefix: 'VirtualNetwork' }),
    want: 'same',
  },
  {
    id: 'Z11',
    name: 'another service tag',
    spec: { peers: ['service-tag:Internet'] },
    cloud: report({ sourceAddressPrefix: 'VirtualNetwork' }),
    want: 'drift',
  },
  {
    id: 'Z13',
    name: 'anyone is not 0.0.0.0/0',
    spec: { peers: ['any'] },
    cloud: report({ sourceAddressPrefix: '0.0.0.0/0' }),
    want: 'drift',
  },
  {
    id: 'Z13',
    name: '0.0.0.0/0 is not anyone',
    spec: { peers: ['0.0.0.0/0'] },
    cloud: report({ sourceAddressPrefix: '*' }),
    want: 'drift',
  },
  {
    id: 'Z13',
    name: 'anyone is *',
    spec: { peers: ['any'] },
    cloud: report({ sourceAddressPrefix: '*' }),
    want: 'same',
  },
  {
    id: 'side',
    name: 'for one address of its own side',
    spec: {},
    cloud: report({ destinationAddressPrefix: '10.0.0.4' }),
    want: 'drift',
  },
];
