import { z } from 'zod';
import { name } from './name-field.ts';
import { day } from './terms-fields.ts';
import { flag, text } from './text-field.ts';

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
  'one public key of GPG, armoured: -----BEGIN PGP PUBLIC KEY BLOCK-----, an empty line and what follows',
);

const oneKey = { error: 'exactly one of ssh and gpg; of a person with two keys make two signers' };

const signer = z
  .strictObject(
    {
      name: name().meta({ description: 'What we call this key in answers and the ledger.' }),
      email: email.meta({ description: 'The address that commits signed with this key must be committed under.' }),
      ssh: sshKey.optional().meta({ description: 'A public key of SSH.' }),
      gpg: gpgKey.optional().meta({ description: 'A public key of GPG, armoured.' }),
      until: day.optional().meta({ description: 'The last day on which it counts, whatever dates commits bear.' }),
      revoked: flag()
        .optional()
        .meta({ description: 'It counts no more, and neither does this key where it is listed besides.' }),
    },
    { error: '{ name, email, ssh } or { name, email, gpg }' },
  )
  .refine(({ ssh, gpg }) => (ssh === undefined) !== (gpg === undefined), oneKey);

/** Whose commits may be applied. Those of the generation in force count, never those of the commit that is judged. */
export const signatures = () =>
  z.strictObject(
    {
      required: flag().meta({ description: 'Commits that none of the signers signed are planned and not applied.' }),
      signers: z
        .array(signer, { error: 'a list of { name, email, ssh } or { name, email, gpg }' })
        .min(1, { error: 'at least one signer' })
        .max(200, { error: 'at most 200 signers' })
        .meta({ description: 'Who may sign, each with one public key.' }),
    },
    { error: '{ required, signers }' },
  );
