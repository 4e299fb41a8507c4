import type pg from 'pg';
import type { Figure } from '../bench/figure.ts';
import type { Control } from '../sandbox/control.ts';
import type { Verdict } from '../sandbox/packet.ts';
import type { TrialCloud } from './specs.ts';

/** Prints the violations of a trial, and counts them. The figure carries their text, to be read where it is missed. */
export function violationsFigure(name: string, violations: readonly string[]): Figure {
  for (const violation of violations) console.error(`${name}: ${violation}`);
  return { name, value: violations.length, unit: 'violations', floor: 0, evidence: violations };
}

/** Every tag, label and description in an account: what whoever may read it is shown. */
export const marksOf = (cloud: TrialCloud, control: Control): string => JSON.stringify(readers[cloud](control));

const readers: Readonly<Record<TrialCloud, (control: Control) => unknown>> = {
  aws: ({ ec2 }) => {
    const region = ec2.region('111122223333', 'eu-west-1');
    const tagged = [region.vpcs, region.subnets, region.groups, region.gateways, region.routeTables, region.instances];
    return [
      ...tagged.flatMap((table) => [...table.values()].map(({ tags }) => [...tags])),
      ...[...region.rules.values()].map(({ description }) => description),
    ];
  },
  gcp: ({ compute }) => {
    const project = compute.project('acme-prod');
    return [
      ...[...project.instances.values()].map(({ marks }) => [...marks.labels]),
      ...[project.networks, project.subnetworks, project.firewalls].flatMap((table) =>
        [...table.values()].map(({ description }) => description),
      ),
    ];
  },
  azure: ({ arm }) => {
    const subscription = arm.subscription('11112222-3333-4444-8555-666677778888');
    const { networks, securityGroups, applicationGroups, machines, interfaces, addresses } = subscription;
    return [
      ...[networks, securityGroups, applicationGroups, machines, interfaces, addresses].flatMap((table) =>
        [...table.values()].map(({ tags }) => [...tags]),
      ),
      ...[...securityGroups.values()].flatMap(({ rules }) => rules.map(({ description }) => description)),
    ];
  },
};

const packet = { from: '203.0.113.7', protocol: 'tcp', port: 22 } as const;

/**
 * Checks that the office reaches the database machine now, by the sandbox's packet check. The rule ssh allows it, and is wanted
 * before, during and after every change. Undefined: allowed; else the reason.
 */
export function closedToOffice(cloud: TrialCloud, control: Control): string | undefined {
  const { allowed, steps } = asked[cloud](control);
  return allowed ? undefined : steps.map(({ gate, reason }) => `${gate}: ${reason}`).at(-1);
}

const asked: Readonly<Record<TrialCloud, (control: Control) => Verdict>> = {
  aws: ({ ec2 }) => {
    const where = { account: '111122223333', region: 'eu-west-1' };
    const machine = [...ec2.region(where.account, where.region).instances.values()].find(
      ({ tags, power }) => tags.get('Name') === 'db-0' && power.state !== 'terminated',
    );
    return ec2.packet(where, { ...packet, to: machine?.id ?? 'i-none' });
  },
  gcp: ({ compute }) => compute.packet('acme-prod', { ...packet, to: 'zones/europe-west1-b/instances/db-0' }),
  azure: ({ arm }) => {
    const subscription = '11112222-3333-4444-8555-666677778888';
    const group = `/subscriptions/${subscription}/resourceGroups/acme-prod`;
    return arm.packet(subscription, { ...packet, to: `${group}/providers/Microsoft.Compute/virtualMachines/db-0` });
  },
};

/** Secrets of a process: they are in its environment, and the clouds are sent them. */
export const secrets = {
  AWS_SECRET_ACCESS_KEY: 'k4narienv0gel/of+the=keys',
  SETPOINT_SECRET_OPS: 'K4narienvogel-of-the-machines',
} as const;

/**
 * Secrets in forbidden places: the output of processes, the rows of an estate in any table (jobs, ledger, inventory), and the
 * answers of its cloud to any reader. None: invariant 10 holds.
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
