import { z } from 'zod';
import type { Result } from './failure.ts';

/** Credentials for a cloud, from a secret. Nothing of them may reach a log, an error, a label or an answer. */
export type CloudCredential = AwsKeys | GcpServiceAccount | AzurePrincipal;

type AwsKeys = { readonly cloud: 'aws' } & Readonly<z.output<typeof awsKeys>>;
type GcpServiceAccount = { readonly cloud: 'gcp' } & Readonly<z.output<typeof gcpServiceAccount>>;
type AzurePrincipal = { readonly cloud: 'azure' } & Readonly<z.output<typeof azurePrincipal>>;

export type CredentialCloud = CloudCredential['cloud'];

/**
 * Parses the text of a secret strictly: one JSON object of the cloud's form. No message repeats anything of the text, not even
 * its keys, as people put the secret itself in odd places.
 */
export function parseCredential(cloud: CredentialCloud, text: string): Result<CloudCredential> {
  const given = jsonOf(text);
  if (given === undefined) return malformed(cloud, 'it is no JSON');
  const read = readers[cloud](given);
  return read.success ? { ok: true, value: read.data } : malformed(cloud, faultsOf(read.error));
}

/** The credential for one cloud; undefined where none was given. Another cloud's is a defect of ours. */
export function credentialFor<C extends CredentialCloud>(
  cloud: C,
  secret: (() => CloudCredential) | undefined,
): Extract<CloudCredential, { readonly cloud: C }> | undefined {
  const held = secret?.();
  if (held === undefined || isOf(cloud, held)) return held;
  throw new Error(`a credential of ${held.cloud} was given for ${cloud}`);
}

const isOf = <C extends CredentialCloud>(
  cloud: C,
  held: CloudCredential,
): held is Extract<CloudCredential, { readonly cloud: C }> => held.cloud === cloud;

/** Goes into headers and signatures: printable, and no line ends. */
const printable = (max: number): z.ZodString => z.string().regex(new RegExp(`^[\\x21-\\x7e]{1,${max}}$`));
const uuid = z.string().regex(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i);

/** https://docs.aws.amazon.com/STS/latest/APIReference/API_Credentials.html: ids are \w, tokens may grow */
const awsKeys = z.strictObject({
  accessKeyId: z.string().regex(/^\w{1,128}$/),
  secretAccessKey: printable(512),
  sessionToken: printable(16_384).optional(),
});

/**
 * https://cloud.google.com/iam/docs/keys-create-delete#creating: the file as Google made it. Its URLs are not kept: the
 * library's own are used, so that no secret says where another is sent. An `external_account` is refused, as it may name
 * URLs and programs: https://cloud.google.com/docs/authentication/client-libraries#external-credentials
 */
const gcpServiceAccount = z
  .strictObject({
    type: z.literal('service_account'),
    project_id: z.string().regex(/^[a-z0-9.:-]{1,100}$/),
    private_key_id: printable(128).optional(),
    private_key: z
      .string()
      .regex(/^-----BEGIN (?:RSA )?PRIVATE KEY-----\r?\n[A-Za-z0-9+/=\s]+-----END (?:RSA )?PRIVATE KEY-----\s*$/),
    client_email: z.email(),
    client_id: printable(128).optional(),
    auth_uri: z.string().optional(),
    token_uri: z.string().optional(),
    auth_provider_x509_cert_url: z.string().optional(),
    client_x509_cert_url: z.string().optional(),
    universe_domain: z.literal('googleapis.com').optional(),
  })
  .transform(({ project_id, private_key, private_key_id, client_email }) => ({
    projectId: project_id,
    clientEmail: client_email,
    privateKey: private_key,
    ...(private_key_id === undefined ? {} : { privateKeyId: private_key_id }),
  }));

/** https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow */
const azurePrincipal = z.strictObject({ tenantId: uuid, clientId: uuid, clientSecret: printable(512) });

type Reading = z.ZodSafeParseResult<CloudCredential>;

const readers: Readonly<Record<CredentialCloud, (given: unknown) => Reading>> = {
  aws: (given) => awsKeys.transform((keys) => ({ cloud: 'aws' as const, ...keys })).safeParse(given),
  gcp: (given) => gcpServiceAccount.transform((key) => ({ cloud: 'gcp' as const, ...key })).safeParse(given),
  azure: (given) => azurePrincipal.transform((app) => ({ cloud: 'azure' as const, ...app })).safeParse(given),
};

const forms: Readonly<Record<CredentialCloud, string>> = {
  aws: '{ "accessKeyId", "secretAccessKey", "sessionToken"? }',
  gcp: 'the JSON key file of a service account, as Google made it',
  azure: '{ "tenantId", "clientId", "clientSecret" }',
};

/** Node's own message of a failed parse quotes the text. */
function jsonOf(text: string): unknown {
  try {
    const given: unknown = JSON.parse(text);
    return given ?? undefined;
  } catch {
    return undefined;
  }
}

/** Fields by the names that we gave them; others are counted, not named. */
function faultsOf({ issues }: z.ZodError): string {
  const faults = issues.map((issue) => {
    if (issue.code === 'unrecognized_keys') return `${issue.keys.length} of its fields do not belong there`;
    const [field] = issue.path;
    return field === undefined ? 'it is no JSON object' : `${String(field)} is missing or has another form`;
  });
  return [...new Set(faults)].join(', ');
}

const malformed = (cloud: CredentialCloud, why: string): Result<never> => ({
  ok: false,
  failure: {
    kind: 'terminal',
    code: 'secret-malformed',
    message: `it holds no credential for ${cloud}: ${why}; wanted is ${forms[cloud]}`,
  },
});
