import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { exportRows } from '../../../src/http/api/inventory-export.ts';
import { rowAnswer } from '../../../src/http/api/schemas/inventory.ts';
import type { RowPage, RowQuery } from '../../../src/ports/inventory-rows.ts';
import { now, rowOf, scope, store, world } from './routes/inventory-world.ts';

const evil = '=HYPERLINK("http://x","y")';
const rows = [
  ...Array.from({ length: 2500 }, (_, i) => rowOf(`n-${String(i).padStart(4, '0')}`)),
  rowOf('zz', { called: { name: evil, labels: { '+a': '1,2' } } }),
];
await store.rows.keep({ estate: 'acme', scope }, { at: now, rows, gaps: [] });
after(world.close);

const query = { seen: [{}], filter: {}, sort: { by: 'address', descending: false } } as const;
const source = {
  page: store.rows.page,
  answer: async ({ rows: found }: RowPage) =>
    found.map((row) => rowAnswer(row, { now, seen: [{}], nextAt: undefined })),
};

async function text(chunks: AsyncIterable<string>): Promise<string> {
  let all = '';
  for await (const chunk of chunks) all += chunk;
  return all;
}

describe('the inventory as a table', () => {
  it('as CSV: a head, and every line of every page', async () => {
    const { text: csv, headers } = await world.ask('viewer', 'GET /v1/inventory?format=csv');
    const lines = csv.trimEnd().split('\r\n');
    assert.equal(lines.length, 1 + rows.length);
    assert.match(lines[0] ?? '', /^address,id,name,kind,/);
    assert.match(String(headers['content-type']), /^text\/csv/);
    assert.match(String(headers['content-disposition']), /inventory\.csv/);
  });

  it('no cell is a formula, whatever somebody named an object', async () => {
    const { text: csv } = await world.ask('viewer', 'GET /v1/inventory?format=csv&q=zz');
    assert.ok(csv.includes(`"'=HYPERLINK(""http://x"",""y"")"`), csv);
    assert.ok(csv.includes('"{""+a"":""1,2""}"'), csv);
  });

  it('as NDJSON, by its name or by what is accepted', async () => {
    for (const [url, headers] of [
      ['GET /v1/inventory?format=ndjson', {}],
      ['GET /v1/inventory', { accept: 'application/x-ndjson' }],
    ] as const) {
      const { text: lines } = await world.ask('viewer', url, { headers });
      const all = lines.trimEnd().split('\n');
      assert.equal(all.length, rows.length);
      assert.equal(JSON.parse(all[0] ?? '').name, 'n-0000');
    }
    const { body } = await world.ask('viewer', 'GET /v1/inventory', { headers: { accept: '*/*' } });
    assert.ok(body !== undefined && Object.keys(Object(body)).includes('items'));
  });

  it('ends at its limit, and says so in its last line', async () => {
    const cut = await text(exportRows('ndjson', query, source, 1200));
    const lines = cut.trimEnd().split('\n');
    assert.equal(lines.length, 1201);
    assert.deepEqual(Object.keys(JSON.parse(lines.at(-1) ?? '')), ['truncated', 'reason']);
    assert.match(
      await text(exportRows('csv', query, source, 1200)),
      /\r\n"?More than 1200 resources match[^\r]*"?\r\n$/,
    );
    assert.equal(
      (await text(exportRows('ndjson', query, source, rows.length))).trimEnd().split('\n').length,
      rows.length,
    );
  });

  it('keeps to a limit that is said, over pages too, and adds no line of its own', async () => {
    const { text: csv } = await world.ask('viewer', 'GET /v1/inventory?format=csv&limit=2');
    const lines = csv.trimEnd().split('\r\n');
    assert.deepEqual([lines.length, lines[2]?.includes(',n-0001,')], [3, true]);
    const { text: all } = await world.ask('viewer', 'GET /v1/inventory?limit=1000', {
      headers: { accept: 'text/csv' },
    });
    assert.equal(all.trimEnd().split('\r\n').length, 1001);
    const limits: number[] = [];
    const page = (asked: RowQuery) => store.rows.page(asked).finally(() => limits.push(asked.limit));
    const told = await text(exportRows('ndjson', { ...query, limit: 1500 }, { ...source, page }));
    assert.deepEqual(limits, [1000, 500]);
    assert.equal(told.trimEnd().split('\n').length, 1500);
    assert.match(told, /"name":"n-1499"[^\n]*\n$/);
    assert.match(
      await text(exportRows('ndjson', { ...query, limit: 1500 }, source, 1200)),
      /"truncated":true[^\n]*\n$/,
    );
    assert.equal((await world.ask('viewer', 'GET /v1/inventory?format=csv&limit=1001')).status, 400);
  });

  it('a place of another question is refused before the first line', async () => {
    assert.equal((await world.ask('viewer', 'GET /v1/inventory?format=csv&after=AAAA')).status, 400);
  });
});
