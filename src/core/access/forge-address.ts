/**
 * Whether an e-mail address is one that a forge gives out, as for edits on the web: it names somebody's account there, or the forge
 * itself, and so equals no address that a credential proves.
 */
export const isForgeAddress = (name: string): boolean =>
  /@users\.noreply\.|^no-?reply@/.test(name.normalize('NFKC').toLowerCase().trim());
