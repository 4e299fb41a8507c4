import { z } from 'zod';
import { formatCidr, parseCidr } from '../cidr.ts';
import { criticalities } from '../criticality.ts';
import { kindNames } from '../kinds/kinds.ts';
import { fieldCategories, remediations } from '../remediation.ts';

/**
 * The leaves of all schemas. The error text of a leaf says what is expected there, not what is wrong: `problem-of-issue`
 * puts the two together.
 */
export const text = (pattern: RegExp, expected: string): z.ZodString =>
  z.string({ error: expected }).regex(pattern, { error: expected });

export const freeText = (max: number): z.ZodString =>
  text(new RegExp(`^.{1,${max}}$`, 'su'), `text of 1 to ${max} characters`);

/** For names that are shown to people, and that a terminal must not obey. */
export const printableText = (max: number): z.ZodString =>
  text(new RegExp(`^[^\\p{C}]{1,${max}}$`, 'u'), `text of 1 to ${max} printable characters`);

export const whole = (min: number, max: number): z.ZodNumber => {
  const expected = { error: `a whole number from ${min} to ${max}` };
  return z.number(expected).int(expected).min(min, expected).max(max, expected);
};

export const flag = (): z.ZodBoolean => z.boolean({ error: 'true or false' });

/**
 * A name of ours. Neither `.` nor `/`: they separate the steps of an address. 63 is the shortest limit of our clouds
 * (GCP, RFC 1035), so a name that can be written can be kept; what else a cloud refuses is in `check/cloud-names`.
 */
export const name = (): z.ZodString =>
  text(/^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/, 'a name: 1 to 63 letters, digits, - or _, beginning with a letter or digit');

/** The cloud's own name for an object: `vpc-0abc`. */
const cloudId = (): z.ZodString => text(/^[\x21-\x7e]{1,512}$/, "the cloud's own id of an object, such as vpc-0abc");

export const names = (what: string): z.ZodArray<z.ZodString> =>
  z.array(name(), { error: `a list of ${what}` }).min(1, { error: `a list with at least one of the ${what}` });

export const token = (expected: string): z.ZodString => text(/^[\x21-\x7e]{1,512}$/, expected);

/** Each entry once, by the text of it. `expected`: in the plural. The complaint is for `read-document`. */
export const listOf = <T extends z.ZodType>(entry: T, expected: string) =>
  z
    .array(entry, { error: `a list of ${expected}` })
    .refine((entries) => new Set(entries.map((one) => JSON.stringify(one))).size === entries.length, {
      error: 'each entry once',
      params: { complaint: 'has an entry twice' },
    });

const expectedCidr = { error: 'an address block with its mask, such as 10.20.0.0/16 or 2001:db8::/32' };

export const ipv4 = (): z.ZodString =>
  text(
    /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)$/,
    'an IPv4 address such as 10.20.1.5',
  );

/** An address block; whatever its spelling, the document holds the canonical text. */
export const cidr = () =>
  z
    .string(expectedCidr)
    .refine((text) => parseCidr(text) !== undefined, expectedCidr)
    .transform(canonical);

function canonical(text: string): string {
  const block = parseCidr(text);
  return block ? formatCidr(block) : text;
}

const identity = {
  name: name().meta({ description: 'The name of the document, unique for its kind.' }),
  owner: freeText(128).optional().meta({ description: 'The team or person that owns the document.' }),
};

/** Of documents that stand for nothing on a cloud: estates and targets. */
export const plainMetadata = () => z.strictObject(identity, { error: 'a map with a name' });

const labels = z
  .record(
    text(
      /^(?!setpoint)(?!aws:).{1,128}$/su,
      'a label of 1 to 128 characters that does not begin with setpoint or aws:',
    ),
    text(/^.{0,256}$/su, 'text of at most 256 characters'),
    { error: 'a map of labels, each value text' },
  )
  .optional()
  .meta({
    description: 'Labels (tags) on the object. Setpoint manages only these, and leaves other labels unchanged.',
  });

/** By target, what an object of that cloud is called there. */
export const adoption = () =>
  z
    .record(name(), cloudId(), { error: 'a map from targets to cloud ids' })
    .optional()
    .meta({
      description: 'The ids of existing objects to adopt, for each target.',
      examples: [{ 'aws-prod': 'vpc-0abc' }],
    });

/** The same for machines: of several replicas one id each, in the order of their ordinals. */
export const replicaAdoption = () =>
  z
    .record(
      name(),
      z.union(
        [
          cloudId(),
          z
            .array(cloudId(), { error: 'a list of ids' })
            .min(1, { error: 'at least one id' })
            .max(1000, { error: 'at most 1000 ids' }),
        ],
        { error: "the cloud's own id of an object, or a list of ids in the order of the replicas" },
      ),
      { error: 'a map from targets to cloud ids' },
    )
    .optional()
    .meta({
      description:
        'The ids of existing machines to adopt, for each target: one id, or a list in the order of the replicas.',
      examples: [{ 'aws-prod': ['i-0abc', 'i-0def'] }],
    });

/** The ids of an `adopt` for one target, in the order of the replicas. */
export const idsOf = (adopt: string | readonly string[] | undefined): readonly string[] =>
  typeof adopt === 'string' ? [adopt] : (adopt ?? []);

export const formerNames = () =>
  names('former names')
    .optional()
    .meta({ description: 'Former names. Setpoint renames the mark of the object and never recreates it.' });

export const metadata = () =>
  z.strictObject({ ...identity, labels, adopt: adoption(), was: formerNames() }, { error: 'a map with a name' });

export const machineMetadata = () =>
  z.strictObject({ ...identity, labels, adopt: replicaAdoption(), was: formerNames() }, { error: 'a map with a name' });

const MOST = 1_000_000;
const expectedWave = 'a count (5), a share (10%) or rest';

const share = text(/^(?!0{1,2}(?:\.0{1,3})?%)(?:100|\d{1,2}(?:\.\d{1,3})?)%$/, expectedWave).transform((percent) => ({
  share: Number(percent.slice(0, -1)) / 100,
}));

const wave = z.union([whole(1, MOST), z.literal('rest'), share], { error: `${expectedWave}, more than nothing` });

/** Checks of all waves together are in `checks/targets`. */
export const rollout = () =>
  z
    .strictObject(
      {
        canary: whole(1, MOST)
          .optional()
          .meta({ description: 'The size of the first wave.', examples: [1] }),
        // biome-ignore lint/suspicious/noThenProperty: the word that people write; nothing awaits a spec.
        then: z
          .array(wave, { error: 'a list of waves, such as [10%, rest]' })
          .min(1, { error: 'at least one wave; omit `then` for the rest at once' })
          .optional()
          .meta({
            description: 'The next waves, in order: counts, shares of all, or rest. The remainder is the last wave.',
            examples: [['10%', 'rest']],
          }),
      },
      { error: '{ canary, then }' },
    )
    .refine(({ canary, then }) => canary !== undefined || then !== undefined, { error: 'canary, then, or both' })
    .optional()
    .meta({
      description:
        'The waves of a change. Each starts after the previous one is applied and healthy; a failure stops the rollout.',
    });

/** Longer than this and a machine may be proven by its age first: see engine/launch-health.ts. */
const LONGEST_READY = 600;

export const minReady = () =>
  whole(0, LONGEST_READY)
    .optional()
    .meta({
      description:
        "Seconds that a new machine must be ready before it counts. Ready: it runs, and the cloud's status checks passed. Default: 60. With 0 Setpoint launches all replicas at once.",
      examples: [60],
    });

export const mode = () =>
  z.enum(['observe', 'plan', 'enforce']).optional().meta({
    description:
      'The most that Setpoint does without a person: observe reads, plan waits for apply, enforce applies. Default: inherited. The strictest wins.',
  });

export const criticality = () =>
  z
    .enum(criticalities, { error: criticalities.join(', ') })
    .optional()
    .meta({
      description:
        'The order in queues, the class of alerts and the default interval of observations. Default: as its target, else normal.',
    });

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A duration in one unit, such as `30s` or `2d`, in milliseconds. `expected`: with the bounds. */
export const duration = ({ least, most, expected }: DurationBounds) =>
  text(/^\d{1,7}[smhd]$/, expected)
    .refine((given) => millisecondsIn(given) >= least && millisecondsIn(given) <= most, { error: expected })
    .transform(millisecondsIn);

/** In milliseconds. */
interface DurationBounds {
  readonly least: number;
  readonly most: number;
  readonly expected: string;
}

const millisecondsIn = (given: string): number => Number(given.slice(0, -1)) * (unitMs[given.slice(-1)] ?? Number.NaN);

/** A calendar day; the pattern allows the 31st of every month, the check does not. */
export const day = text(/^\d{4}-\d\d-\d\d$/, 'a day, such as 2027-01-31').refine(
  (value) => new Date(`${value}T00:00:00Z`).toJSON()?.startsWith(value) ?? false,
  { error: 'a day that exists, such as 2027-01-31' },
);

/** Of every entry that leaves something alone for a while. */
const ignoredUntil = (after: string) => ({
  reason: freeText(512).meta({ description: 'Why.' }),
  until: day.meta({ description: `The last day of the entry. After it Setpoint warns and ${after}.` }),
});

const ignore = z.strictObject(
  {
    field: text(/^[A-Za-z][^\s]{0,255}$/, 'a field, such as size or labels.tier').meta({
      description: 'The field to ignore, as in this document: size, disk.size, labels.tier.',
    }),
    owner: freeText(128).meta({ description: 'The team or tool that changes the field.' }),
    ...ignoredUntil('no longer ignores the field'),
  },
  { error: '{ field, owner, reason, until }' },
);

const criteria = ['kind', 'id', 'name', 'label', 'origin'] as const;

const ignoreUnmanagedEntry = z
  .strictObject(
    {
      kind: z
        .enum(kindNames, { error: `a kind: ${kindNames.join(', ')}` })
        .optional()
        .meta({ description: 'Only objects of this kind.' }),
      id: cloudId().optional().meta({ description: 'Only the object with this id, and the rules in it.' }),
      name: printableText(256)
        .optional()
        .meta({ description: 'Only objects with this name; * stands for any text.', examples: ['eks-*'] }),
      label: printableText(512)
        .optional()
        .meta({ description: 'Only objects with this label: a key, or key=value.', examples: ['team=data'] }),
      origin: printableText(128)
        .optional()
        .meta({
          description: 'Only objects of this origin, as `setpoint inventory --group-by origin` names it.',
          examples: ['EKS', 'provider-default'],
        }),
      owner: freeText(128).meta({ description: 'The team or tool that owns the objects.' }),
      ...ignoredUntil('reports the objects again'),
    },
    { error: '{ kind, id, name, label, origin, owner, reason, until }' },
  )
  .refine((entry) => criteria.some((one) => entry[one] !== undefined), {
    error: `at least one of ${criteria.join(', ')}`,
  });

export const ignoreUnmanaged = () =>
  z
    .array(ignoreUnmanagedEntry, { error: 'a list of { kind, id, name, label, origin, owner, reason, until }' })
    .max(200, { error: 'at most 200 entries' })
    .optional()
    .meta({
      description:
        'Unmanaged objects that plans do not report until a day. All criteria of an entry must match; rules match by the group that they are in, too. It never covers owned objects, objects with a mark, and objects that a document adopts.',
    });

const expectedRemediation = `a map from categories (${fieldCategories.join(', ')}) to heal, propose or report`;

const remediationWord = (description: string) =>
  z.enum(remediations, { error: 'heal, propose or report' }).optional().meta({ description });

const categories = {
  traffic: remediationWord('Firewall rules, and the groups of machines.'),
  identity: remediationWord('The identity of machines.'),
  power: remediationWord('Whether machines run.'),
  size: remediationWord('The size of machines.'),
  disk: remediationWord('The boot disk of machines.'),
  network: remediationWord('The way of networks and subnets to the internet, and their blocks.'),
  labels: remediationWord('Labels.'),
  name: remediationWord('The name, where a label bears it.'),
} as const satisfies Record<(typeof fieldCategories)[number], z.ZodType>;

/** The lifetime of a document, or of all in an estate. */
export const ttl = (of: string) =>
  duration({ least: 60_000, most: 90 * 86_400_000, expected: 'a time from 1m to 90d, such as 8h or 3d' })
    .optional()
    .meta({
      description: `The lifetime of ${of}, from the generation that first states it. At its end the objects are deleted, after their grace. Another value begins anew.`,
      examples: ['8h'],
    });

const fateOfDrift =
  'The fate of changes outside Setpoint. heal undoes them, propose waits for a person, report leaves them. Default: inherited, else heal.';

/** Of one document: by category. */
const remediation = () =>
  z
    .strictObject(categories, { error: expectedRemediation })
    .optional()
    .meta({
      description: fateOfDrift,
      examples: [{ labels: 'report', power: 'propose' }],
    });

const ofKind = (kind: string) =>
  z
    .strictObject(categories, { error: expectedRemediation })
    .optional()
    .meta({ description: `Of ${kind} alone.` });

/** Of a target or an estate: by category, or by kind and category. */
export const inheritedRemediation = () =>
  z
    .strictObject(
      {
        ...categories,
        kinds: z
          .strictObject(
            {
              network: ofKind('networks'),
              subnet: ofKind('subnets'),
              group: ofKind('groups'),
              'firewall-rule': ofKind('firewall rules'),
              instance: ofKind('machines'),
            } satisfies Record<(typeof kindNames)[number], z.ZodType>,
            { error: `a map from kinds (${kindNames.join(', ')}) to maps of categories` },
          )
          .optional()
          .meta({ description: 'Of single kinds. They go before the categories beside.' }),
      },
      { error: `${expectedRemediation}, and kinds` },
    )
    .optional()
    .meta({ description: fateOfDrift, examples: [{ labels: 'report', kinds: { instance: { size: 'propose' } } }] });

/** The terms of a resource; the same on every kind that stands for something on a cloud. */
export const terms = () => ({
  mode: mode(),
  criticality: criticality(),
  protect: flag().default(false).meta({ description: 'Forbids every plan to delete or replace it.' }),
  deletionPolicy: z.enum(['retain', 'delete']).optional().meta({
    description:
      'The fate of the object after its document is removed. Default: rules and documents with a ttl are deleted; networks, subnets and instances are retained.',
  }),
  ttl: ttl('the document'),
  ignore: z
    .array(ignore, { error: 'a list of { field, owner, reason, until }' })
    .default([])
    .meta({ description: 'Fields that somebody else changes. Setpoint neither compares nor writes them until a day.' }),
  rollout: rollout(),
  remediation: remediation(),
});

/** Loopback only: anything else would send our calls, and with them credentials, to whoever writes a spec. */
export const LOOPBACK = /^https?:\/\/(?:127(?:\.\d{1,3}){3}|localhost|\[::1\])(?::\d{1,5})?(?:\/[\w./-]*)?$/;

export const isLoopback = (endpoint: string): boolean => LOOPBACK.test(endpoint);

/** `secret`: says where a secret is kept, or whose rights are taken on. `address`: says where calls are sent. */
export interface Guard {
  readonly guards: 'secret' | 'address';
}

/**
 * The schemas of fields by which a document reaches for a secret or for an address. Whoever makes such a field enters it here,
 * and `core/trust.ts` finds it wherever it is used.
 */
export const guarded = z.registry<Guard>();

/** The same data, nothing in it assignable. */
export type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;
