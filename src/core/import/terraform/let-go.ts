import type { CloudId } from '../../resource.ts';
import { instanceAddress, resourceAddress } from './addresses.ts';
import type { StateMatch } from './match.ts';
import type { StateInstance } from './state.ts';

/** The resources that Terraform may forget once their documents are applied. */
export interface LetGo {
  /** Addresses of resources whose every instance has documents. */
  readonly whole: readonly string[];
  /** Addresses of instances with documents, of resources that have others too. */
  readonly parts: readonly string[];
  /** Instances with documents. */
  readonly covered: number;
  /** Objects that lack a document, by the address of the instance that stands for them. */
  readonly addresses: ReadonlyMap<CloudId, string>;
  /** Their providers: `aws`, `google`, `azurerm`. */
  readonly providers: ReadonlySet<string>;
}

/**
 *   instances of a resource          | Terraform forgets it by
 *   ---------------------------------+------------------------------------------------------
 *   each has documents               | a `removed` block: it takes the resource, without keys
 *   some have documents              | `terraform state rm` of each
 *   one is deposed, or was not found | as where some have documents
 *
 * `isCovered`: a document says the object, or it is ours already.
 */
export function letGo(
  { held, missing }: Pick<StateMatch, 'held' | 'missing'>,
  isCovered: (id: CloudId) => boolean,
): LetGo {
  const covered: StateInstance[] = [];
  const kept = new Set(missing.map(({ instance }) => resourceAddress(instance)));
  const addresses = new Map<CloudId, string>();
  for (const { instance, objects } of held) {
    const without = objects.filter(({ id }) => !isCovered(id));
    if (without.length === 0) covered.push(instance);
    else kept.add(resourceAddress(instance));
    for (const { id } of without) if (!addresses.has(id)) addresses.set(id, instanceAddress(instance));
  }
  const byResource = [...Map.groupBy(covered, resourceAddress)];
  return {
    whole: byResource.flatMap(([address]) => (kept.has(address) ? [] : [address])),
    parts: byResource.flatMap(([address, some]) => (kept.has(address) ? some.map(instanceAddress) : [])),
    covered: covered.length,
    addresses,
    providers: new Set(covered.map(({ type }) => type.slice(0, type.indexOf('_')))),
  };
}

/**
 * The file with which Terraform forgets them and deletes nothing.
 * https://developer.hashicorp.com/terraform/language/resources/syntax#removing-resources
 */
export function removedFile({ whole, parts }: Pick<LetGo, 'whole' | 'parts'>): string {
  const comment = [...head, ...(parts.length === 0 ? [] : partsOf(parts))].map((line) => `# ${line}`.trimEnd());
  const blocks = whole.map((address) => `removed {\n  from = ${address}\n\n  lifecycle {\n    destroy = false\n  }\n}`);
  return `${[comment.join('\n'), ...blocks].join('\n\n')}\n`;
}

const head = [
  'Written by setpoint import --from-terraform, for Terraform 1.7 or later and OpenTofu 1.10 or later.',
  'With these blocks Terraform forgets the resources, and destroys nothing.',
  '1. Run setpoint apply. 2. Put this file beside the configuration, and delete the resources there.',
  '3. Run terraform plan: it must destroy nothing. 4. Run terraform apply.',
];

const partsOf = (parts: readonly string[]): readonly string[] => [
  '',
  'Of other resources, some instances stay with Terraform, and a block takes no keys. Leave these keys out of',
  'count or for_each. Before the next terraform apply, run:',
  ...parts.map((address) => `  terraform state rm ${shellWord(address)}`),
];

/** Line breaks in a key are escaped in its address, so the word is one line. */
const shellWord = (address: string): string =>
  /^[\w.-]+$/.test(address) ? address : `'${address.replaceAll("'", "'\\''")}'`;
