import { instanceAddress } from '../../core/import/terraform/addresses.ts';
import type { Observed } from '../../core/observed.ts';
import { printable } from '../../core/text.ts';
import { missingLines, type TerraformImport } from '../local/import-terraform.ts';
import { quoted } from '../options.ts';
import { count } from './format.ts';

const mostListed = 20;

const listed = (lines: readonly string[], rest: string): readonly string[] => {
  const more = lines.length - mostListed;
  return [...lines.slice(0, mostListed), ...(more > 0 ? [`and ${more} more: ${rest}`] : [])];
};

/** The part of an import's answer that is about Terraform, a line each. */
export function terraformLines(
  { match, letGo, broughtAlong, removed }: TerraformImport,
  isDryRun: boolean,
): readonly string[] {
  const { held, missing, others } = match;
  const known = held.length + missing.length;
  const has = letGo.covered === 1 ? 'has' : 'have';
  return [
    `Terraform: ${letGo.covered} of ${count(known, 'resource instance')} that Setpoint knows ${has} documents`,
    ...(broughtAlong.length === 0 ? [] : ['Not in the state, and needed by its objects:']),
    ...listed(broughtAlong.map(calledText), '--json lists all').map((line) => `  ${printable(line)}`),
    ...(missing.length === 0 ? [] : ['Not found:']),
    ...missingLines(missing).map((line) => `  ${printable(line)}`),
    ...(others.length === 0
      ? []
      : [`Stays with Terraform: ${others.map(({ type, count: all }) => `${all} ${type}`).join(', ')}`]),
    ...(removed === undefined
      ? []
      : [`${verb(removed.isKept, isDryRun)} ${printable(removed.path)}: removed blocks for ${blocksText(letGo)}`]),
    ...(letGo.parts.length === 0
      ? []
      : [
          'Of other resources, some instances stay. Leave these out of count or for_each. Before the next terraform apply, run:',
          ...listed(
            letGo.parts.map((address) => `terraform state rm ${quoted(printable(address))}`),
            'the same file has all',
          ).map((line) => `  ${line}`),
        ]),
  ];
}

const calledText = ({ kind, id, name }: Observed): string =>
  `${kind} ${name === '' || name === id ? id : `${name} (${id})`}`;

function verb(isKept: boolean, isDryRun: boolean): string {
  if (isKept) return 'kept';
  return isDryRun ? 'would write' : 'wrote';
}

const blocksText = ({ whole }: TerraformImport['letGo']): string => count(whole.length, 'resource');

/** The next steps besides those of every import. */
export const terraformNext = ({ letGo, removed }: TerraformImport): readonly string[] => [
  ...(removed === undefined
    ? []
    : [
        `After the apply, put ${printable(removed.path)} beside the Terraform configuration and delete these resources there.`,
        'Terraform then forgets them: its plan must destroy nothing.',
      ]),
  ...overlaps.flatMap(([provider, line]) => (letGo.providers.has(provider) ? [line] : [])),
];

/** Providers that would remove marks, as their configuration does not state them, and the way to keep them. */
const overlaps: readonly (readonly [provider: string, line: string])[] = [
  ['aws', 'While both run, add to the aws provider of Terraform: ignore_tags { key_prefixes = ["setpoint:"] }'],
  ['azurerm', 'While both run, add to each azurerm resource: lifecycle { ignore_changes = [tags] }'],
];

export function terraformJson({ match, letGo, broughtAlong, removed }: TerraformImport, isDryRun: boolean): object {
  return {
    instances: { covered: letGo.covered, known: match.held.length + match.missing.length },
    missing: match.missing.map(({ instance, id, reason }) => ({ address: instanceAddress(instance), id, reason })),
    broughtAlong: broughtAlong.map(({ kind, id, name }) => ({ kind, id, name })),
    staysWithTerraform: match.others,
    removed:
      removed === undefined
        ? undefined
        : {
            path: removed.path,
            written: !isDryRun && !removed.isKept,
            resources: letGo.whole,
            ...(isDryRun ? { text: removed.text } : {}),
          },
    stateRm: letGo.parts,
  };
}
