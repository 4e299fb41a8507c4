import type { Result } from '../../src/core/failure.ts';
import type { CloudId } from '../../src/core/resource.ts';
import type { Call } from '../../src/ports/provider.ts';
import { done, failed } from '../shared/answer.ts';
import { partsOfId } from './ids.ts';
import { childNamed, type RawChild, type RawResource, withChildren } from './raw.ts';
import { ifMatch, isAnother } from './retag.ts';
import { editMarked, type RuleEdit } from './rule-edit-marked.ts';
import type { Scope } from './scope.ts';
import { changedMeanwhile, sameRule } from './security-rule.ts';
import { sinks } from './sinks.ts';
import { inTurn } from './turn.ts';

/** `guid`: the number of the NSG, which the ids of its rules end in. */
export interface Written {
  readonly guid: string | undefined;
  readonly contained: boolean;
}

/**
 * Changes rules of one NSG, built from a GET made for it. In one of ours all of them go in one PUT of the whole, refused if
 * somebody wrote in between; whatever else stands in it is sent back as it was.
 * In somebody else's each goes by its own URL, and only if it bears our mark: rule-edit-marked.ts.
 */
export async function editRules(
  nsgId: CloudId,
  edits: readonly RuleEdit[],
  scope: Scope,
  call: Call,
): Promise<readonly Result<Written>[]> {
  return inTurn(nsgId, scope, async () => {
    const { resourceGroup, name } = partsOfId(nsgId);
    const read: ReadNsg = () =>
      scope.client.raw(call, ({ network }) => network.networkSecurityGroups.get(resourceGroup, name));
    const now = await read();
    if (!now.ok && now.failure.kind !== 'not-found') return edits.map(() => now);
    if (!now.ok || isAnother(nsgId, now.value.properties.resourceGuid))
      return edits.map((edit) => withoutNsg(edit, name));
    const results = new Map<RuleEdit, Result<void>>();
    const contained = edits.filter(({ contained }) => contained(now.value.tags));
    for (const [edit, result] of await editContained(contained, now.value, read, { scope, call }))
      results.set(edit, result);
    const others = edits.filter((edit) => !contained.includes(edit));
    const first = contained.length === 0 ? now.value : undefined;
    for (const [edit, result] of await inSuccession(others, { read, first }, (edit, nsg) =>
      editMarked(edit, nsg, scope, call),
    ))
      results.set(edit, result);
    return edits.map((edit) => {
      const result = results.get(edit) ?? done;
      const guid = now.value.properties.resourceGuid;
      return result.ok ? { ok: true, value: { guid, contained: contained.includes(edit) } } : result;
    });
  });
}

type ReadNsg = () => Promise<Result<RawResource>>;

/**
 * Each built from a GET made for it, as each write moves the etag of the NSG and of all its rules; the first from `first`, if
 * nothing was written since.
 */
async function inSuccession(
  edits: readonly RuleEdit[],
  { read, first }: { readonly read: ReadNsg; readonly first?: RawResource | undefined },
  write: (edit: RuleEdit, nsg: RawResource) => Promise<Result<void>>,
): Promise<ReadonlyMap<RuleEdit, Result<void>>> {
  const results = new Map<RuleEdit, Result<void>>();
  for (const edit of edits) {
    const now: Result<RawResource> = first && results.size === 0 ? { ok: true, value: first } : await read();
    results.set(edit, now.ok ? await write(edit, now.value) : now);
  }
  return results;
}

interface Way {
  readonly scope: Scope;
  readonly call: Call;
}

function withoutNsg({ name, properties, stands }: RuleEdit, nsg: string): Result<Written> {
  if (properties === undefined) return { ok: true, value: { guid: undefined, contained: false } };
  if (stands) return failed('not-found', 'ResourceNotFound', `rule ${name} is gone with ${nsg}`);
  return failed('not-found', 'NoFilter', `${nsg} does not exist yet; it is created with its network`);
}

async function editContained(
  edits: readonly RuleEdit[],
  nsg: RawResource,
  read: ReadNsg,
  { scope, call }: Way,
): Promise<ReadonlyMap<RuleEdit, Result<void>>> {
  const results = new Map<RuleEdit, Result<void>>();
  const wanted = new Map((nsg.properties.securityRules ?? []).map((rule) => [lower(rule.name), rule]));
  for (const edit of edits) {
    const present = wanted.get(lower(edit.name));
    const settled = settledBy(edit, present);
    if (settled) results.set(edit, settled);
    else if (edit.properties === undefined) wanted.delete(lower(edit.name));
    else wanted.set(lower(edit.name), { name: edit.name, ...identityOf(present), properties: edit.properties });
  }
  const open = edits.filter((edit) => !results.has(edit));
  if (open.length === 0) return results;
  const whole = nsg.etag === undefined ? unsafe : await putWhole(nsg, [...wanted.values()], scope, call);
  const singly = !whole.ok && open.length > 1 && sinks(whole.failure);
  const answers = singly
    ? await inSuccession(open, { read }, (edit, now) => putOne(edit, now, scope, call))
    : undefined;
  for (const edit of open) results.set(edit, answers?.get(edit) ?? whole);
  return results;
}

const lower = (name: string | undefined): string => name?.toLowerCase() ?? '';
const unsafe = failed('terminal', 'NoEtag', 'Azure returned no etag of the security group, so Setpoint writes nothing');

/** An edit that needs no write: the rule says so already, is gone already, or has changed since the edit was planned. */
function settledBy(edit: RuleEdit, present: RawChild | undefined): Result<void> | undefined {
  const { name, properties, stands } = edit;
  if (properties === undefined) return present ? changedMeanwhile(edit, present) : done;
  if (!present) return stands ? failed('not-found', 'ResourceNotFound', `rule ${name} is gone`) : undefined;
  return sameRule(present.properties, properties) ? done : changedMeanwhile(edit, present);
}

/** Its name as it stands, id and etag, which are no part of what a rule says. */
const identityOf = (rule: RawChild | undefined): object => (rule ? { ...rule, properties: undefined } : {});

async function putWhole(
  nsg: RawResource,
  securityRules: readonly RawChild[],
  { client }: Scope,
  call: Call,
): Promise<Result<void>> {
  const { resourceGroup, name } = partsOfId(nsg.id);
  const put = await client.run(
    call,
    ({ network }) => network.networkSecurityGroups.createOrUpdate(resourceGroup, name, {}, ifMatch(nsg.etag)),
    withChildren(nsg, { securityRules }),
  );
  return put.ok ? done : put;
}

/** One bad rule sank the whole: then each goes by itself, once. */
async function putOne(edit: RuleEdit, nsg: RawResource, { client }: Scope, call: Call): Promise<Result<void>> {
  const { resourceGroup, name: group } = partsOfId(nsg.id);
  const { name, properties } = edit;
  const present = childNamed(nsg.properties.securityRules, name);
  const settled = settledBy(edit, present);
  if (settled) return settled;
  if (properties === undefined) {
    const gone = await client.run(call, ({ network }) => network.securityRules.delete(resourceGroup, group, name));
    return gone.ok || gone.failure.kind === 'not-found' ? done : gone;
  }
  const put = await client.run(
    call,
    ({ network }) => network.securityRules.createOrUpdate(resourceGroup, group, name, {}, ifMatch(present?.etag)),
    JSON.stringify({ name, properties }),
  );
  return put.ok ? done : put;
}
