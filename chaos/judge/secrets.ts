import type pg from 'pg';

/** What a process is given to keep to itself: it stands in its environment, and the clouds are told it. */
export const secrets = {
  AWS_SECRET_ACCESS_KEY: 'k4narienv0gel/of+the=keys',
  SETPOINT_SECRET_OPS: 'K4narienvogel-of-the-machines',
} as const;

/**
 * Where one of them stands that must not: in what processes said, in what an estate has in any table (jobs, ledger, inventory),
 * or in what its cloud shows to whoever may read it. Nothing: invariant 10 holds.
 */
export async function secretsShown(
  { estate, database }: { readonly estate: string; readonly database: pg.Pool },
  places: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const { rows } = await database.query(
    "SELECT table_name FROM information_schema.columns WHERE table_schema = 'setpoint' AND column_name = 'estate' AND table_name IN (SELECT tablename FROM pg_tables WHERE schemaname = 'setpoint')",
  );
  const tables = await Promise.all(
    rows.map(async ({ table_name: name }) => {
      const held = await database.query(`SELECT t::text AS row FROM setpoint."${name}" t WHERE estate = $1`, [estate]);
      return [`the table ${name}`, held.rows.map(({ row }) => String(row)).join('\n')] as const;
    }),
  );
  if (!tables.some(([, text]) => text.includes(estate))) throw new Error(`no table knows of ${estate}`);
  return [...tables, ...Object.entries(places)].flatMap(([place, text]) =>
    forms.flatMap(({ name, form }) => (text.includes(form) ? [`${name} stands in ${place}`] : [])),
  );
}

const forms = Object.entries(secrets).flatMap(([name, text]) =>
  [text, encodeURIComponent(text), Buffer.from(text).toString('base64').slice(0, 24)].map((form) => ({ name, form })),
);
