import { type InstanceDoc, instanceOn, type TargetDoc } from '../document.ts';
import { idsOf } from '../fields.ts';
import { error, type Problem } from '../problem.ts';
import { type SpecSet, scopeOf, targetsOf } from '../spec-set.ts';
import type { Located, Position } from '../tree.ts';
import { place } from './names.ts';

/**
 * The exact name that a document states is the name of one machine. It is stated once, and no other machine has it.
 *
 *   the document                                            | is
 *   --------------------------------------------------------+-------------------------------------
 *   asks for several machines on the target                 | an error
 *   states the label Name too, on AWS                       | an error
 *   replaces by surge on Google Cloud or Azure              | an error: the successor needs its own name
 *   states the name of another document's machine, where    | an error
 *   the cloud keeps names unique                            |
 */
export function* machineNames(set: SpecSet): Iterable<Problem> {
  for (const instance of set.instances) {
    for (const { value: target } of targetsOf(set, Object.keys(instance.value.spec.names ?? {})))
      yield* checkStatedName(instance, target);
  }
  yield* duplicateNames(set);
}

function* checkStatedName(instance: Located<InstanceDoc>, target: TargetDoc): Iterable<Problem> {
  const { labels = {} } = instance.value.metadata;
  const { name } = target.metadata;
  const at = instance.at(['spec', 'names', name]);
  const replicas = replicasOn(instance.value, name);
  if (replicas > 1) {
    const message = `${replicas} machines cannot have one name on ${name}`;
    yield error('one-name', at, message, { expected: 'a document for each machine, with replicas: 1' });
  }
  if (target.spec.provider === 'aws' && labels['Name'] !== undefined) {
    const message = `the label Name is the name of the machine on ${name}, and \`names\` states it too`;
    yield error('duplicate-name', at, message, { expected: 'one of the two' });
  }
  if (isUnique(target) && instanceOn(instance.value, name)?.replace?.strategy === 'surge') {
    const message = `a surge gives the new machine another name than \`names\` states on ${name}`;
    yield error('one-name', at, message, { expected: 'replace: { strategy: recreate }, or no name' });
  }
}

/** https://cloud.google.com/compute/docs/naming-resources, https://learn.microsoft.com/azure/azure-resource-manager/management/resource-name-rules */
const isUnique = ({ spec }: TargetDoc): boolean => spec.provider === 'gcp' || spec.provider === 'azure';

const replicasOn = (instance: InstanceDoc, target: string): number => instanceOn(instance, target)?.replicas ?? 0;

interface Stated {
  readonly at: Position;
  readonly target: string;
  readonly name: string;
}

function* duplicateNames(set: SpecSet): Iterable<Problem> {
  const stated = new Map<string, Stated>();
  for (const { document, target, name } of statedNames(set)) {
    const slot = slotAt(target, name);
    const first = stated.get(slot);
    const at = document.at(['spec', 'names', target.metadata.name]);
    if (first === undefined) stated.set(slot, { at, target: target.metadata.name, name });
    else yield duplicateName(at, { name, target: target.metadata.name, other: first.at });
  }
  if (stated.size === 0) return;
  for (const document of set.instances)
    for (const { target, name } of usualNames(set, document)) {
      const one = stated.get(slotAt(target, name));
      if (one !== undefined) yield duplicateName(one.at, { ...one, other: document.at() });
    }
}

const duplicateName = (
  at: Position,
  { name, target, other }: { readonly name: string; readonly target: string; readonly other: Position },
): Problem => {
  const message = `\`${name}\` is also the name of a machine of the document at ${place(other)} on ${target}`;
  return error('duplicate-name', at, message, { expected: 'a name of its own' });
};

/**
 * The place of a name: on Google Cloud in the zone, on Azure in the resource group, whatever the region. Azure tells no case apart, and
 * Google Cloud takes lower case only: see `isUnique`.
 */
const slotAt = (target: TargetDoc, name: string): string => {
  const { provider, account, resourceGroup } = target.spec;
  const place = provider === 'azure' ? `azure/${account}/${resourceGroup}` : `${scopeOf(target)}/${target.spec.zone}`;
  return `${place}/${name}`.toLowerCase();
};

function* statedNames(set: SpecSet) {
  for (const document of set.instances)
    for (const { value: target } of targetsOf(set, Object.keys(document.value.spec.names ?? {}))) {
      const name = document.value.spec.names?.[target.metadata.name];
      if (name !== undefined && isUnique(target)) yield { document, target, name };
    }
}

/** The names that a document without `names` gives. An adopted machine keeps its own. */
function* usualNames(set: SpecSet, { value }: Located<InstanceDoc>) {
  for (const { value: target } of targetsOf(set, value.spec.targets)) {
    const here = target.metadata.name;
    if (!isUnique(target) || value.spec.names?.[here] !== undefined) continue;
    const adopted = idsOf(value.metadata.adopt?.[here]).length;
    for (let ordinal = adopted; ordinal < replicasOn(value, here); ordinal += 1)
      yield { target, name: `${value.metadata.name}-${ordinal}` };
  }
}
