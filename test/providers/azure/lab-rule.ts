/** A colleague's own rule, as he sends it: ssh from one address, numbered 4000, with the text `by hand`. */
export const labRule = {
  properties: {
    priority: 4000,
    direction: 'Inbound',
    access: 'Allow',
    protocol: 'Tcp',
    sourceAddressPrefix: '10.9.9.9',
    sourcePortRange: '*',
    destinationAddressPrefix: '*',
    destinationPortRange: '22',
    description: 'by hand',
  },
};
