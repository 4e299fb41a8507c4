import type { Result } from '../../src/core/failure.ts';
import type { Mark } from '../../src/core/observed.ts';
import type { RuleAttributes } from '../../src/core/resource.ts';
import type { Call } from '../../src/ports/provider.ts';
import { done, failed } from '../shared/answer.ts';
import { partsOfId } from './ids.ts';
import { prefixAt } from './place.ts';
import { childNamed, type RawChild, type RawResource } from './raw.ts';
import { ifMatch } from './retag.ts';
import { type RulePlace, readRuleMark, roomBeside, writeRuleMark } from './rule-mark.ts';
import type { Scope } from './scope.ts';
import { changedMeanwhile, sameRule } from './security-rule.ts';
import type { Tags } from './tags.ts';

/**
 * Changes one rule of an NSG that is not ours, by its own URL: the mark in its description says whose it is.
 *
 *   wanted  | stands, bears our mark   | stands, bears none or another | does not stand
 *   --------+--------------------------+-------------------------------+----------------
 *   new     | an earlier try: done     | conflict                      | written
 *   changed | written                  | conflict, unless it is adopted| not found
 *   gone    | deleted                  | conflict                      | done
 *
 * An adopted rule bears no mark, and keeps its description unless its document states another.
 */
export async function editMarked(edit: RuleEdit, nsg: RawResource, scope: Scope, call: Call): Promise<Result<void>> {
  const present = childNamed(nsg.properties.securityRules, edit.name);
  const ownPlace: RulePlace = { prefix: prefixAt(nsg.id, scope.location), name: edit.name.toLowerCase() };
  const bears = markOn(present, ownPlace);
  if (edit.properties === undefined) return present ? remove(edit, present, nsg, { scope, call }) : done;
  if (!present && edit.stands) return failed('not-found', 'ResourceNotFound', `rule ${edit.name} is gone`);
  const place = { nsg, present };
  if (present && edit.adopted && bears === undefined)
    return write(edit, withText(edit, present), place, { scope, call });
  const mark = edit.mark ?? bears;
  if (mark === undefined || (present && !mayWrite(edit, bears))) return notOurs(edit, nsg);
  const properties = described(edit.properties, mark, ownPlace);
  return properties.ok ? write(edit, properties.value, place, { scope, call }) : properties;
}

interface Place {
  readonly nsg: RawResource;
  readonly present: RawChild | undefined;
}

/** An adopted rule with the description that it has, unless that is changed, too. */
function withText(edit: RuleEdit, present: RawChild): object {
  const text = textOf(present.properties);
  return { ...edit.properties, ...(edit.adopted === 'text-kept' && text !== '' ? { description: text } : {}) };
}

async function write(edit: RuleEdit, properties: object, place: Place, way: Way): Promise<Result<void>> {
  const { present } = place;
  if (present && sameRule(present.properties, properties)) return done;
  const changed = present && changedMeanwhile(edit, present);
  return changed ?? put(edit.name, properties, place, way);
}

/** `adopts` where a mark is given for what stands unmarked; never over the mark of another estate. */
function mayWrite({ stands, mark }: RuleEdit, bears: Mark | undefined): boolean {
  if (stands) return bears === undefined ? mark !== undefined : mark === undefined || bears.estate === mark.estate;
  return bears?.intent === mark?.intent && bears?.estate === mark?.estate && bears?.store === mark?.store;
}

interface Way {
  readonly scope: Scope;
  readonly call: Call;
}

const notOurs = ({ name }: RuleEdit, { id }: RawResource): Result<never> =>
  failed(
    'conflict',
    'Unmarked',
    `rule ${name} of ${id} has no mark of this estate, and neither does the security group`,
  );

function markOn(rule: RawChild | undefined, place: RulePlace): Mark | undefined {
  return rule ? readRuleMark(textOf(rule.properties), place).mark : undefined;
}

function textOf(properties: object | undefined): string {
  const text: unknown = properties ? Reflect.get(properties, 'description') : undefined;
  return typeof text === 'string' ? text : '';
}

function described(properties: object, mark: Mark, place: RulePlace): Result<object> {
  const text = textOf(properties);
  const description = writeRuleMark(text, mark, place);
  if (description !== undefined) return { ok: true, value: { ...properties, description } };
  const room = Math.max(0, roomBeside(mark, place));
  const message = `the description of ${place.name} has ${text.length} characters. In a security group of another owner there is room for ${room} beside the mark: shorten it`;
  return failed('terminal', 'DescriptionTooLong', message);
}

async function put(
  name: string,
  properties: object,
  { nsg, present }: Place,
  { scope, call }: Way,
): Promise<Result<void>> {
  const { resourceGroup, name: group } = partsOfId(nsg.id);
  const written = await scope.client.run(
    call,
    ({ network }) => network.securityRules.createOrUpdate(resourceGroup, group, name, {}, ifMatch(present?.etag)),
    JSON.stringify({ name, properties }),
  );
  return written.ok ? done : written;
}

async function remove(
  edit: RuleEdit,
  present: RawChild,
  nsg: RawResource,
  { scope, call }: Way,
): Promise<Result<void>> {
  const bears = markOn(present, { prefix: prefixAt(nsg.id, scope.location), name: edit.name.toLowerCase() });
  if (bears === undefined || bears.estate !== edit.mark?.estate) return notOurs(edit, nsg);
  const changed = changedMeanwhile(edit, present);
  if (changed) return changed;
  const { resourceGroup, name: group } = partsOfId(nsg.id);
  const gone = await scope.client.run(call, ({ network }) =>
    network.securityRules.delete(resourceGroup, group, edit.name),
  );
  return gone.ok || gone.failure.kind === 'not-found' ? done : gone;
}

/** The intended change of one rule of an NSG. */
export interface RuleEdit {
  readonly name: string;
  /** The `properties` of its JSON; absent: it goes. */
  readonly properties?: object;
  /** True if the rule must exist already. */
  readonly stands: boolean;
  /** A rule that is changed or goes: as it was when that was planned. */
  readonly listed?: RuleAttributes;
  /** The mark that it bears, or shall bear, where the NSG is not ours. */
  readonly mark: Mark | undefined;
  /** A rule that is ours by the store alone. `text-kept`: its description is no part of the change. */
  readonly adopted?: 'text-kept' | 'text-set';
  /** True if the NSG is the network's own part, by its tags. */
  contained(tags: Tags | undefined): boolean;
}
