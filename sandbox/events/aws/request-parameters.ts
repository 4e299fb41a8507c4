import { ACTIONS } from '../../ec2/actions/index.ts';
import { decode } from '../../ec2/wire/query.ts';
import type { Call } from '../../protocol.ts';
import { RECORDS, type RecordRow, SETS, type SetRow } from './record-table.ts';

type Json = Readonly<Record<string, unknown>>;

/** What was asked, as CloudTrail writes it. */
export function requestParameters({ action, params }: Call): object {
  const fields = ACTIONS.get(action)?.fields;
  const { DryRun: _, ...asked }: Json = fields ? decode(params, fields) : params;
  const row = RECORDS[action] ?? {};
  return row.wrapped ? { [`${action}Request`]: wrapped(asked) } : gathered(camelled(hidden(asked, row)), row);
}

function hidden(asked: Json, { removed = [] }: RecordRow): Json {
  const gone = removed.filter((name) => asked[name] !== undefined).map((name) => [name, '<sensitiveDataRemoved>']);
  return { ...asked, ...Object.fromEntries(gone) };
}

function gathered(told: Json, { together }: RecordRow): Json {
  if (!together) return told;
  const names = new Set(together.names.map(camel));
  const entries = Object.entries(told);
  return {
    [together.set]: { items: [Object.fromEntries(entries.filter(([name]) => names.has(name)))] },
    ...Object.fromEntries(entries.filter(([name]) => !names.has(name))),
  };
}

function camelled(asked: Json, parent = ''): Json {
  return Object.fromEntries(
    Object.entries(asked).map(([name, value]) => {
      if (!Array.isArray(value)) return [camel(name), isJson(value) ? camelled(value, name) : value];
      const row = SETS[`${parent}.${name}`] ?? SETS[name] ?? { name: camel(name) };
      return [row.name, setOf(value, name, row)];
    }),
  );
}

function setOf(values: readonly unknown[], name: string, row: SetRow): object {
  const empty = (row.always ?? []).map((each) => [each, {}]);
  const items = values.map((value) =>
    isJson(value) ? { ...Object.fromEntries(empty), ...camelled(value, name) } : { [row.item ?? camel(name)]: value },
  );
  if (row.plain) return items;
  return items.length > 0 ? { items } : {};
}

/** As the newer actions have it: names of the wire, each item with its `tag`, and one alone is no list. */
function wrapped(asked: Json): Json {
  return Object.fromEntries(
    Object.entries(asked).map(([name, value]) => {
      if (!Array.isArray(value)) return [name, isJson(value) ? wrapped(value) : value];
      const items = value.map((item, index) => ({
        ...(isJson(item) ? wrapped(item) : { content: item }),
        tag: index + 1,
      }));
      return [name, items.length === 1 ? items[0] : items];
    }),
  );
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function camel(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}
