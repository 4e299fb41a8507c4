import { join } from 'node:path';
import type { CompiledScope } from '../../core/compile/compile.ts';
import type { TargetDoc } from '../../core/documents/document.ts';
import { ofKind } from '../../core/documents/spec-set.ts';
import { dayOf } from '../../core/render/wording.ts';
import type { Cloud } from '../../core/resource.ts';
import { openEstate } from '../../estate/load.ts';
import type { Provider } from '../../ports/provider.ts';
import type { Estate } from '../../queries/estate-view.ts';
import { Complaint } from '../complaint.ts';
import type { Context } from '../context.ts';
import { soundSpecs } from '../specs.ts';

export interface Choice {
  readonly dir: string;
  readonly targets: readonly string[];
  readonly allowEndpoint: boolean;
  /** That lies over the base of the specs. */
  readonly overlay?: string;
  /** A commit of the folder's repository; absent: the folder as it is. */
  readonly ref?: string;
}

/** Reads, checks and compiles the specs; says what is wrong with the choice before anything is asked of a cloud. */
export async function readEstate(choice: Choice, { house, clock }: Context): Promise<Estate> {
  const tree = await soundSpecs(house, choice.dir, choice);
  const targets = ofKind(tree.documents, 'Target').map(({ value }) => value);
  refuseUnknown(choice.targets, targets);
  const today = dayOf(clock.now());
  const opened = await openEstate(tree, (cloud) => cloudOf(cloud, house), today);
  const chosen = opened.compiled.scopes.filter((scope) => isChosen(scope, choice.targets));
  const scopes = chosen.map((scope) => regionsFromHere(scope, choice.dir));
  if (!choice.allowEndpoint) refuseEndpoints({ tree, scopes, dir: choice.dir });
  return { ...opened, dir: choice.dir, scopes };
}

async function cloudOf(name: Cloud, house: Context['house']): Promise<Provider> {
  try {
    return await house.cloud(name);
  } catch (cause) {
    throw new Complaint(`Nothing can be done on ${name}.`, {
      why: cause instanceof Error ? cause.message : String(cause),
      next: 'Take its targets out of the specs, or use a version that speaks to this cloud.',
      cause,
    });
  }
}

const isChosen = ({ targets }: CompiledScope, names: readonly string[]): boolean =>
  names.length === 0 || targets.some(({ metadata }) => names.includes(metadata.name));

/** Places of regions by the path that a person sees from where the question was asked. */
const regionsFromHere = (scope: CompiledScope, dir: string): CompiledScope => ({
  ...scope,
  regions: scope.regions.map(({ region, at }) => ({ region, at: { ...at, file: join(dir, at.file) } })),
});

function refuseUnknown(names: readonly string[], targets: readonly TargetDoc[]): void {
  const known = targets.map(({ metadata }) => metadata.name);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  throw new Complaint(`There is no target ${unknown.join(', ')}.`, {
    next: `Name one of those in the specs: --target ${known.join(' --target ')}`,
  });
}

/** An endpoint decides where credentials are sent: the user says so with a flag, a spec alone cannot. */
function refuseEndpoints({ tree, scopes, dir }: Pick<Estate, 'tree' | 'scopes' | 'dir'>): void {
  const used = new Set(scopes.flatMap(({ targets }) => targets.map(({ metadata }) => metadata.name)));
  const document = ofKind(tree.documents, 'Target').find(
    ({ value }) => value.spec.endpoint !== undefined && used.has(value.metadata.name),
  );
  if (document === undefined) return;
  const { file, line } = document.at(['spec', 'endpoint']);
  throw new Complaint(`The target ${document.value.metadata.name} is at an endpoint of its own.`, {
    where: `${join(dir, file)}:${line}: ${document.value.spec.endpoint}`,
    why: 'Calls, and with them credentials, would go there and not to the cloud.',
    next: 'If that is meant, as with the sandbox, add --allow-endpoint.',
  });
}
