import { groupRef } from '../compile/rule.ts';
import { addressAt, type Site } from '../compile/site.ts';
import { attributeOf, documentFieldOf } from '../compile/terms.ts';
import { type Desired, isAdoptedRule } from '../desired.ts';
import type { FieldChange } from '../diff.ts';
import { type InstanceDoc, instanceOn } from '../documents/document.ts';
import type { DocumentEdit } from '../documents/document-edit.ts';
import type { ResourceDoc } from '../documents/effective-terms.ts';
import { type Located, type Path, treeAt } from '../documents/tree.ts';
import { isAccount } from '../kinds/rules.ts';
import type { Observed } from '../observed.ts';
import type { Compared } from '../plan/compared.ts';
import { nameIn, type RuleAttributes } from '../resource.ts';
import { type AdoptedRule, groupNamed, trafficEdits } from './adopted-rule.ts';
import { editValueOf, type FieldEdits, listEdits, type Refusal, refuse, valueEdits } from './value-edits.ts';

/** The fields of a rule's traffic: documents have two forms of some. The first of a form names it in answers. */
const trafficFields: Readonly<Record<string, string>> = {
  direction: 'match.direction',
  action: 'match.action',
  protocol: 'match.protocol',
  protocols: 'match.protocol',
  ports: 'match.ports',
  peers: 'match.peers',
  appliesTo: 'match.targets',
  group: 'match.targets',
};

/** The path in our attributes of a field, as a document or a plan calls it: `peers` and `match.peers`. */
export const attributeNamed = (field: string): string => trafficFields[field] ?? attributeOf(field);

/** The same, the other way round, as a document calls it. */
export const fieldNamed = (attribute: string): string =>
  Object.keys(trafficFields).find((field) => trafficFields[field] === attribute) ?? documentFieldOf(attribute);

/** A drifted field, and the document that states it on a target. */
export interface StatedField {
  readonly change: FieldChange;
  readonly compared: Compared;
  readonly document: Located<ResourceDoc>;
  readonly site: Site;
  /** True where the same drift is on every target that the document's own value holds for. */
  readonly everywhere: boolean;
}

/**
 * The edit of the place that decides the field:
 *
 *   field of          | the document states it in
 *   ------------------+------------------------------------------------------------------------
 *   a machine         | `on.<target>` if it does so there, or if other targets have another value; else `spec`
 *   labels            | `metadata.labels`, for all that the document makes
 *   a stated name     | `spec.names`, where a label bears it (AWS)
 *   a subnet          | its entry in `spec.subnets`
 *   a network, a rule | `spec`
 */
export function fieldEdits(stated: StatedField): FieldEdits {
  const { change, document } = stated;
  const named = statedName(stated);
  if (named !== undefined) return named;
  if (change.field.startsWith('labels.')) return labelEdits(stated, change.field.slice('labels.'.length));
  const reason = unsayable(change.field);
  if (reason !== undefined) return refuse(document, ['spec'], reason);
  switch (document.value.kind) {
    case 'Instance':
      return machineEdits(stated, document.value);
    case 'Network':
      return networkEdits(stated);
    case 'FirewallRule':
      return ruleEdits(stated);
    case 'Group':
      return refuse(document, ['spec'], fixedGroup);
  }
}

/** The name that the document of a machine states, where a label bears it: elsewhere no name drifts. */
function statedName({ change, document, site }: StatedField): FieldEdits | undefined {
  const { nameLabel } = site.dialect.holds;
  const isName = nameLabel !== undefined && change.field === `labels.${nameLabel}`;
  const path = ['spec', 'names', site.target.metadata.name];
  if (!isName || document.value.kind !== 'Instance' || !document.wrote(path)) return undefined;
  return change.from === undefined ? refuse(document, path, nameless) : scalarEdits(document, path, change.from);
}

/** Fields that no text of a cloud can state, by their beginning. */
const unsayableFields: Readonly<Record<string, Refusal>> = {
  'boot.userData': {
    refused: 'a script of a machine never leaves the cloud as text: only its hash is compared',
    next: 'Edit the script that the document names.',
  },
  'boot.access': {
    refused: 'the login of a machine never leaves the cloud as text: only its hash is compared',
    next: 'Edit `access` in the document.',
  },
  filter: {
    refused: "it is the network's own filter, which Setpoint makes by itself",
    next: 'Apply, so that Setpoint makes it again.',
  },
};

const nameless: Refusal = {
  refused: 'the label bears the name of the object, and no document can state that it is gone',
  next: 'Apply, so that Setpoint writes the name again.',
};

/** Labels are the only fields of a group that change. */
const fixedGroup: Refusal = {
  refused: 'the cloud fixes the name and the description of a group when it makes it',
  next: 'Restore the old value in the document, or adopt the other group there.',
};

const unsayable = (field: string): Refusal | undefined => unsayableFields[field];

function labelEdits({ change, document }: StatedField, key: string): FieldEdits {
  const path = ['metadata', 'labels', spelledIn(document, key)];
  if (change.from === undefined && !document.wrote(path)) return refuse(document, path, nameless);
  return scalarEdits(document, path, change.from);
}

/** The key as the document has it: on some clouds keys differ in case only, and are one. */
function spelledIn(document: Located<unknown>, key: string): string {
  const written = treeAt(document.tree, ['metadata', 'labels']);
  const keys = written?.kind === 'map' ? [...written.entries.keys()] : [];
  if (keys.includes(key)) return key;
  return keys.find((one) => one.toLowerCase() === key.toLowerCase()) ?? key;
}

/** A setting of an adopted machine, network or subnet is a scalar or a list; all else is a scalar. */
function settingEdits(document: Located<unknown>, path: Path, value: unknown): FieldEdits {
  const known = editValueOf(value);
  return path.includes('settings') && Array.isArray(known)
    ? listEdits(document, path, known)
    : scalarEdits(document, path, value);
}

function scalarEdits(document: Located<unknown>, path: Path, value: unknown): FieldEdits {
  if (value === undefined || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return valueEdits(document, path, value);
  return refuse(document, path, { refused: 'the cloud has no single value there', next: 'Edit the document by hand.' });
}

function machineEdits(stated: StatedField, machine: InstanceDoc): FieldEdits {
  const { change, document, site, compared } = stated;
  const field = documentFieldOf(change.field);
  const path = machinePath(stated, field.split('.'));
  if (path === undefined)
    return refuse(document, ['spec', ...field.split('.')], {
      refused: `one line states it for several targets, and it is gone on ${site.target.metadata.name} only`,
      next: 'State it under `on` for the other targets, and remove the line.',
    });
  if (field === 'groups') return groupEdits(stated, path, machine.spec.network);
  if (field === 'identity') return identityEdits(stated, path, machine);
  if (field !== 'subnet') return settingEdits(document, path, change.from);
  const subnet = String(change.from);
  const own = addressAt(site, 'subnet', `${machine.spec.network}.`);
  if (subnet.startsWith(own)) return valueEdits(document, path, subnet.slice(own.length));
  return refuse(document, path, {
    refused: `${compared.observed.id} lies in ${subnet}, which is no subnet of the network ${machine.spec.network} in these specs`,
    next: 'Write a document for that network first: setpoint import',
  });
}

/** A machine runs as the service account of its group, where a group is one. */
function identityEdits({ change, document, site }: StatedField, path: Path, machine: InstanceDoc): FieldEdits {
  const { groups = [] } = instanceOn(machine, site.target.metadata.name) ?? {};
  const group = ['all', ...groups].find((name) => isAccount(groupRef(machine.spec.network, name, site)));
  if (group === undefined) return settingEdits(document, path, change.from);
  return refuse(document, path, {
    refused: `the machine runs as ${change.from ?? 'no service account'}, and its group ${group} is the service account ${change.to}`,
    next: 'Apply, or edit the groups of the machine by hand.',
  });
}

/** Undefined where one target alone cannot lose a value that the document states for all. */
function machinePath({ change, document, site, everywhere }: StatedField, field: Path): Path | undefined {
  const own = ['spec', 'on', site.target.metadata.name, ...field];
  if (document.wrote(own) || everywhere) return document.wrote(own) ? own : ['spec', ...field];
  return change.from === undefined ? undefined : own;
}

/** The group of all machines of a network is no entry of the list. */
function groupEdits({ change, document, site }: StatedField, path: Path, network: string): FieldEdits {
  const there = new Set(Array.isArray(change.from) ? change.from.map(String) : []);
  const written = treeAt(document.tree, path);
  const items = written?.kind === 'list' ? written.items : [];
  const refOf = (name: string): string => groupRef(network, name, site);
  const named = items.map((item) => refOf(item.kind === 'scalar' ? String(item.value) : ''));
  const wanted = Array.isArray(change.to) ? change.to.map(String) : [];
  const all = refOf('all');
  if (wanted.includes(all) && !there.has(all))
    return refuse(document, path, {
      refused: `the group all is no longer on the machine, and every machine of the network ${network} is in it`,
      next: 'Apply, or state `allGroup: false` on the network.',
    });
  const added = [...there].filter((ref) => !named.includes(ref) && ref !== all);
  const foreign = added.find((ref) => groupNamed(ref, network, site) === undefined);
  if (foreign !== undefined)
    return refuse(document, path, {
      refused: `the machine is in ${foreign}, which is no group of the network ${network} in these specs`,
      next: 'Write a document for that group first: setpoint import',
    });
  const at = written === undefined ? document.at() : document.at(path);
  const names = added.flatMap((ref) => groupNamed(ref, network, site) ?? []);
  if (items.length === 0) return { edits: [{ op: 'set', at, path, value: names }] };
  return {
    edits: [
      ...names.map((value): DocumentEdit => ({ op: 'append', at, path, value })),
      ...named.flatMap((ref, index): readonly DocumentEdit[] =>
        there.has(ref) || isAccount(ref) ? [] : [{ op: 'remove', at, path: [...path, index] }],
      ),
    ],
  };
}

function networkEdits({ change, compared, document }: StatedField): FieldEdits {
  const { kind, address } = compared.desired;
  const field = change.field.split('.');
  if (document.value.kind !== 'Network' || change.field === 'internet' || kind === 'network')
    return settingEdits(document, ['spec', ...field], change.from);
  const name = nameIn(address, kind).slice(document.value.metadata.name.length + 1);
  const index = document.value.spec.subnets.findIndex((subnet) => subnet.name === name);
  return settingEdits(document, ['spec', 'subnets', index, ...field], change.from);
}

/** Texts of a rule; '' on the cloud is no text in the document. */
function ruleEdits(stated: StatedField): FieldEdits {
  const { change, compared, document, site } = stated;
  const field = documentFieldOf(change.field);
  const path = ['spec', field];
  const adopted = adoptedRule(stated);
  if (adopted !== undefined && field.startsWith('match.')) return trafficEdits(field.slice('match.'.length), adopted);
  if (field === 'priority' && site.dialect.rules.numbering !== undefined && !isAdoptedRule(compared.desired))
    return refuse(document, path, {
      refused: `on this cloud Setpoint numbers the rules itself, and keeps their order as the documents state it`,
      next: 'Edit the priorities in the documents, if the order is to be another one.',
    });
  if (field.startsWith('match.') || field === 'group')
    return refuse(document, ['spec'], {
      refused: `the traffic of the rule was changed: ${fieldNamed(change.field)} is ${JSON.stringify(change.from)} on the cloud`,
      next: 'Edit the rule by hand. setpoint plan shows both sides.',
    });
  return scalarEdits(document, path, change.from === '' ? undefined : change.from);
}

/** Undefined for a rule of other clouds, which is adopted with its group, and for one that Setpoint made. */
function adoptedRule({ compared: { desired, observed }, document, site }: StatedField): AdoptedRule | undefined {
  if (!isAdoptedRule(desired) || site.dialect.rules.adopted === undefined) return undefined;
  const { value } = document;
  if (value.kind !== 'FirewallRule' || !isOfRule(desired) || !isOfRule(observed)) return undefined;
  return {
    document: { ...document, value },
    site,
    id: observed.id,
    wanted: desired.attributes,
    observed: observed.attributes,
  };
}

const isOfRule = <T extends Desired | Observed>(one: T): one is T & { readonly attributes: RuleAttributes } =>
  one.kind === 'firewall-rule';
