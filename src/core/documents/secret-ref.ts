import { z } from 'zod';
import { guarded, text } from './fields.ts';

/** The place of a secret, in the words of its cloud's API. */
export type SecretUri =
  | { readonly cloud: 'aws'; readonly arn: string; readonly region: string }
  /** `version`: the whole resource name, projects/…/secrets/…/versions/…. */
  | { readonly cloud: 'gcp'; readonly version: string }
  /** `vault`: its URL, without a slash at the end. */
  | { readonly cloud: 'azure'; readonly vault: string; readonly name: string; readonly version?: string };

interface Form {
  readonly pattern: RegExp;
  readonly example: string;
  read(parts: readonly string[]): SecretUri;
}

/** One form a store, each as people of that cloud already have it in their files; nothing else is a URI of a secret. */
const FORMS: readonly Form[] = [
  {
    // The ARN, as task definitions of ECS have it in `valueFrom`:
    // https://docs.aws.amazon.com/AmazonECS/latest/developerguide/secrets-envvar-secrets-manager.html
    // Characters of a name: https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_CreateSecret.html
    pattern:
      /^(arn:aws[a-z-]*:secretsmanager:([a-z]{2,4}(?:-[a-z]+){1,3}-\d{1,2}):\d{12}:secret:[A-Za-z0-9/_+=.@-]{1,519})$/,
    example: 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:setpoint-a1b2c3',
    read: ([arn = '', region = '']) => ({ cloud: 'aws', arn, region }),
  },
  {
    // The resource name under the scheme of the Go CDK, which Atlas, Allstar and others read:
    // https://pkg.go.dev/gocloud.dev/runtimevar/gcpsecretmanager. A version is a number, an alias or `latest`:
    // https://cloud.google.com/secret-manager/docs/reference/rest/v1/projects.secrets.versions/access
    pattern:
      /^gcpsecretmanager:\/\/(projects\/[a-z0-9](?:[a-z0-9.:-]{0,61}[a-z0-9])?\/secrets\/[A-Za-z0-9_-]{1,255}\/versions\/(?:[1-9]\d{0,9}|[A-Za-z][A-Za-z0-9_-]{0,62}))$/,
    example: 'gcpsecretmanager://projects/acme/secrets/setpoint/versions/latest',
    read: ([version = '']) => ({ cloud: 'gcp', version }),
  },
  {
    // The object identifier, as App Service has it in `SecretUri`. Only the suffixes of vaults, as whoever answers is
    // asked for a secret with our token:
    // https://learn.microsoft.com/azure/key-vault/general/about-keys-secrets-certificates#dns-suffixes-for-object-identifiers
    pattern:
      /^(https:\/\/(?=[^.]{3,24}\.)[A-Za-z](?:-?[A-Za-z0-9])*\.vault\.(?:azure\.net|azure\.cn|usgovcloudapi\.net))\/secrets\/([A-Za-z0-9-]{1,127})(?:\/([0-9a-f]{32}))?$/,
    example: 'https://acme.vault.azure.net/secrets/setpoint',
    read: ([vault = '', name = '', version]) => ({
      cloud: 'azure',
      vault,
      name,
      ...(version === undefined ? {} : { version }),
    }),
  },
];

const secretUriPattern = new RegExp(FORMS.map(({ pattern }) => pattern.source).join('|'));

export const secretUriExamples = FORMS.map(({ example }) => example);

/** Undefined for what `secretUriPattern` does not match. */
export function parseSecretUri(uri: string): SecretUri | undefined {
  for (const { pattern, read } of FORMS) {
    const parts = pattern.exec(uri);
    if (parts) return read(parts.slice(1));
  }
  return undefined;
}

const form = '{ env: SETPOINT_SECRET_… }, { file: … } or { uri: … }, never the secret itself';

const keys = {
  env: text(/^SETPOINT_SECRET_[A-Z0-9_]{1,100}$/, 'the name of a variable that begins with SETPOINT_SECRET_')
    .optional()
    .meta({ description: 'The name of an environment variable of the worker, beginning with SETPOINT_SECRET_.' }),
  file: text(
    /^(?!\.{1,2}(?:\/|$))[\w.-]+(?:\/(?!\.{1,2}(?:\/|$))[\w.-]+)*$/,
    'a path inside SETPOINT_SECRETS_DIR, without .. or a leading /',
  )
    .optional()
    .meta({ description: 'A file under the SETPOINT_SECRETS_DIR of the worker.' }),
  uri: text(secretUriPattern, secretUriExamples.join(', or ')).optional().meta({
    description: "A secret in a cloud's own store, read with the worker's identity.",
    examples: secretUriExamples,
  }),
};

/** The place of a secret: exactly one of the three. */
export type SecretRef = Readonly<z.output<ReturnType<typeof secretRef>>>;

/** The name of a secret in messages for people. */
export const secretName = ({ env, file, uri }: SecretRef): string =>
  env !== undefined ? `the secret in ${env}` : `the secret ${file ?? uri}`;

/**
 * Names a secret, and never holds one: workers resolve it at apply. No message about this field may repeat its value,
 * as people put the secret itself here by mistake.
 */
export const secretRef = () =>
  z
    .strictObject(keys, { error: form })
    .refine(onlyOne, { error: `exactly one of ${form}` })
    .register(guarded, { guards: 'secret' });

const onlyOne = (given: object): boolean => Object.values(given).filter((value) => value !== undefined).length === 1;

/** The same forms, or a role to assume with the credentials the worker already has. */
export const credentials = () =>
  z
    .strictObject(
      {
        assumeRole: text(
          /^arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=,.@/-]{1,512}$/,
          'a role: arn:aws:iam::<account>:role/<name>',
        )
          .optional()
          .meta({ description: 'AWS: the role to assume.', examples: ['arn:aws:iam::111122223333:role/setpoint'] }),
        ...keys,
      },
      { error: `{ assumeRole: … }, ${form}` },
    )
    .refine(onlyOne, { error: 'exactly one of assumeRole, env, file and uri' })
    .register(guarded, { guards: 'secret' });
