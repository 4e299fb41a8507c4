import { z } from 'zod';
import { guarded } from './guarded.ts';
import { secretUriExamples, secretUriPattern } from './secret-uri.ts';
import { text } from './text-field.ts';

const form = '{ env: SETPOINT_SECRET_… }, { file: … } or { uri: … }, never the secret itself';

const keys = {
  env: text(/^SETPOINT_SECRET_[A-Z0-9_]{1,100}$/, 'the name of a variable that begins SETPOINT_SECRET_')
    .optional()
    .meta({ description: 'Name of an environment variable of the worker; it must begin SETPOINT_SECRET_.' }),
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

/** Where a secret is: exactly one of the three. */
export type SecretRef = Readonly<z.output<ReturnType<typeof secretRef>>>;

/** How people are told which secret is meant. */
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
