import type { Document, EstateDoc } from '../core/documents/document.ts';
import type { Problem } from '../core/documents/problem.ts';
import type { Located, Position } from '../core/documents/tree.ts';
import type { AuthorNames } from '../core/inventory/authors.ts';
import type { LifetimeDecision } from '../core/ttl.ts';
import type { By, PatchDecision } from './fleet-state.ts';

/** The process with the lease of this scope follows the sources of the estate. */
export const followScope = 'specs';

/** Messages between workers and people about the sources of specs. */
export interface Sources {
  readonly states: SourceStates;
  readonly pins: Pins;
  readonly histories: Histories;
  readonly wakeUps: WakeUps;
}

export interface SourceStates {
  /** Replaces the report on this source; `since` stays while state and head do. */
  record(estate: string, state: SourceDraft): Promise<void>;
  list(estate: string): Promise<readonly SourceState[]>;
}

/** `source`: a repository or folder as people name it, never with a credential in it. */
export interface SourceDraft {
  readonly source: string;
  /** The newest state that was seen there: a commit, or a folder's hash; absent: none yet. */
  readonly head?: string;
  readonly state: SourceCondition;
  /** Absent: `state` is enough. `names-another-estate`: only of a broken one. Its worker follows that estate, and this one no more. */
  readonly code?: 'names-another-estate';
  /** The problem, if any, and its fix; '' where there is none. */
  readonly why: string;
}

export interface SourceState extends SourceDraft {
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/**
 * `followed`: its head is active. `broken`: its specs are not valid. `unsigned`: a commit lacks a signature that the estate
 * requires. `rewritten`: the active revision is no ancestor of its head. `pinned`: a person holds another revision. `away`: it
 * cannot be read. In all but the first the last good generation stays.
 */
export type SourceCondition = 'followed' | 'broken' | 'unsigned' | 'rewritten' | 'pinned' | 'away';

/** An estate held at a revision: nothing is followed. Each verb writes a note into the ledger, in the same transaction. */
export interface Pins {
  pin(estate: string, revision: string, by: By): Promise<Pin>;
  current(estate: string): Promise<Pin | undefined>;
  /** The pin that ended; undefined, and nothing written, where there was none. */
  unpin(estate: string, by: By): Promise<Pin | undefined>;
}

export interface Pin {
  readonly revision: string;
  readonly by: By;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Rewritten histories that a person took on. A note in the ledger. */
export interface Histories {
  accept(estate: string, move: Rewriting, by: By): Promise<void>;
  isAccepted(estate: string, move: Rewriting): Promise<boolean>;
}

/** From the active revision ('': none) to this head, and no other way there: a forced push could go back to it. */
export interface Rewriting {
  readonly head: string;
  readonly after: string;
}

/** Counts the times that a repository may have moved: webhooks add to it, and the worker that follows reads it. */
export interface WakeUps {
  add(estate: string): Promise<void>;
  /** The number of wake-ups; it only rises. */
  count(estate: string): Promise<number>;
}

/** A change was refused because a person holds the estate at its revision. */
export class Pinned extends Error {
  readonly pin: Pin;
  constructor(pin: Pin) {
    super(`the estate is held at ${pin.revision} by ${pin.by.person}: ${pin.by.reason}`);
    this.name = 'Pinned';
    this.pin = pin;
  }
}

/**
 * The authors of accepted specs: names of commits, which anybody may claim, and of people who posted specs. They forbid an
 * approval, and never allow one. Only ever added to.
 */
export interface Authors {
  /** Called before it is accepted, so that no active generation lacks its authors. Earlier authors stay. */
  record(move: Move, authors: AuthorNames): Promise<void>;
  /** Of every generation of an estate after this one, oldest first; of more than `most` the oldest. */
  since(estate: string, generation: number, most: number): Promise<readonly GenerationAuthors[]>;
  /** Of these generations, oldest first. */
  of(estate: string, generations: readonly number[]): Promise<readonly GenerationAuthors[]>;
}

/** `after`: the active generation before; 0: none. */
export interface Move {
  readonly estate: string;
  readonly revision: string;
  readonly after: number;
}

/** `authors`: absent where nobody knows, as of a plain folder. */
export interface GenerationAuthors {
  readonly generation: number;
  readonly authors?: AuthorNames;
}

/** A tree of specs as read. With an error among its problems nothing may be planned from it. */
export interface SpecTree extends SpecFiles {
  readonly estate: Located<EstateDoc> | undefined;
  readonly documents: readonly Located<Document>[];
  /** Documents whose lifetime is over: they are left out and want nothing, and their terms still govern their objects. */
  readonly ended?: readonly Located<Document>[];
  readonly problems: readonly Problem[];
  readonly revision: string;
  /** The patches beside it; absent: the tree was read without patches, as from a folder. */
  readonly patches?: PatchDecision;
  /** The lifetimes of its documents; absent: the tree was read without them. */
  readonly lifetimes?: LifetimeDecision;
}

/** The files that were read of it. */
interface SpecFiles {
  /** The texts that were read, by their path in the tree. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
  /** Scripts of machines by their path in the tree. */
  readonly userData: ReadonlyMap<string, { readonly bytes: Buffer; readonly sha256: string }>;
  /** That lies over its base. */
  readonly overlay?: string;
}

/** A document to write: its fields, and lines of comments above it. The comments have no line breaks. */
export interface WrittenSpec {
  readonly value: object;
  readonly comments: readonly string[];
}

/** A file with edits of its documents. `text` absent: none is left, and the file goes. `refused`: why its text cannot be edited. */
export type EditedFile =
  | { readonly text?: string; readonly refused?: never }
  | { readonly text?: never; readonly refused: string; readonly at: Position };

/** `path`: as a person sees it, or in its tree. `before` absent: it is new. `after` absent: the file goes. */
export interface ChangedFile {
  readonly path: string;
  readonly before?: string;
  readonly after?: string;
}

/** A change of files for a branch. `dir`: their folder, in a work tree of git. `topic`: one word, a part of the branch's name. */
export interface BranchProposal {
  readonly dir: string;
  readonly files: readonly ChangedFile[];
  readonly topic: string;
  readonly message: string;
  /** The name of a configured remote. */
  readonly remote: string;
}

/** `url`: where the server offers to open a pull request. `unpushed`: commits of the user that the branch brings along. */
export interface ProposedBranch {
  readonly branch: string;
  readonly commit: string;
  /** The address of the remote, without a credential. */
  readonly remote: string;
  readonly url?: string;
  readonly unpushed?: number | undefined;
}
