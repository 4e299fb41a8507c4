import type { Result } from '../../../src/core/failure.ts';
import type { Labels } from '../../../src/core/resource.ts';
import type { Call, Revision } from '../../../src/ports/provider.ts';
import { done } from '../../shared/answer.ts';
import { placeOf } from '../cloud-id.ts';
import { getDisk } from '../get.ts';
import { regionOfZone } from '../links.ts';
import { markLabels, markText, readLabels, withoutMark } from '../marks/labels.ts';
import { isSameOwner } from '../marks.ts';
import type { Instance } from '../messages.ts';
import { carryOut, type StartedOperation } from '../operations.ts';
import type { Scope } from '../scope.ts';
import { metadataKeys, readMetadata } from './metadata-keys.ts';
import { bootDiskOf } from './observe.ts';

type Item = Revision<'instance'>;

/**
 * Begins to write an instance's labels, the mark among them. The cloud takes labels whole, with the fingerprint of those they
 * replace: so they are written from a look made for it, and a change in between is refused (412).
 * https://cloud.google.com/compute/docs/reference/rest/v1/instances/setLabels
 */
export async function retag(item: Item, seen: Instance, scope: Scope, call: Call): Promise<StartedOperation> {
  const before = seen.labels ?? {};
  const labels = labelsAfter(before, item);
  if (JSON.stringify(sorted(labels)) === JSON.stringify(sorted(before))) return { ok: true, value: undefined };
  if (item.mark) {
    const written = await writeMarkText(item, seen, scope, call);
    if (!written.ok) return written;
    const marked = await markDisk(item, seen, scope, call);
    if (!marked.ok) return marked;
  }
  const { client, project } = scope;
  const { location: zone = '', name: instance } = placeOf(item.observed.id);
  const instancesSetLabelsRequestResource = { labels, labelFingerprint: seen.labelFingerprint ?? null };
  return client.write({ action: 'instances.setLabels', region: regionOfZone(zone) }, call, (sdk, options) =>
    sdk.instances().setLabels({ project, zone, instance, instancesSetLabelsRequestResource }, options),
  );
}

const prefix = 'labels.';

function labelsAfter(before: Labels, { changes, mark }: Item): { [key: string]: string } {
  const labels: { [key: string]: string } = { ...before };
  for (const { field, to } of changes) {
    if (!field.startsWith(prefix)) continue;
    if (to === undefined) delete labels[field.slice(prefix.length)];
    else labels[field.slice(prefix.length)] = String(to);
  }
  return mark ? { ...withoutMark(labels), ...markLabels(mark) } : labels;
}

const sorted = (labels: Labels): readonly (readonly [string, string])[] =>
  Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));

/** The mark in words, where labels cannot say it; and no words of an older one. */
async function writeMarkText(
  { mark, observed }: Item,
  seen: Instance,
  scope: Scope,
  call: Call,
): Promise<Result<void>> {
  const text = mark && markText(mark);
  const before = readMetadata(seen.metadata);
  if (before[metadataKeys.mark] === text) return done;
  const { [metadataKeys.mark]: _, ...others } = before;
  const wanted = { ...others, ...(text === undefined ? {} : { [metadataKeys.mark]: text }) };
  const items = Object.entries(wanted).map(([key, value]) => ({ key, value }));
  const { location: zone = '', name: instance } = placeOf(observed.id);
  const metadataResource = { fingerprint: seen.metadata?.fingerprint ?? null, items };
  const secrets = Object.values(before);
  const answer = await carryOut(
    { action: 'instances.setMetadata', region: regionOfZone(zone), secrets },
    (sdk, options) =>
      sdk.instances().setMetadata({ project: scope.project, zone, instance, metadataResource }, options),
    scope,
    call,
  );
  return answer.ok ? done : answer;
}

/** The boot disk bears the mark of its machine: before it, so that a marked machine has a marked disk. Never another's. */
async function markDisk({ mark, observed }: Item, seen: Instance, scope: Scope, call: Call): Promise<Result<void>> {
  const path = bootDiskOf(seen);
  if (!mark || path === undefined) return done;
  const { project } = scope;
  const { location: zone = '', name: disk } = placeOf(path);
  const found = await getDisk(path, scope, call);
  if (!found.ok) return found;
  const labels = found.value.labels ?? {};
  const owner = readLabels(labels, `gcp/${project}/${zone}`);
  const isItsOwn = owner === undefined ? observed.signs.mark === undefined : isSameOwner(observed.signs.mark, owner);
  if (!isItsOwn) return done;
  const zoneSetLabelsRequestResource = {
    labels: { ...withoutMark(labels), ...markLabels(mark, 'disk') },
    labelFingerprint: found.value.labelFingerprint ?? null,
  };
  const answer = await carryOut(
    { action: 'disks.setLabels', region: regionOfZone(zone) },
    (sdk, options) => sdk.disks().setLabels({ project, zone, resource: disk, zoneSetLabelsRequestResource }, options),
    scope,
    call,
  );
  return answer.ok ? done : answer;
}
