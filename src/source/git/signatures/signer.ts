/** Whose key counts, as the Estate document in force lists it: one public key, of SSH or of GPG, and the address it commits under. */
export interface Signer {
  readonly name: string;
  readonly email: string;
  /** One line of OpenSSH: type, key, comment. */
  readonly ssh?: string | undefined;
  /** One armoured block; a person's subkeys are in it. */
  readonly gpg?: string | undefined;
  /** The last day, YYYY-MM-DD, on which it counts. */
  readonly until?: string | undefined;
  /** It counts no more, under whatever address it is listed besides. */
  readonly revoked?: boolean | undefined;
}
