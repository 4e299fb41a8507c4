import type { Address } from '../resource.ts';

/** As the store keeps it: see ports/fleet-state.ts. */
interface KeptNote {
  readonly address: Address;
  readonly person: string;
  readonly at: number;
}

/** An assignment as data: `--json` prints it, and the API answers it. */
export const assignmentJson = ({ address, person, at, reason }: KeptNote & { readonly reason?: string }) => ({
  ...{ address, actor: person, at },
  ...(reason === undefined ? {} : { reason }),
});

/** A comment, likewise. */
export const commentJson = ({ address, person, at, text }: KeptNote & { readonly text: string }) => ({
  ...{ address, actor: person, at, text },
});
