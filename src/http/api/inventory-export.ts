import type { z } from 'zod';
import { printable } from '../../core/text.ts';
import type { RowPage, RowQuery } from '../../ports/inventory-rows.ts';
import { rowSchema } from './schemas/inventory.ts';

/** Lines of comma-separated values, as https://www.rfc-editor.org/rfc/rfc4180 has them. */
export const csvLine = (cells: readonly string[]): string => `${cells.map(cell).join(',')}\r\n`;

/**
 * A spreadsheet takes a text that begins like this for a formula, and anybody who names an object on a cloud may write one. The
 * export quotes it as text. https://owasp.org/www-community/attacks/CSV_Injection
 */
const formula = /^[=+\-@＝＋－＠]/;

/** With semicolons between cells, as in most of Europe, a cell begins here too: Setpoint's quotes hold none together. */
const afterSeparator = /([;|][\s"]*)(?=[=+\-@＝＋－＠])/g;

/** A terminal obeys control characters, line breaks and signs that turn text round: they are written as JSON escapes them. */
function cell(given: string): string {
  const text = printable(given);
  const safe = (formula.test(text) ? `'${text}` : text).replaceAll(afterSeparator, "$1'");
  return /[",]/.test(safe) || safe !== text ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The most rows of one export. For more, the caller asks for a part of the inventory. */
export const maxExportedRows = 100_000;
const pageRows = 1000;

type ExportedRow = z.output<typeof rowSchema>;
export type ExportFormat = 'csv' | 'ndjson';

interface RowSource {
  page(query: RowQuery): Promise<RowPage>;
  /** As it leaves. */
  answer(page: RowPage): Promise<readonly unknown[]>;
}

/** `limit`: the most resources that the caller asks for; absent: all. */
export interface ExportQuery extends Omit<RowQuery, 'limit'> {
  readonly limit?: number | undefined;
}

/** All that a question finds, page by page; at `most` it ends, and its last line says so. At the asker's own limit it just ends. */
export async function* exportRows(
  format: ExportFormat,
  query: ExportQuery,
  source: RowSource,
  most = maxExportedRows,
): AsyncGenerator<string> {
  const { head, line, cut } = formats[format];
  yield head;
  let sent = 0;
  for (let after = query.after; ; ) {
    const limit = Math.min(pageRows, (query.limit ?? most) - sent, most - sent);
    const page = await source.page({ ...query, limit, after });
    const rows = await source.answer(page);
    yield rows.map((row) => line(rowSchema.parse(row))).join('');
    sent += rows.length;
    if (page.next === undefined || sent === query.limit) return;
    if (sent >= most) {
      yield cut(`More than ${most} resources match. Filter by cloud, kind or status.`);
      return;
    }
    after = page.next;
  }
}

/** These lines as an export has them, with its head. */
export const exportText = (format: ExportFormat, rows: readonly ExportedRow[]): string =>
  formats[format].head + rows.map((row) => formats[format].line(row)).join('');

interface Format {
  readonly head: string;
  line(row: ExportedRow): string;
  /** The note that there is more. */
  cut(reason: string): string;
}

const columns = [
  'address',
  'id',
  'name',
  'kind',
  'cloud',
  'account',
  'region',
  'scope',
  'estate',
  'targets',
  'claim',
  'owner',
  'labels',
  'status',
  'reason',
  'code',
  'criticality',
  'violations',
  'exposed',
  'since',
  'generation',
  'next',
  'nextAttempt',
  'observedAt',
  'complete',
] as const;

const formats: Readonly<Record<ExportFormat, Format>> = {
  csv: {
    head: csvLine(columns),
    line: (row) => csvLine(columns.map((column) => cellOf(row, column))),
    cut: (reason) => csvLine([reason]),
  },
  ndjson: {
    head: '',
    line: (row) => `${JSON.stringify(row)}\n`,
    cut: (reason) => `${JSON.stringify({ truncated: true, reason })}\n`,
  },
};

function cellOf(
  { observed, next, targets, labels, violations = [], exposed, ...row }: ExportedRow,
  column: (typeof columns)[number],
): string {
  switch (column) {
    case 'targets':
      return targets.join(' ');
    case 'labels':
      // why: a key or value may hold a blank, or any sign that could part them
      return JSON.stringify(labels);
    case 'violations':
      return violations.map(({ policy, rule }) => `${policy}/${rule}`).join(' ');
    case 'exposed':
      return exposed?.answer ?? '';
    case 'next':
      return next?.verb ?? '';
    case 'observedAt':
      return observed.at;
    case 'complete':
      return String(observed.complete);
    default:
      return String(row[column] ?? '');
  }
}
