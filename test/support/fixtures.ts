import type { Desired, Terms } from '../../src/core/desired.ts';
import type { AddressedMark } from '../../src/core/observed.ts';
import { type Address, type Attributes, documentOfReplica, type Kind } from '../../src/core/resource.ts';
import type { Request } from '../../src/ports/limiter.ts';
import type { Answer, Call, Creation } from '../../src/ports/provider.ts';

/** A provider's dependencies, for tests that need no plan and no store. */
export const terms: Terms = { mode: 'enforce', protect: false, deletionPolicy: 'delete' };

export function desiredOf<K extends Kind>(
  kind: K,
  {
    address,
    name,
    attributes,
  }: { readonly address: Address; readonly name: string; readonly attributes: Attributes[K] },
): Desired<K> {
  const document = kind === 'instance' ? documentOfReplica(address) : address;
  return { kind, address, name, attributes, terms, documents: [{ address: document, file: 'all.yaml', line: 1 }] };
}

export const markFor = (address: Address, intent: string): AddressedMark => ({
  estate: 'acme',
  store: 'store-1',
  address,
  deletionPolicy: 'delete',
  intent,
  attempt: 1,
});

/** `intent` is the token too. */
export const creationOf = <K extends Kind>(desired: Desired<K>, intent: string): Creation<K> => ({
  token: intent,
  mark: markFor(desired.address, intent),
  desired,
});

/** Of no pair that anybody has. */
export const sshKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMrzqZHxxcFGg60MOhEY0cLCUbebwT+as/lS7bkP2AOL';

/** A call that admits everything, and remembers. */
export interface RecordedCall extends Call {
  readonly admitted: Request[];
  readonly reported: { readonly request: Request; readonly answer: Answer }[];
}

/** `admit`: further work before a request; throwing refuses it. */
export function recordedCall(
  signal: AbortSignal = new AbortController().signal,
  admit: (request: Request) => void | Promise<void> = () => {},
): RecordedCall {
  const admitted: Request[] = [];
  const reported: { readonly request: Request; readonly answer: Answer }[] = [];
  return {
    signal,
    admitted,
    reported,
    admit: async (request) => {
      await admit(request);
      admitted.push(request);
    },
    report: (request, answer) => void reported.push({ request, answer }),
    secret: async (address) => ({
      userData: `#!/bin/sh\necho ${address}\n`,
      access: { user: 'ops', sshKeys: [sshKey] },
    }),
  };
}

export const writesOf = ({ admitted }: RecordedCall): readonly string[] =>
  admitted.filter(({ mutating }) => mutating).map(({ action }) => action);
