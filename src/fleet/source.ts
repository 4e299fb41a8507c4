import type { EstateDoc } from '../core/spec/document.ts';
import type { ToldAuthors } from '../ports/authors.ts';
import type { SourceCondition } from '../ports/sources.ts';
import type { SpecTree } from '../ports/spec-tree.ts';

/** Where specs come from. `name`: for people, never with a credential in it. */
export interface Source {
  readonly name: string;
  /** How often it is asked for news that nobody told of. */
  readonly everyMs: number;
  /** Rejects where it cannot be read. */
  read(signal: AbortSignal): Promise<SpecTree>;
  /** Absent: a folder, whose states have no history and may be half written. */
  readonly history?: History;
}

/** A repository's commits: what came after what, and who says so. */
export interface History {
  /** Whether a revision may come into force after another. */
  judge(revision: string, after: Standpoint): Promise<Judgement>;
  /** Who made what it has and the one in force has not; absent: nobody can say. `before` absent: none is in force. */
  authors?(revision: string, before: string | undefined): Promise<ToldAuthors>;
}

/** `revision`: in force; absent: none is. `signatures`: as that one asks for them. */
export interface Standpoint {
  readonly revision?: string;
  readonly signatures?: EstateDoc['spec']['signatures'];
  /** A person took on that what is in force is no ancestor. */
  readonly mayRewrite: boolean;
}

export interface Judgement {
  readonly state: Extract<SourceCondition, 'followed' | 'unsigned' | 'rewritten'>;
  /** For people, with what to do next; '' where it is followed. */
  readonly why: string;
}
