import { z } from 'zod';
import { usualLimits } from '../limits.ts';
import type { Cloud } from '../resource.ts';
import { estateCalendar } from './change-windows.ts';
import {
  day,
  duration,
  flag,
  freeText,
  guarded,
  inheritedRemediation,
  LOOPBACK,
  mode,
  name,
  plainMetadata,
  text,
  ttl,
  whole,
} from './fields.ts';
import { secretRef } from './secret-ref.ts';

const forms =
  'a repository without a password in it: https://host/path, ssh://git@host/path, git@host:path, file:///path or /path';

const HOST = '[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?';
const PORT = '(?::\\d{1,5})?';
const USER = '(?:[A-Za-z0-9_][\\w.-]{0,63}@)?';
/** No step is `.` or `..`, is empty or begins with `-`, which some program on the way may take for an option. */
const STEPS = '(?:(?!\\.{1,2}(?:/|$))[\\w~.%+@][\\w~.%+@-]*(?:/|$))+';

/** Characters that a `%` must not stand for: control characters, `.`, `/` and `\`. */
const ESCAPED = '(?!.*%(?:[01][\\da-fA-F]|2[eEfF]|5[cC]|7[fF]))';

/**
 * Git gets one of these and nothing else: a transport by another name (`ext::sh`) would run a program, and http:// would send
 * the specs in clear. Every reader of a spec could read a credential in it, so there is no place for one; git has its own.
 * https://git-scm.com/docs/git-clone#_git_urls
 */
const REPO = new RegExp(
  `^(?=.{1,512}$)${ESCAPED}(?:https://${HOST}${PORT}/${STEPS}|ssh://${USER}${HOST}${PORT}/${STEPS}|${USER}${HOST}:/?${STEPS}|(?:file://)?/${STEPS})$`,
);

const repo = (): z.ZodString => text(REPO, forms).register(guarded, { guards: 'address' });

/** The branch names that git allows, and fewer: https://git-scm.com/docs/git-check-ref-format */
const branch = (): z.ZodString =>
  text(
    /^(?=.{1,255}$)(?!.*(?:\.\.|\.lock(?:\/|$)|@\{|\.(?:\/|$)))[A-Za-z0-9_][\w.+@#-]*(?:\/[A-Za-z0-9_][\w.+@#-]*)*$/,
    'a branch, such as main',
  );

const folder = (): z.ZodString =>
  text(
    /^(?=.{1,512}$)(?:\.|[\w@+][\w.@+-]*(?:\/[\w@+][\w.@+-]*)*)$/,
    'a folder of the repository, such as specs, or . for all of it',
  );

const source = z.strictObject(
  {
    name: name().meta({ description: 'The name of the team. Messages show its files under @<name>/.' }),
    repo: repo().meta({
      description: 'The URL of the repository, without a credential.',
      examples: ['https://git.acme.example/web.git', 'git@git.acme.example:web.git'],
    }),
    branch: branch().default('main').meta({ description: 'The branch to follow.' }),
    path: folder().default('specs').meta({ description: 'The folder of its specs.' }),
    owners: z
      .array(freeText(128), { error: 'a list of owners' })
      .min(1, { error: 'at least one owner' })
      .max(100, { error: 'at most 100 owners' })
      .meta({ description: 'The allowed values of metadata.owner in its documents.' }),
  },
  { error: '{ name, repo, branch, path, owners }' },
);

/** Trees of teams beside the root's own. What they may hold is in `check/team-trees`. */
export const sources = () =>
  z.array(source, { error: 'a list of { name, repo, owners }' }).max(100, { error: 'at most 100 sources' });

/** The plain form of an address alone: in a file of allowed signers `*`, `?`, `!` and `,` would make it a pattern (ssh-keygen(1)). */
const email = text(
  /^(?=.{3,254}$)[A-Za-z0-9._%+-]+@[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$/,
  'an e-mail address, such as ada@acme.example',
);

const sshKey = text(
  /^(?=.{1,4096}$)(?:ssh-(?:ed25519|rsa)|ecdsa-sha2-nistp\d{3}|sk-(?:ssh-ed25519|ecdsa-sha2-nistp256)@openssh\.com) [A-Za-z0-9+/]{16,}={0,2}(?: [^\r\n]*)?$/,
  'a public key of SSH, such as ssh-ed25519 AAAA…',
);

/** One armoured block: https://www.rfc-editor.org/rfc/rfc9580#section-6.2. Of 32 KiB at most, as a document has 256 KiB. */
const gpgKey = text(
  /^(?=[\s\S]{1,32768}$)-----BEGIN PGP PUBLIC KEY BLOCK-----\r?\n(?:[A-Za-z-]{1,40}: [^\r\n]{0,200}\r?\n)*\r?\n(?:[A-Za-z0-9+/=]{1,76}\r?\n)+-----END PGP PUBLIC KEY BLOCK-----(?:\r?\n)*$/,
  'one public key of GPG, armoured: -----BEGIN PGP PUBLIC KEY BLOCK-----, an empty line and the rest',
);

const oneKey = { error: 'exactly one of ssh and gpg; of a person with two keys make two signers' };

const signer = z
  .strictObject(
    {
      name: name().meta({ description: 'The name of this key in answers and the ledger.' }),
      email: email.meta({ description: 'The committer address of all commits with this key.' }),
      ssh: sshKey.optional().meta({ description: 'A public key of SSH.' }),
      gpg: gpgKey.optional().meta({ description: 'A public key of GPG, armoured.' }),
      until: day
        .optional()
        .meta({ description: 'The last day on which the key is valid, regardless of commit dates.' }),
      revoked: flag().optional().meta({ description: 'The key is no longer valid, in this entry or in any other.' }),
    },
    { error: '{ name, email, ssh } or { name, email, gpg }' },
  )
  .refine(({ ssh, gpg }) => (ssh === undefined) !== (gpg === undefined), oneKey);

/** The signers whose commits may be applied. The active generation's count, never those of the commit that is validated. */
export const signatures = () =>
  z.strictObject(
    {
      required: flag().meta({
        description: 'Setpoint plans commits without a signature of a signer, and does not apply them.',
      }),
      signers: z
        .array(signer, { error: 'a list of { name, email, ssh } or { name, email, gpg }' })
        .min(1, { error: 'at least one signer' })
        .max(200, { error: 'at most 200 signers' })
        .meta({ description: 'The signers, each with one public key.' }),
    },
    { error: '{ required, signers }' },
  );

const hookName = name().meta({ description: 'The last part of its URL: /v1/hooks/<estate>/<name>.' });

const signed = z.strictObject(
  {
    name: hookName,
    from: z.enum(['github', 'gitlab', 'hmac', 'eventbridge', 'eventgrid']).meta({
      description: 'The type of sender: a git forge or the events of a cloud.',
    }),
    secret: secretRef().meta({ description: 'The reference to the secret that authenticates the sender.' }),
  },
  { error: '{ name, from, secret }' },
);

const pubsub = z.strictObject(
  {
    name: hookName,
    from: z
      .literal('pubsub')
      .meta({ description: "Google audit logs, from a push subscription with Google's own token." }),
    audience: text(/^[\x21-\x7e]{1,512}$/, 'the audience of the subscription, such as its push address').meta({
      description: 'The audience of the token, as in the subscription.',
    }),
    serviceAccount: text(
      /^[a-z0-9][a-z0-9._-]{0,127}@[a-z0-9][a-z0-9.-]{0,127}\.gserviceaccount\.com$/,
      'a service account, such as push@acme-prod.iam.gserviceaccount.com',
    ).meta({ description: 'The service account of the token.' }),
    keys: text(LOOPBACK, "a loopback address, such as http://127.0.0.1:4566/certs; left out: Google's own")
      .register(guarded, { guards: 'address' })
      .optional()
      .meta({
        description: "The URL of the token's public keys in a sandbox on this machine; needs --allow-endpoint.",
      }),
  },
  { error: '{ name, from: pubsub, audience, serviceAccount }' },
);

/** Senders of webhooks that bring the audit log of a cloud. */
export const auditLogSenders: ReadonlyMap<string, Cloud> = new Map([
  ['eventbridge', 'aws'],
  ['eventgrid', 'azure'],
  ['pubsub', 'gcp'],
]);

/** The senders that may notify Setpoint. A notification only names a place to observe, never its state. */
const hooks = () =>
  z
    .array(
      z.discriminatedUnion('from', [signed, pubsub], {
        error: 'github, gitlab, hmac, eventbridge, eventgrid or pubsub',
      }),
      { error: 'a list of { name, from, secret }' },
    )
    .max(50, { error: 'at most 50 hooks' });

const limits = z.strictObject(
  {
    deletes: whole(0, 1_000_000).default(5).meta({ description: 'The most deletions in one generation.' }),
    replaces: whole(0, 1_000_000)
      .default(5)
      .meta({ description: 'The most replacements, and updates that stop a machine.' }),
    creates: whole(0, 1_000_000)
      .default(usualLimits.creates)
      .meta({ description: 'The most new machines in one generation, and in 24 h of drift correction.' }),
    closures: whole(0, 1_000_000)
      .default(usualLimits.closures)
      .meta({ description: 'The most unmanaged rules that Setpoint removes in 24 h.' }),
    share: text(/^(?:100|\d{1,2}(?:\.\d{1,3})?)%$/, 'a share from 0% to 100%, such as 10%')
      .prefault('10%')
      .transform((percent) => Number(percent.slice(0, -1)) / 100)
      .meta({
        description: 'The limit as a share of the owned resources; it counts from 20 resources on.',
        examples: ['10%'],
      }),
    cost: z
      .strictObject(
        {
          monthly: z
            .number({ error: 'an amount, 0 or more' })
            .min(0, { error: '0 or more' })
            .meta({ description: 'The most that a month of all machines of the estate may cost.', examples: [2500] }),
          currency: text(/^[A-Z]{3}$/, 'a currency of ISO 4217, such as USD').meta({
            description: 'The currency of the amount, as in Prices.',
          }),
        },
        { error: 'a map with monthly and currency' },
      )
      .optional()
      .meta({
        description:
          'The most monthly cost by the prices in the specs. Above it, changes that raise the cost wait. Default: no limit.',
      }),
  },
  { error: 'a map of limits' },
);

const period = (usual: string) =>
  duration({ least: 0, most: 30 * 86_400_000, expected: 'a time from 0s to 30d with its unit, such as 90m, 24h or 2d' })
    .optional()
    .meta({ description: `Default: ${usual}.`, examples: [usual] });

const deletionGracePeriod = z.strictObject(
  {
    network: period('24h'),
    subnet: period('24h'),
    group: period('24h'),
    'firewall-rule': period('0s'),
    instance: period('1h'),
  },
  { error: 'a map of kinds' },
);

export const estateSchema = z
  .strictObject({
    apiVersion: z.literal('setpoint.dev/v1'),
    kind: z.literal('Estate'),
    metadata: plainMetadata(),
    spec: z.strictObject(
      {
        mode: mode(),
        ttl: ttl('everything in the estate'),
        limits: limits.prefault({}).meta({
          description:
            'Limits. Above these, deletions, replacements, new machines and removals of rules wait for an approval.',
        }),
        remediation: inheritedRemediation(),
        ...estateCalendar(),
        deletionGracePeriod: deletionGracePeriod.optional().meta({
          description:
            'The time between the removal of a document and the deletion of its object by workers. The object runs untouched meanwhile.',
        }),
        sources: sources().optional().meta({ description: 'The repositories of teams.' }),
        signatures: signatures().optional().meta({ description: 'The required signatures of commits.' }),
        hooks: hooks()
          .optional()
          .meta({ description: 'The senders of webhooks for new commits and changes on clouds.' }),
      },
      { error: 'a map' },
    ),
  })
  .meta({ title: 'Estate', description: 'One tree of specs and all of its resources. A tree has exactly one Estate.' });
