import type { EC2Client } from '@aws-sdk/client-ec2';
import { isTurnOver, nextTurn } from '../shared/turns.ts';
import { parseXml, type XmlElement, type XmlValue } from './xml.ts';

/** The SDK's deserialiser of EC2's answers (`XmlShapeDeserializer` of @aws-sdk/core), as far as its protocol calls it. */
interface Deserializer {
  setSerdeContext(context: unknown): void;
  /** The protocol awaits it. */
  read(schema: unknown, bytes: Uint8Array): unknown;
  /** Of what a parser has read. */
  readSchema(schema: unknown, value: unknown): unknown;
}

/** A shape of the SDK's model (`NormalizedSchema` of @smithy/core). */
interface Schema {
  isListSchema(): boolean;
  isStructSchema(): boolean;
  isUnionSchema(): boolean;
  getValueSchema(): Schema;
  getMergedTraits(): Traits;
  getMemberTraits(): Traits;
  structIterator(): Iterable<readonly [name: string, schema: Schema]>;
}

interface Traits {
  readonly xmlName?: string;
  readonly xmlFlattened?: unknown;
}

/** This client reads each answer in turns of the loop: a page of 1,000 instances would hold it for 180 ms. */
export function readInTurns({ config, middlewareStack }: EC2Client): void {
  // why: it copies each answer for a log that nobody reads, which takes a fourth of that
  middlewareStack.remove('loggerMiddleware');
  // why: what a subclass of the SDK may replace; the class itself lies in a package of the SDK's own
  const protocol = config.protocol as unknown as { deserializer: Deserializer };
  protocol.deserializer = inTurns(protocol.deserializer);
}

/**
 * Reads what `own` reads, by the same model. That one still reads texts, times and numbers, and whatever else is neither a list
 * nor a structure.
 */
const inTurns = (own: Deserializer): Deserializer => ({
  setSerdeContext: (context) => own.setSerdeContext(context),
  readSchema: (schema, value) => own.readSchema(schema, value),
  read: async (schema, bytes) => {
    // why: the SDK has just put the pieces together, which takes its time too
    if (bytes.byteLength > large || isTurnOver()) await nextTurn();
    return readShape(schema as Schema, await parsed(bytes), own); // why: the protocol has normalised it, or it is a number
  },
});

/** Bytes that are copied, or made a text, within some milliseconds. Of a larger answer that cannot be read an error has the beginning. */
const large = 1024 * 1024;

async function parsed(bytes: Uint8Array): Promise<XmlValue> {
  try {
    return await parseXml(bytes);
  } catch (error) {
    const text = Buffer.from(bytes.subarray(0, large)).toString('utf8');
    if (error instanceof Error) Object.defineProperty(error, '$responseBodyText', { value: text });
    throw error;
  }
}

/** A list that is still to be filled. Only lists grow with an answer: a structure has the members that the model gives it. */
interface List {
  readonly schema: Schema;
  readonly items: readonly XmlValue[];
  readonly into: unknown[];
}

async function readShape(schema: Schema, value: XmlValue, own: Deserializer): Promise<unknown> {
  const lists: List[] = [];
  const shape = shapeOf(schema, value, { own, lists });
  // why: reading an item adds the lists that are in it
  for (const { schema: of, items, into } of lists)
    for (const item of items) {
      into.push(shapeOf(of, item, { own, lists }));
      if (isTurnOver()) await nextTurn();
    }
  return shape;
}

interface Reading {
  readonly own: Deserializer;
  readonly lists: List[];
}

function shapeOf(schema: Schema, value: XmlValue, reading: Reading): unknown {
  if (typeof schema !== 'object' || typeof value !== 'object') return reading.own.readSchema(schema, value);
  if (schema.isListSchema()) return listOf(schema, value, reading);
  if (!schema.isStructSchema() || schema.isUnionSchema()) return reading.own.readSchema(schema, value);
  const shape: Record<string, unknown> = {};
  const members = value as XmlElement; // why: a list has no member of these names
  for (const [name, member] of schema.structIterator()) {
    const held = members[member.getMemberTraits().xmlName ?? name];
    if (held != null) shape[name] = shapeOf(member, held, reading);
  }
  return shape;
}

/** Of a list that comes twice the first counts, as the SDK has it. */
function listOf(schema: Schema, value: XmlElement | readonly XmlValue[], { lists }: Reading): unknown[] {
  const of = schema.getValueSchema();
  const first = Array.isArray(value) ? value[0] : value;
  const items = schema.getMergedTraits().xmlFlattened ? value : first[of.getMergedTraits().xmlName ?? 'member'];
  const into: unknown[] = [];
  if (items != null) lists.push({ schema: of, items: Array.isArray(items) ? items : [items], into });
  return into;
}
