import type { FirewallRuleDoc, InstanceDoc } from './document.ts';
import type { Located } from './located.ts';
import type { Path } from './position.ts';
import type { SpecSet } from './spec-set.ts';

/** Where a document names a group. Groups have no document of their own. */
export interface GroupUse {
  readonly document: Located<unknown>;
  readonly network: string;
  readonly name: string;
  readonly path: Path;
  /** Whether it puts an instance into the group. */
  readonly fills: boolean;
}

export const groupsIn = (set: SpecSet): readonly GroupUse[] => [
  ...set.rules.flatMap(inRule),
  ...set.instances.flatMap(inInstance),
];

function inRule(document: Located<FirewallRuleDoc>): readonly GroupUse[] {
  const { network, group, peers } = document.value.spec;
  const use = (name: string, path: Path): GroupUse => ({ document, network, name, path, fills: false });
  return [
    ...(group === undefined ? [] : [use(group, ['spec', 'group'])]),
    ...peers.groups.map((name, index) => use(name, ['spec', 'peers', 'groups', index])),
  ];
}

function inInstance(document: Located<InstanceDoc>): readonly GroupUse[] {
  const { network, groups = [], on } = document.value.spec;
  const use = (name: string, path: Path): GroupUse => ({ document, network, name, path, fills: true });
  return [
    ...groups.map((name, index) => use(name, ['spec', 'groups', index])),
    ...Object.entries(on).flatMap(([target, own]) =>
      (own.groups ?? []).map((name, index) => use(name, ['spec', 'on', target, 'groups', index])),
    ),
  ];
}
