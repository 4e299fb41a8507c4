import type { Call, WireRequest, WireResponse } from '../protocol.ts';

/** A write that was applied, whatever its client was answered. */
export interface Written {
  /** On the sandbox's clock. */
  readonly time: number;
  readonly call: Call;
  readonly request: WireRequest;
  readonly requestId: string;
  /** What the write itself answered. */
  readonly response: WireResponse;
}

/** One cloud's audit service: what it tells of a write, each as it comes to pass. Never ends sooner than the write does. */
export type Source = (written: Written) => AsyncIterable<object>;
