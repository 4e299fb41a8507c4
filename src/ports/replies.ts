/**
 * What was answered to those who name what they do (Idempotency-Key), for as long as they may ask again: a day. Of several who
 * come with one name at once, in whatever processes, one is the first.
 */
export interface Replies {
  /** `forMs`: whoever was first and neither ended nor dropped it by then is taken for dead: the next one is first. */
  begin(asked: NamedRequest, forMs: number): Promise<Begun>;
  /** What was answered; undefined: done, and the answer is not to be kept. Nothing where `attempt` was overtaken. */
  end(name: string, attempt: string, reply: KeptReply | undefined): Promise<void>;
  /** Nothing was done: the next one with this name is the first. Nothing where `attempt` was overtaken. */
  drop(name: string, attempt: string): Promise<void>;
}

/** `name`: of the caller and their key, a hash. `digest`: of what is asked, so that another question by this name is noticed. */
export interface NamedRequest {
  readonly name: string;
  readonly digest: string;
}

export type Begun =
  | { readonly as: 'first'; readonly attempt: string }
  | { readonly as: 'running' }
  /** The name stands for something else. */
  | { readonly as: 'other' }
  | { readonly as: 'done'; readonly reply: KeptReply | undefined };

export interface KeptReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}
