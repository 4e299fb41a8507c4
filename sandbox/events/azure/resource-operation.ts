/** What one request does to one resource, in the words of Azure's resource provider operations. */
export interface ResourceOperation {
  /** `Microsoft.Network/virtualNetworks/subnets/write` */
  readonly name: string;
  /** `Microsoft.Network` */
  readonly provider: string;
  /** As it was sent. */
  readonly resourceUri: string;
  /** The middle of the event's type. */
  readonly kind: 'Write' | 'Delete' | 'Action';
}

/** https://learn.microsoft.com/azure/role-based-access-control/resource-provider-operations has the names of all of them. */
const KINDS: Readonly<Record<string, { readonly kind: ResourceOperation['kind']; readonly suffix: string }>> = {
  PUT: { kind: 'Write', suffix: 'write' },
  PATCH: { kind: 'Write', suffix: 'write' },
  DELETE: { kind: 'Delete', suffix: 'delete' },
};

export function resourceOperation(method: string, url: string): ResourceOperation {
  const path = (url.split('?')[0] ?? '').replace(/\/$/, '');
  const known = KINDS[method];
  if (known) return { ...typed(path, known.suffix), resourceUri: path, kind: known.kind };
  const slash = path.lastIndexOf('/');
  const resourceUri = path.slice(0, slash);
  return { ...typed(resourceUri, `${path.slice(slash + 1)}/action`), resourceUri, kind: 'Action' };
}

/** A resource below a provider has a type of every second part; a resource group is one of Microsoft.Resources. */
function typed(resourceUri: string, suffix: string): { readonly name: string; readonly provider: string } {
  const [, provider, rest] = /\/providers\/([^/]+)\/(.+)$/i.exec(resourceUri) ?? [];
  if (provider === undefined || rest === undefined)
    return { name: `Microsoft.Resources/subscriptions/resourceGroups/${suffix}`, provider: 'Microsoft.Resources' };
  const types = rest.split('/').filter((_, index) => index % 2 === 0);
  return { name: [provider, ...types, suffix].join('/'), provider };
}
