import type { Origin } from '../../src/core/observed.ts';
import { partsOfId } from './ids.ts';
import { readTag, type Tags } from './tags.ts';

const aks = 'Azure Kubernetes Service';

/** Tags by which services and tools sign what they make. */
const signs: readonly (readonly [tag: string, origin: Origin['why'], maker: string])[] = [
  // https://learn.microsoft.com/azure/aks/use-tags
  ['aks-managed-cluster-name', 'service-child', aks],
  ['kubernetes.io-created-for-pvc-name', 'service-child', 'Kubernetes'],
  // https://learn.microsoft.com/azure/databricks/security/network/classic/vnet-inject
  ['databricks-environment', 'service-child', 'Azure Databricks'],
  // https://learn.microsoft.com/azure/developer/azure-developer-cli/faq
  ['azd-env-name', 'other-tool', 'Azure Developer CLI'],
];

/** The likely origin of an object without our mark, where its tags or its resource group show it. */
export function originOf(id: string, tags: Tags | undefined): Origin | undefined {
  for (const [tag, why, maker] of signs) {
    const value = readTag(tags, tag);
    if (value !== undefined) return { why, detail: `made by ${maker} (${tag}: ${value})`, maker };
  }
  // https://learn.microsoft.com/azure/aks/faq#why-are-two-resource-groups-created-with-aks-
  const { resourceGroup } = partsOfId(id);
  if (/^mc_/i.test(resourceGroup))
    return { why: 'service-child', detail: `stands in ${resourceGroup}, an AKS node group`, maker: aks };
  return undefined;
}
