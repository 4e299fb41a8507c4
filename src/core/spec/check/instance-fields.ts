import type { InstanceDoc, TargetDoc } from '../document.ts';
import { instanceOn } from '../instance-on.ts';
import type { Located } from '../located.ts';
import { targetsOf } from '../placement.ts';
import type { Path, Position } from '../position.ts';
import { error, type Problem } from '../problem.ts';
import type { SpecSet } from '../spec-set.ts';
import { INSTANCE_ROWS } from './instance-rows.ts';

/** An instance as each of its targets gets it: complete, and such as that cloud can make. */
export function* instanceFields(set: SpecSet): Iterable<Problem> {
  for (const instance of set.instances) {
    yield* adopted(instance);
    for (const target of targetsOf(set, instance.value.spec.targets)) {
      yield* complete(instance, target.value);
      yield* makeable(set, instance, target.value);
    }
  }
}

/** `adopt` names one object and cannot say which replica it is. */
function* adopted(instance: Located<InstanceDoc>): Iterable<Problem> {
  const { metadata, spec } = instance.value;
  for (const target of Object.keys(metadata.adopt ?? {})) {
    const replicas = (Object.hasOwn(spec.on, target) ? spec.on[target]?.replicas : undefined) ?? spec.replicas;
    if (replicas <= 1) continue;
    const message = `one object cannot be adopted as ${replicas} replicas`;
    const expected = 'an Instance of its own for each object, with replicas: 1';
    yield error('adopt-replicas', instance.at(['metadata', 'adopt', target]), message, { expected });
  }
}

function* complete(instance: Located<InstanceDoc>, target: TargetDoc): Iterable<Problem> {
  const { spec } = instance.value;
  const own = Object.hasOwn(spec.on, target.metadata.name) ? spec.on[target.metadata.name] : undefined;
  for (const field of ['subnet', 'image', 'size'] as const) {
    if (spec[field] !== undefined || own?.[field] !== undefined) continue;
    const expected = `${field}: … here, or under on: { ${target.metadata.name}: { ${field}: … } }`;
    const message = `\`${field}\` is missing for ${target.metadata.name}`;
    yield error('missing-field', instance.at(['spec', field]), message, { expected });
  }
}

function* makeable(set: SpecSet, instance: Located<InstanceDoc>, target: TargetDoc): Iterable<Problem> {
  const made = instanceOn(instance.value, target.metadata.name);
  const network = set.networks.get(instance.value.spec.network)?.value.spec;
  if (!made) return;
  const { provider } = target.spec;
  for (const row of INSTANCE_ROWS) {
    if (row.cloud !== undefined && row.cloud !== provider) continue;
    if (!row.found({ spec: made, target: target.spec, internet: network?.internet ?? true })) continue;
    const at = written(instance, target.metadata.name, row.field);
    yield error('not-expressible', at, `${row.why} (${target.metadata.name})`, { expected: row.instead });
  }
}

/** Where the value comes from that a target gets. */
function written(instance: Located<InstanceDoc>, target: string, field: Path): Position {
  const own = ['spec', 'on', target, ...field];
  return instance.at(instance.wrote(own) ? own : ['spec', ...field]);
}
