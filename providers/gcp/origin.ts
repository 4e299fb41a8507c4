import type { Origin } from '../../src/core/observed.ts';
import type { Labels } from '../../src/core/resource.ts';

/** Fields of an object that may show its creator. */
export interface Traces {
  readonly name: string;
  readonly description?: string;
  readonly labels?: Labels;
  /** An instance's metadata. */
  readonly metadata?: Labels;
}

/** Why an object is there that no estate made, by what its maker leaves on it. `$1` is what `value` caught. */
interface Row {
  readonly on: 'description' | 'name' | `labels.${string}` | `metadata.${string}`;
  readonly value: RegExp;
  readonly why: Origin['why'];
  readonly detail: string;
  readonly maker: string;
  readonly source: string;
}

const rows: readonly Row[] = [
  {
    on: 'metadata.created-by',
    value: /instanceGroupManagers\/([^/]+)$/,
    why: 'service-child',
    detail: 'made by managed instance group $1',
    maker: 'managed instance groups',
    source: 'https://cloud.google.com/compute/docs/instance-groups/getting-info-about-migs#checking_created_by',
  },
  {
    on: 'labels.goog-k8s-cluster-name',
    value: /^(.+)$/,
    why: 'service-child',
    detail: 'belongs to GKE cluster $1',
    maker: 'GKE',
    source: 'https://cloud.google.com/kubernetes-engine/docs/how-to/creating-managing-labels',
  },
  {
    on: 'labels.goog-gke-node',
    value: /^/,
    why: 'service-child',
    detail: 'a node of GKE',
    maker: 'GKE',
    source: 'https://cloud.google.com/kubernetes-engine/docs/how-to/creating-managing-labels',
  },
  {
    on: 'labels.goog-dataproc-cluster-name',
    value: /^(.+)$/,
    why: 'service-child',
    detail: 'belongs to Dataproc cluster $1',
    maker: 'Dataproc',
    source: 'https://cloud.google.com/dataproc/docs/guides/creating-managing-labels',
  },
  {
    on: 'labels.goog-terraform-provisioned',
    value: /^true$/,
    why: 'other-tool',
    detail: 'made by Terraform',
    maker: 'Terraform',
    source:
      'https://registry.terraform.io/providers/hashicorp/google/latest/docs/guides/provider_reference#add_terraform_attribution_label',
  },
  {
    on: 'labels.managed-by-cnrm',
    value: /^true$/,
    why: 'other-tool',
    detail: 'made by Config Connector',
    maker: 'Config Connector',
    source: 'https://cloud.google.com/config-connector/docs/how-to/getting-started',
  },
  {
    on: 'description',
    value: /"kubernetes\.io\/(?:service|ingress)-name":\s*"([^"]+)"/,
    why: 'service-child',
    detail: 'made by Kubernetes for $1',
    maker: 'Kubernetes',
    source: 'https://github.com/kubernetes/cloud-provider-gcp/blob/master/providers/gce/gce_loadbalancer_naming.go',
  },
  {
    on: 'name',
    value: /^gke-(.+)-[0-9a-f]{8}-(?:all|vms|master|ssh|inkubelet|exkubelet|mcsd)$/,
    why: 'service-child',
    detail: 'made by GKE for cluster $1',
    maker: 'GKE',
    source: 'https://cloud.google.com/kubernetes-engine/docs/concepts/firewall-rules',
  },
];

/** Undefined: nothing on it says where it came from. */
export function originOf(traces: Traces): Origin | undefined {
  for (const { on, value, why, detail, maker } of rows) {
    const trace = traceOf(traces, on);
    const match = trace === undefined ? undefined : value.exec(trace);
    if (match) return { why, detail: detail.replace('$1', match[1] ?? ''), maker };
  }
  return undefined;
}

function traceOf({ name, description, labels, metadata }: Traces, on: Row['on']): string | undefined {
  if (on === 'name') return name;
  if (on === 'description') return description;
  const [map, key] = on.startsWith('labels.') ? [labels, on.slice(7)] : [metadata, on.slice(9)];
  return map?.[key];
}
